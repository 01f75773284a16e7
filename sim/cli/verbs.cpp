// The list of verbs, and the help that comes from it.

#include "sim/cli/verbs.hpp"

#include "models/check.hpp"
#include "sim/cli/output.hpp"
#include "sim/yaml/document.hpp"

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

constexpr std::array verbs{
    Verb{"simulate", "predict throughput for the points of a scenario", &simulate_verb, &simulate_command},
    Verb{"whatif", "other core counts, and which fix first: the peak of each, and what limits it", &whatif_verb,
         &whatif_command},
    Verb{"sweep", "predict many scenarios into one result file, a point at a time", &sweep_verb, &sweep_command},
    Verb{"validate", "run a scenario on this host and compare with its prediction", &validate_verb, &validate_command},
    Verb{"compare", "score forecasts against what was measured, beside simpler forecasters", &compare_verb,
         &compare_command},
    Verb{"report", "results as one page for a browser, or one figure as SVG", &report_verb, &report_command},
    Verb{"calibrate", "fit a few physical parameters on the rows that are for it, and on no others", &calibrate_verb,
         &calibrate_command},
    Verb{"probe", "measure this host and write its machine file", &probe_verb, &probe_command},
    Verb{"fit", "fit a law to measured curves: usl", &fit_verb, &fit_command},
    Verb{"check", "read machine, workload and scenario files and say what is wrong with them", &check_verb,
         &check_command},
    Verb{"list", "what there is: machines, scenarios, locks, models, operations", &list_verb, &list_command},
    Verb{"show", "a machine or a scenario in full: every number and where it comes from", &show_verb, &show_command},
    Verb{"import", "what people have already (pgbench, LWLOCK_STATS, hwloc, ...) as tables and machine files",
         &import_verb, &import_command},
    Verb{"schema", "the JSON Schema of machine, workload, scenario and study files", &schema_verb, &schema_command},
    Verb{"completion", "a script that lets bash, zsh or fish complete all of this", &completion_verb,
         &completion_command},
    Verb{"version", "print the version", &version_verb, &version_command},
};

std::string help() {
  std::string text =
      "Lockcast predicts how throughput changes when many backends fight over spinlocks and LWLocks: it simulates a\n"
      "scenario on a machine, cache line by cache line, and says what limits it.\n"
      "\n"
      "usage: lockcast VERB [ARGUMENTS]\n"
      "\n";
  for (const Verb& verb : verbs) {
    text.append("  ").append(verb.name).append(12 - verb.name.size(), ' ').append(verb.summary).append("\n");
  }
  return text +
         "\n"
         "'lockcast VERB --help' says more about one verb.\n"
         "\n"
         "examples:\n"
         "  lockcast list scenarios\n"
         "  lockcast simulate scenarios/published/hpux-spinlock.yaml --scale 100 --clients 1,32,48 --variant tas\n"
         "  lockcast whatif procarraylock-opteron --cores 8..256\n"
         "  lockcast show textbook-32\n"
         "\n"
         "Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad file, 4 this host cannot, 5 unfinished, 70 internal "
         "error,\n"
         "130 interrupted.\n";
}

const Verb& find_verb(const std::string& name) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
  if (found != verbs.end()) { return *found; }
  std::vector<std::string_view> known{"help"};
  for (const Verb& verb : verbs) { known.push_back(verb.name); }
  const std::string hint = did_you_mean(name, known);
  throw InputError("unknown verb " + yaml::quote(name) + (hint.empty() ? "; 'lockcast help' lists the verbs" : hint),
                   ExitCode::usage);
}

}  // namespace

std::span<const Verb> all_verbs() { return verbs; }

int run_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    print(help());
    return 0;
  }
  if (arguments[0] == "--version") { return version_verb({}); }
  if (arguments[0] == "help") {
    if (arguments.size() == 1) {
      print(help());
      return 0;
    }
    return find_verb(arguments[1]).run({"--help"});
  }
  return find_verb(arguments[0]).run({arguments.begin() + 1, arguments.end()});
}

}  // namespace lockcast
