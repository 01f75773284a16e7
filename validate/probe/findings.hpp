#pragma once
// Everything that was observed, by quantity and by how far apart the CPUs were, before anything is concluded from it.
// An observation knows what a line took at that moment and whether somebody else was there, so that conclusions can be
// drawn from what belongs together.

#include "models/topology.hpp"
#include "validate/probe/statistics.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockcast::probe {

enum class Quantity : std::uint8_t {
  ping_pong,
  load_modified,
  store_modified,
  atomic_modified,
  store_shared,
  atomic_shared,
  atomic_after_load,
  load_halted,
  scan_1,
  scan_2,
  scan_4,
  scan_8,
  scan_16,
  scan_32,
  scan_64,
  hammer,
  hammer_burst,
  burst_imbalance,
  third_leg,
  pair_throughput,
  load_memory,
  own_load,
  own_atomic,
  exchange,
  fenced_exchange,
  pause,
  branch_miss,
  poll,
  empty_transaction,
  work_step,
  loaded_slowdown,
  clock,
  system_call,
  near_bias,
  empty_wake,
  refused_wait,
  same_cpu_hop,
  wake_recent,
  wake_50us,
  wake_1ms,
  wake_busy,
  wake_cost,
  yield,
  context_switch,
  slice_2,
  slice_3,
  overshoot_50us,
  overshoot_1ms,
};

enum class Unit : std::uint8_t { nanoseconds, ratio };

// `by_line`: depends on where the two CPUs are at the moment, so only observations of one regime are averaged.
struct QuantityEntry {
  Quantity quantity;
  std::string_view name;  // as the table for people has it
  Unit unit = Unit::nanoseconds;
  bool by_line = false;
};

inline constexpr std::array quantities{
    QuantityEntry{Quantity::ping_pong, "line, one way of a ping-pong", Unit::nanoseconds, true},
    QuantityEntry{Quantity::load_modified, "load of a modified line", Unit::nanoseconds, true},
    QuantityEntry{Quantity::store_modified, "store to a modified line", Unit::nanoseconds, true},
    QuantityEntry{Quantity::atomic_modified, "compare-and-swap, modified line", Unit::nanoseconds, true},
    QuantityEntry{Quantity::store_shared, "store to a shared line", Unit::nanoseconds, true},
    QuantityEntry{Quantity::atomic_shared, "compare-and-swap, shared line", Unit::nanoseconds, true},
    QuantityEntry{Quantity::atomic_after_load, "compare-and-swap after own load", Unit::nanoseconds, true},
    QuantityEntry{Quantity::load_halted, "load, owner's CPU idle", Unit::nanoseconds, true},
    QuantityEntry{Quantity::scan_1, "scan of 1 modified line", Unit::nanoseconds, true},
    QuantityEntry{Quantity::scan_2, "scan of 2 modified lines", Unit::nanoseconds, true},
    QuantityEntry{Quantity::scan_4, "scan of 4", Unit::nanoseconds, true},
    QuantityEntry{Quantity::scan_8, "scan of 8", Unit::nanoseconds, true},
    QuantityEntry{Quantity::scan_16, "scan of 16", Unit::nanoseconds, true},
    QuantityEntry{Quantity::scan_32, "scan of 32", Unit::nanoseconds, true},
    QuantityEntry{Quantity::scan_64, "scan of 64", Unit::nanoseconds, true},
    QuantityEntry{Quantity::hammer, "hammered exchange, 2 threads", Unit::nanoseconds, true},
    QuantityEntry{Quantity::hammer_burst, "exchanges in a row while hammered", Unit::ratio, true},
    QuantityEntry{Quantity::burst_imbalance, "longer burst / shorter, of the two", Unit::ratio, true},
    QuantityEntry{Quantity::third_leg, "load, home at a third node, extra", Unit::nanoseconds, true},
    QuantityEntry{Quantity::pair_throughput, "busy units, both / alone", Unit::ratio, true},
    QuantityEntry{Quantity::load_memory, "load from memory"},
    QuantityEntry{Quantity::own_load, "load, own line"},
    QuantityEntry{Quantity::own_atomic, "compare-and-swap, own line, dependent"},
    QuantityEntry{Quantity::exchange, "exchange, own line, back to back"},
    QuantityEntry{Quantity::fenced_exchange, "exchange, own line, between fences"},
    QuantityEntry{Quantity::pause, "pause"},
    QuantityEntry{Quantity::branch_miss, "branch mispredicted"},
    QuantityEntry{Quantity::poll, "poll (load, compare, pause)"},
    QuantityEntry{Quantity::empty_transaction, "empty transaction of a native run"},
    QuantityEntry{Quantity::work_step, "work loop, one step"},
    QuantityEntry{Quantity::loaded_slowdown, "work loop, all CPUs / alone", Unit::ratio},
    QuantityEntry{Quantity::clock, "clock read"},
    QuantityEntry{Quantity::system_call, "empty system call"},
    QuantityEntry{Quantity::near_bias, "near bias of a hammered line", Unit::ratio},
    QuantityEntry{Quantity::empty_wake, "futex wake, nobody sleeps"},
    QuantityEntry{Quantity::refused_wait, "futex wait, refused (EAGAIN)"},
    QuantityEntry{Quantity::same_cpu_hop, "futex ping-pong on one CPU, one way"},
    QuantityEntry{Quantity::wake_recent, "futex wake-up, asleep 20 us"},
    QuantityEntry{Quantity::wake_50us, "futex wake-up, asleep 50 us"},
    QuantityEntry{Quantity::wake_1ms, "futex wake-up, asleep 1 ms"},
    QuantityEntry{Quantity::wake_busy, "futex wake-up, beside a spinner"},
    QuantityEntry{Quantity::wake_cost, "futex wake, cost to the waker"},
    QuantityEntry{Quantity::yield, "sched_yield alone"},
    QuantityEntry{Quantity::context_switch, "context switch"},
    QuantityEntry{Quantity::slice_2, "time slice, 2 spinners"},
    QuantityEntry{Quantity::slice_3, "time slice, 3 spinners"},
    QuantityEntry{Quantity::overshoot_50us, "sleep of 50 us, overshoot"},
    QuantityEntry{Quantity::overshoot_1ms, "sleep of 1 ms, overshoot"},
};

constexpr const QuantityEntry& entry_of(Quantity quantity) { return quantities[static_cast<std::size_t>(quantity)]; }
static_assert([] {
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    if (quantities[i].quantity != static_cast<Quantity>(i)) { return false; }
  }
  return true;
}());

struct Observation {
  double value = 0;
  double line_ns = 0;     // what the guards around it said; 0: there were none
  double lost_share = 0;  // of the CPUs' time around it, to others
};

// What the observations of one quantity and distance come to.
struct Conclusion {
  Spread spread;
  bool quiet = true;         // false: too few were undisturbed, so the least disturbed third was taken
  std::size_t left_out = 0;  // disturbed, or of another regime
};

class Findings {
 public:
  // Values that are no numbers are dropped: they were not measured.
  void add(Quantity quantity, Distance distance, const Observation& observation);

  [[nodiscard]] bool has(Quantity quantity, Distance distance) const;
  [[nodiscard]] const std::vector<Observation>& observations(Quantity quantity, Distance distance) const;
  [[nodiscard]] std::vector<Regime> regimes(Distance distance) const;  // of the ping-pong
  // Of quantities that depend on the line, only what belongs to the main regime. samples == 0: nothing measured.
  [[nodiscard]] Conclusion conclude(Quantity quantity, Distance distance) const;

 private:
  std::map<std::pair<Quantity, Distance>, std::vector<Observation>> observations_;
};

// Where quantities that need no pair are filed.
inline constexpr Distance nowhere = Distance::same_core;

}  // namespace lockcast::probe
