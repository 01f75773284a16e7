#pragma once
// What if the machine had more cores, and what if the workload were mended? For every core count and every variant the
// peak throughput, searched over client counts in short windows and simulated again in full ones; at some core counts
// every fix alone and together. All simulations see the same random numbers.
//
// Beside it what forecasters without a simulator would say: the USL through the peaks of machines that exist, mean
// value analysis of one client's demands, and for a spinlock the Markov model of non-scalable locks.

#include "sim/run/pool.hpp"
#include "sim/study/cores.hpp"
#include "sim/study/fixes.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockcast {

// What more of would help. Spinlocks, LWLocks and lines are locks here: they are mended in the program.
enum class Resource : std::uint8_t { lock, cores, client, network, disk, work, unknown };
inline constexpr std::array<std::string_view, 7> resource_names{
    "lock", "cores", "client", "network", "disk", "work of one backend", "unknown"};
Resource resource_of(const PointResult& point);

struct WhatIfOptions {
  PredictOptions search;               // short windows
  PredictOptions full;                 // of the peaks
  std::vector<std::uint32_t> clients;  // look at these only; empty: search the peak
  std::uint32_t clients_per_core_max = 8;
  // A larger machine does more in the same time: above so many cores half as long is measured.
  // 0: as long as on the others.
  std::uint32_t shorten_above = 0;

  [[nodiscard]] PredictOptions on(const PredictOptions& window, std::uint32_t cores) const;
};

// One core count: the scenario on that machine, loaded with every variant that is asked for.
struct WhatIfMachine {
  Scaling scaling;
  Scenario scenario;
};

struct WhatIfQuestion {
  std::vector<WhatIfMachine> machines;  // by cores
  std::string baseline;                 // variant, or empty: the scenario has none
  std::vector<Fix> fixes;
  std::vector<FixSet> asked;         // a cell for each core count and each of these; the first is the base, 0
  std::vector<std::size_t> mend_at;  // machines at which all fixes are tried alone and together
  std::string tables;                // of the points
  std::int64_t scale = 0;
};

struct Trial {
  double tps = 0;  // 0: no transaction finished in the window
  std::string limit;
  Resource resource = Resource::unknown;
};

struct Baselines {
  std::optional<double> usl;     // of the peak
  std::optional<double> mva;     // at the client count of the peak
  std::optional<double> markov;  // at the client count of the peak
};

struct PeakCell {
  std::size_t machine = 0;
  FixSet fixes = 0;
  std::string name;                       // of the variant
  std::map<std::uint32_t, Trial> trials;  // in short windows, by clients
  PointResult peak;                       // in full windows
  bool is_open = false;                   // the search ended at the most clients there may be
  std::optional<std::uint32_t> knee;
  Resource resource = Resource::lock;  // what limits at the peak
  // At the most clients that were looked at and finished anything; unknown: none did. Empty: there is none.
  std::string beyond;
  Resource beyond_resource = Resource::unknown;
  std::uint32_t beyond_clients = 0;
  double load_generator = 0;  // share of all cores that local clients take at the peak
  Baselines baselines;

  // What the peak is due to: where nothing is exhausted there, what comes next.
  [[nodiscard]] bool ends_by_what_is_beyond() const;
  [[nodiscard]] Resource verdict() const { return ends_by_what_is_beyond() ? beyond_resource : resource; }
  [[nodiscard]] const std::string& verdict_limit() const { return ends_by_what_is_beyond() ? beyond : peak.limit; }
};

struct Mending {
  std::size_t machine = 0;
  FixOrder order{0};
  std::map<FixSet, PeakCell> cells;
  std::map<FixSet, std::string> impossible;  // why: sets that are no sets of their own
};

struct WhatIf {
  std::vector<PeakCell> cells;  // by machine, then as asked
  std::vector<Mending> mendings;
  bool interrupted = false;
};

WhatIf ask(const WhatIfQuestion& question, const WhatIfOptions& options,
           const std::function<void(const Progress&)>& progress);

}  // namespace lockcast
