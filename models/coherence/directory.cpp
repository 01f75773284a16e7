// Directory (or home-snoop) coherence: the home finds the owner, the owner sends the line. A clean line comes from the
// home's memory or a sharer, whichever is cheaper in the machine file. Leaves out directory-cache misses, which no
// measurement at hand separates from transfer time. Nagarajan et al., A Primer on Memory Consistency and Cache
// Coherence, 2nd ed., ch. 8.

#include "models/coherence/coherence.hpp"

#include <algorithm>

namespace lockcast {

CostTable make_directory(const CoherenceParameters& parameters) {
  CostTable table;
  for (std::size_t state = 0; state < line_state_count; ++state) {
    for (std::size_t d = 0; d < distance_count; ++d) {
      const bool same_core = d == static_cast<std::size_t>(Distance::same_core);
      // The last owner asking again (its copy became stale or shared): the home answers, which is never nearer than the
      // die.
      const std::size_t from = same_core ? static_cast<std::size_t>(Distance::same_die) : d;
      const bool from_memory = state == static_cast<std::size_t>(LineState::uncached);
      const bool shared =
          state == static_cast<std::size_t>(LineState::shared) || state == static_cast<std::size_t>(LineState::owned);
      const Picos supply = from_memory ? parameters.memory[from].value : parameters.transfer[from].value;
      const Picos takeover = from_memory ? supply : supply + parameters.write_extra[from].value;
      const Picos write = shared ? std::max(supply, parameters.invalidate[from].value) : takeover;
      table.cost[static_cast<std::size_t>(Operation::load)][state][d] = supply;
      table.cost[static_cast<std::size_t>(Operation::store)][state][d] = write;
      table.cost[static_cast<std::size_t>(Operation::atomic)][state][d] = write + parameters.atomic_extra.value;
    }
  }
  return table;
}

}  // namespace lockcast
