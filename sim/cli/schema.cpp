// schema KIND: for editors (yaml-language-server: $schema=...) and for other programs that write our files.

#include "models/check.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/study_file.hpp"
#include "sim/cli/values.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/report/json_schema.hpp"
#include "sim/study/calibration_study.hpp"
#include "sim/workload/language.hpp"

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

const Command schema_description{
    .usage = "schema machine|workload|scenario|study|fitted",
    .about =
        "Prints the JSON Schema (draft-07) of a kind of file, made from the tables its reader reads by. It knows "
        "keys,\n"
        "types, names and units; what depends on two values or on another file is said by 'lockcast check'. Load YAML\n"
        "as version 1.2, where on and off are words.",
    .options = {},
    .examples = "schema machine\nschema scenario\n",
    .operands_min = 1,
    .operands_max = 1};

constexpr std::array<std::string_view, 5> schema_kinds{"machine", "workload", "scenario", "study", "fitted"};

}  // namespace

const Command& schema_command() { return schema_description; }

int schema_verb(const std::vector<std::string>& arguments) {
  const Arguments given(schema_description, arguments);
  if (given.help()) {
    print(help_text(schema_description));
    return 0;
  }
  static const std::array<std::vector<const yaml::KeyTable*>, schema_kinds.size()> files{
      {{&yaml::machine_table},
       {&workload_file_table, &include_file_table},
       {&scenario_table},
       {&calibration_table, &study_table},
       {&yaml::overlay_table}}};
  const std::string& name = given.operands()[0];
  const auto kind = std::find(schema_kinds.begin(), schema_kinds.end(), name);
  if (kind == schema_kinds.end()) {
    throw InputError("no schema of " + yaml::quote(name) + "; expected machine, workload, scenario, study or fitted" +
                         did_you_mean(name, {schema_kinds.begin(), schema_kinds.end()}),
                     ExitCode::usage);
  }
  print(json_schema("Lockcast " + name, files[static_cast<std::size_t>(kind - schema_kinds.begin())]));
  return 0;
}

}  // namespace lockcast
