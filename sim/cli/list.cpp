// list [KIND...]: what can be named in files and on the command line.

#include "models/check.hpp"
#include "models/coherence/coherence.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/locks/lock_list.hpp"
#include "sim/report/text_table.hpp"

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

struct Operation {
  std::string_view example;
  std::string_view summary;
};

constexpr std::array operations{
    Operation{"work: 120 ns", "private work; {mean: 120 ns, spread: constant | uniform | exponential}"},
    Operation{"acquire: {lock: NAME}",
              "with mode: shared | exclusive, and pick: NUMBER | uniform | own | sticky | {like: GROUP}; of a row-lock "
              "or lwlock-9.5 also conflict: [steps], done before waiting"},
    Operation{"release: NAME", "in the same list of steps as its acquire; a row-lock anywhere before the end"},
    Operation{
        "delegate: {lock: NAME, do: [...]}",
        "acquire, steps, release; of a kind that can do so another backend may do them; only work and touch, with "
        "pick: own or a number"},
    Operation{"touch: {lines: NAME, access: write}",
              "one entry of an array, or count: N random ones; field: {offset, bytes}; pick as above"},
    Operation{"scan: {lines: NAME, ...}",
              "some fields of every entry; fields: [{offset, bytes}], access, work_per_entry, branch_misses"},
    Operation{"call: NAME", "the steps of a procedure"},
    Operation{"repeat: {times: 3, do: [...]}",
              "the same steps several times; 6.5: six times, and once more with probability 0.5"},
    Operation{"choose: {probability: 0.6, do: [...]}", "at random; with else: [...]"},
    Operation{"give_id: NAME", "the transaction gets its id from an slru"},
    Operation{"slru_lookup: {slru: NAME, ...}",
              "finds the page of an id; id: own | {age: N, spread}, access, do: [steps] under the control lock"},
    Operation{"log: {wal: NAME, bytes: 49 B}", "a record goes to the end of a write-ahead log"},
    Operation{"flush: {wal: NAME, to: pages}", "the disk writes full pages, or with to: inserted all there is"},
    Operation{"unless_flushed: {wal: NAME, ...}", "record: own | pages | inserted, do: [steps]"},
    Operation{"stamp: {versions: NAME}", "the own transaction, whose record is the last logged, has changed this row"},
    Operation{"visit: {versions: NAME, ...}",
              "steps for the row if it has no hint bit, and with every: N for every Nth from there; pick, do: [steps]"},
    Operation{"nap: 200 ms", "of a process: sleeps so long or until roused"},
    Operation{"rouse: PROCESS", "ends its nap"},
    Operation{"roundtrip", "reply to the client and wait for its next request"},
};

std::string machines_text() {
  TextTable table({{"machine", Align::left}, {"file", Align::left}, {"summary", Align::left}});
  for (const CatalogEntry& entry : catalog()) {
    if (entry.kind == FileKind::machine) { table.row({entry.name, entry.path, text_of(entry.document, "summary")}); }
  }
  return table.text();
}

std::string scenarios_text() {
  TextTable table(
      {{"scenario", Align::left}, {"machine", Align::left}, {"file", Align::left}, {"question", Align::left}});
  for (const CatalogEntry& entry : catalog()) {
    if (entry.kind != FileKind::scenario) { continue; }
    table.row({entry.name, text_of(entry.document, "machine"), entry.path, text_of(entry.document, "question")});
  }
  return table.text();
}

std::string studies_text() {
  TextTable table({{"study", Align::left}, {"file", Align::left}, {"question", Align::left}});
  for (const CatalogEntry& entry : catalog()) {
    if (entry.kind != FileKind::calibration && entry.kind != FileKind::study) { continue; }
    table.row({entry.name, entry.path, text_of(entry.document, "question")});
  }
  return table.text();
}

std::string locks_text() {
  TextTable table({{"lock kind", Align::left},
                   {"bytes"},
                   {"modes", Align::left},
                   {"spin test", Align::left},
                   {"summary", Align::left}});
  for (const LockTraits& lock : AllLocks::traits) {
    table.row({std::string(lock.name), std::to_string(lock.bytes),
               lock.has_shared_mode ? "shared, exclusive" : "exclusive", lock.has_spin_test ? "yes" : "-",
               std::string(lock.summary)});
  }
  return table.text();
}

std::string models_text() {
  TextTable table({{"coherence model", Align::left}, {"summary", Align::left}});
  for (const CoherenceModel& model : coherence_models) {
    table.row({std::string(model.name), std::string(model.summary)});
  }
  return table.text();
}

std::string operations_text_of_language() {
  TextTable table({{"operation", Align::left}, {"summary", Align::left}});
  for (const Operation& operation : operations) {
    table.row({std::string(operation.example), std::string(operation.summary)});
  }
  return table.text();
}

struct ListKind {
  std::string_view name;
  std::string (*text)();
};
constexpr std::array list_kinds{
    ListKind{"machines", &machines_text}, ListKind{"scenarios", &scenarios_text},
    ListKind{"studies", &studies_text},   ListKind{"locks", &locks_text},
    ListKind{"models", &models_text},     ListKind{"operations", &operations_text_of_language}};

const Command list_description{
    .usage = "list [machines|scenarios|studies|locks|models|operations]",
    .about = "Lists what can be named in files and on the command line; without an argument, all of it.",
    .options = {},
    .examples = "list scenarios\nlist locks\n",
    .operands_min = 0,
    .operands_max = 1};

}  // namespace

const Command& list_command() { return list_description; }

int list_verb(const std::vector<std::string>& arguments) {
  const Arguments given(list_description, arguments);
  if (given.help()) {
    print(help_text(list_description));
    return 0;
  }
  if (given.operands().empty()) {
    for (const ListKind& kind : list_kinds) {
      print(std::string(&kind == list_kinds.data() ? "" : "\n").append(kind.text()));
    }
    return 0;
  }
  const std::string& name = given.operands()[0];
  const auto found =
      std::find_if(list_kinds.begin(), list_kinds.end(), [&](const ListKind& kind) { return kind.name == name; });
  if (found == list_kinds.end()) {
    std::vector<std::string_view> known;
    for (const ListKind& kind : list_kinds) { known.push_back(kind.name); }
    throw InputError("cannot list " + yaml::quote(name) +
                         "; expected machines, scenarios, studies, locks, models or operations" +
                         did_you_mean(name, known),
                     ExitCode::usage);
  }
  print(found->text());
  return 0;
}

}  // namespace lockcast
