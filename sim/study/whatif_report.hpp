#pragma once
// A what-if in words, in JSON, and as rows; functions of the answer alone.

#include "sim/study/whatif.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

struct WhatIfReport {
  const WhatIfQuestion& question;
  const WhatIfOptions& options;
  const std::vector<Assignment>& sets;
  const WhatIf& answer;
  bool with_hops = false;
};

std::string as_table(const WhatIfReport& report, bool colour);
std::string as_json(const WhatIfReport& report, std::string_view version);

// What the tidy CSV has of every cell beyond the columns of a point.
inline constexpr std::string_view whatif_columns =
    "extrapolated,searched,open,knee_clients,resource,beyond,usl_tps,mva_tps,markov_tps,part";
// One line for each peak: the cells, then what was tried beside them to find the fix order.
std::vector<const PeakCell*> cells_of(const WhatIf& answer);
std::string whatif_columns_of(const WhatIfReport& report, const PeakCell& cell, bool is_mending);

// The answer to "what limits": one sentence that says whether a lock does.
std::string verdict_text(const PeakCell& cell);
// "1. clog32: +12 %, then queue of WALInsertLock limits"; fixes that bring nothing now and why they may later.
std::vector<std::string> fix_order_text(const WhatIfQuestion& question, const Mending& mending);

}  // namespace lockcast
