#pragma once
// What the backends of one server share beyond locks and lines: the state of the program's resources. It is read and
// changed only under the locks that the resources themselves take, so it is plain data in the simulator; natively it
// has no meaning yet, and programs that use it are refused.

#include "sim/workload/program.hpp"

#include <vector>

namespace lockcast {

struct Resources {
  Resources(const Program& program, std::uint64_t seed) {
    wals.resize(program.wals.size());
    for (const Versions& rows : program.versions) { versions.emplace_back(rows.count); }
    for (std::uint32_t i = 0; i < program.slrus.size(); ++i) { slrus.emplace_back(program.slrus[i], seed, i); }
  }

  std::vector<SlruCache> slrus;
  std::vector<WalState> wals;
  std::vector<VersionState> versions;
};

}  // namespace lockcast
