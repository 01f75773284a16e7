#pragma once
// What every lock offers besides acquire and release, and the options a scenario may give it.
//   static constexpr LockTraits traits;          name, size, whether it has a shared mode and a spin test
//   Lock(typename E::Arena&, const LockOptions&);
//   void acquire(E&, Mode); void release(E&, Mode);     a lock without shared mode ignores Mode
//   bool try_acquire(E&, Mode);                         optional; needed for `conflict` steps
//   void delegate(E&, Work&&); void release(E&, Mode, Work&&);   optional, see Delegating

#include "sim/env/env.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace lockcast {

// The spin test of PostgreSQL's s_lock on a given platform (research: pgsql-hackers "spinlocks on HP-UX", Aug 2011).
//   tas           every poll is an exchange (HP-UX before commit c01c25fbe5; x86-64 until 9.4)
//   ttas_in_tas   a plain load precedes every exchange, also the first one
//   ttas_in_loop  a plain load precedes the exchange only in the retry loop (what was committed)
enum class SpinTest : std::uint8_t { tas, ttas_in_tas, ttas_in_loop };
inline constexpr std::array<std::string_view, 3> spin_test_names{"tas", "ttas-in-tas", "ttas-in-loop"};

struct LockOptions {
  SpinTest spin = SpinTest::tas;
};

template <class Lock, class E>
concept Triable = requires(Lock& lock, E& env) {
  { lock.try_acquire(env, Mode::exclusive) } -> std::same_as<bool>;
};

// A lock that may have its work done by somebody else. delegate(env, work) returns when the caller's piece of work has
// been done once, under the lock in exclusive mode: by the caller, or by a backend that has or gives up the lock while
// the caller waits. work(id) does the piece of backend `id` on the core of whoever calls it; what is given to release
// is the same work. The lock knows nothing of what it is.
template <class Lock, class E>
concept Delegating = requires(Lock& lock, E& env, void (*work)(BackendId)) {
  { lock.delegate(env, work) } -> std::same_as<void>;
  { lock.release(env, Mode::shared, work) } -> std::same_as<void>;
};

struct LockTraits {
  std::string_view name;
  std::string_view summary;
  std::uint32_t bytes;  // size of the structure, which the scenario may pack with others on one line
  bool has_shared_mode;
  bool has_spin_test;
  bool held_to_commit = false;  // a hold is no critical section: it may span procedures and round trips
  bool spins_in_order = false;  // polling waiters are served in order: collapses once one of them has lost its CPU
};

}  // namespace lockcast
