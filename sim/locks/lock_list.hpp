#pragma once
// THE list of locks. Adding one is a header in this folder and a name here: the YAML kind, `lockcast list`, the
// contract tests in both executors and the comparison rows follow from it.

#include "sim/env/archetype.hpp"
#include "sim/locks/flexlock_procarray.hpp"
#include "sim/locks/futex_mutex.hpp"
#include "sim/locks/group_clear_9_6.hpp"
#include "sim/locks/lwlock_9_1.hpp"
#include "sim/locks/lwlock_9_5.hpp"
#include "sim/locks/mcs.hpp"
#include "sim/locks/row_lock.hpp"
#include "sim/locks/s_lock_9_2.hpp"
#include "sim/locks/s_lock_9_4.hpp"
#include "sim/locks/tas.hpp"
#include "sim/locks/tas_backoff.hpp"
#include "sim/locks/ticket.hpp"
#include "sim/locks/ttas.hpp"

#include <array>
#include <utility>
#include <variant>
#include <vector>

namespace lockcast {

template <template <class> class... Locks>
struct LockList {
  template <class E>
  using Any = std::variant<Locks<E>...>;

  static constexpr std::size_t count = sizeof...(Locks);
  static constexpr std::array<LockTraits, count> traits{Locks<ArchetypeEnv>::traits...};
  static constexpr std::array<bool, count> can_try{Triable<Locks<ArchetypeEnv>, ArchetypeEnv>...};
  static constexpr std::array<bool, count> can_delegate{Delegating<Locks<ArchetypeEnv>, ArchetypeEnv>...};

  // Makes the lock of this kind (an index into `traits`) at the end of `locks`.
  template <class E>
  static void make(std::uint32_t kind, std::vector<Any<E>>& locks, typename E::Arena& arena,
                   const LockOptions& options) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((I == kind ? static_cast<void>(locks.emplace_back(std::in_place_index<I>, arena, options))
                  : static_cast<void>(0)),
       ...);
    }
    (std::make_index_sequence<count>{});
  }
};

using AllLocks = LockList<Tas, TasBackoff, Ttas, Ticket, Mcs, FutexMutex, SLock92, SLock94, LwLock91, LwLock95,
                          FlexLockProcArray, GroupClear96, RowLock>;

}  // namespace lockcast
