// Options that a verb does not declare are simply not given.

#include "sim/cli/run_options.hpp"

#include "sim/cli/values.hpp"

#include <algorithm>
#include <thread>

namespace lockcast {

namespace {

// Two hours in all keep every instant exact in SimGrid's clock.
constexpr Picos time_max = std::chrono::hours{1};
constexpr std::uint64_t jobs_max = 1024;

}  // namespace

std::vector<Option> selection_options() {
  return {{"tables", "A,B", "only these kinds of tables", true},
          {"variant", "A,B", "only these variants", true},
          {"scale", "N,M", "only these scales", true},
          {"clients", "LIST", "these client counts instead of the file's: 1,8,32 or 8..64..8", true},
          {"machine", "NAME", "another machine: a name from 'lockcast list machines', or a file"},
          {"set", "PATH=VALUE", "change one value of the scenario, machine.* or workload.*; see 'show'", true},
          {"no-fitted", "", "the hand-written values, without what 'calibrate' has found (NAME.fitted.yaml)"}};
}

std::vector<Option> run_options() {
  return {{"seed", "N", "of all random numbers (1)"},
          {"precision", "SHARE", "more replications until the interval is within +-SHARE, such as 3%"},
          {"warmup", "TIME", "simulated before anything counts (100 ms)"},
          {"measure", "TIME", "simulated and counted in each replication (1 s)"}};
}

Option jobs_option() { return {"jobs,j", "N", "worker processes (one per core of this host)"}; }

std::vector<Option> operator+(std::vector<Option> options, const std::vector<Option>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

PredictOptions predict_options_of(const Arguments& given) {
  PredictOptions options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  if (const auto text = given.value("jobs")) {
    options.jobs = static_cast<std::uint32_t>(read_number("jobs", *text, 1, jobs_max));
  }
  options.profile = given.has("explain");
  if (const auto text = given.value("seed")) { options.seed = read_number("seed", *text, 0, UINT64_MAX); }
  if (const auto text = given.value("precision")) { options.precision = read_share("precision", *text); }
  if (const auto text = given.value("warmup")) { options.warmup = read_time("warmup", *text, Picos{0}, time_max); }
  if (const auto text = given.value("measure")) {
    options.measured = read_time("measure", *text, Picos{1us}, time_max);
  }
  return options;
}

}  // namespace lockcast
