// Every transfer costs the same, whatever is asked, of whom, from where. With it a contended line is an M/D/1 server
// and the closed forms apply exactly.

#include "models/coherence/coherence.hpp"

namespace lockcast {

CostTable make_constant(const CoherenceParameters& parameters) {
  CostTable table;
  for (auto& operation : table.cost) {
    for (auto& state : operation) {
      state.fill(parameters.transfer[static_cast<std::size_t>(Distance::same_die)].value);
    }
  }
  return table;
}

}  // namespace lockcast
