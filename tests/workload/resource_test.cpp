// Resources in the language: what is refused, where, and what was expected.

#include "models/check.hpp"
#include "sim/workload/compile.hpp"
#include "sim/workload/free.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockcast::resource_test {
namespace {

Program compiled(const std::string& text) { return compile(yaml::parse_text(text, "w"), 4); }
std::string refusal(const std::string& text) {
  try {
    compiled(text);
  } catch (const InputError& error) { return error.what(); }
  return "(none)";
}

const std::string base =
    "lines: {numbers: {count: 8, stride: 8 B}, used: {count: 8, stride: 4 B}, few: {count: 3, stride: 8 B}}\n"
    "locks: {control: {kind: lwlock-9.1}, slots: {kind: lwlock-9.1, count: 8}, spin: {kind: tas}}\n";
std::string slru(const std::string& control, const std::string& slots, const std::string& numbers,
                 const std::string& rest) {
  return base + "slru: {S: {control: " + control + ", buffers: " + slots + ", page_numbers: " + numbers +
         ", used: used, ids_per_page: 32768, search: 1 ns, read: 20 us, write: 20 us" + rest + "}}\n";
}
const std::string good = slru("control", "slots", "numbers", ", history: 5");
const std::string give = "transaction: [{give_id: S}, ";

struct Refused {
  std::string text;
  std::string complaint;
};

TEST(SlruLanguage, refuses_what_makes_no_sense_and_says_where) {
  const std::string look = "{slru_lookup: {slru: S, id: own, access: read, do: []}}";
  for (const auto& [text, complaint] : {
           Refused{slru("spin", "slots", "numbers", ", history: 5") + give + look + "]",
                   "w:3:21: a lock of kind 'tas' cannot do this"},
           Refused{slru("slots", "slots", "numbers", ", history: 5") + give + look + "]",
                   "'slots' is an array of locks"},
           Refused{slru("control", "control", "numbers", ", history: 5") + give + look + "]",
                   "a lock for each slot, of which there are at least 2"},
           Refused{slru("control", "slots", "few", ", history: 5") + give + look + "]",
                   "'few' has 3 entries; expected one for each of the 8 slots"},
           Refused{slru("control", "slots", "numbers", "") + give + look + "]",
                   "either history: NUMBER of transactions, or elapsed: DURATION"},
           Refused{slru("control", "slots", "numbers", ", history: 5, elapsed: 1 s") + give + look + "]",
                   "how long has the run lasted?"},
           Refused{good + "transaction: [" + look + "]", "no transaction has an id of its own"},
           Refused{good + "transaction: [{give_id: T}, {work: 1 us}]", "unknown slru 'T'"},
           Refused{good + give + "{acquire: {lock: control}}, " + look + ", {release: control}]",
                   "'control' is already held"},
           Refused{good + give + "{slru_lookup: {slru: S, id: own, access: read, do: [{acquire: {lock: control}}]}}]",
                   "'control' is already held"},
           Refused{good + give + "{slru_lookup: {slru: S, id: mine, access: read, do: []}}]", "id"},
           Refused{good + give + "{slru_lookup: {slru: S, id: {age: 5}, access: read, do: []}}]", "spread"},
           Refused{good + give + "{slru_lookup: {slru: S, id: own, access: read, do: [roundtrip]}}]",
                   "a round trip while holding 'control'"},
       }) {
    EXPECT_NE(refusal(text).find(complaint), std::string::npos) << text << refusal(text);
  }
  EXPECT_EQ(refusal(good + give + look + "]"), "(none)");
}

TEST(SlruLanguage, the_lock_of_a_slot_is_what_one_waits_for_and_cannot_be_free) {
  Program program = compiled(good + give + "{slru_lookup: {slru: S, id: own, access: read, do: []}}]");
  EXPECT_TRUE(make_lock_free(program, "control"));
  EXPECT_TRUE(program.slrus.front().control_is_free);
  EXPECT_THROW(make_lock_free(program, "slots"), InputError);
}

const std::string log = good +
                        "wal: {W: {page: 8 KiB, sync: 1 ms, bytes_per_second: 1 MiB}}\n"
                        "versions: {rows: {count: 8, slru: S, wal: W, hint: at-once}}\n"
                        "processes: {writer: [{nap: 1 ms}]}\n";

TEST(WalLanguage, refuses_what_makes_no_sense_and_says_where) {
  const std::string visited = "{slru_lookup: {slru: S, id: visited, access: read, do: []}}";
  for (const auto& [text, complaint] : {
           Refused{log + give + visited + "]", "no row is visited here"},
           Refused{log + give + "{visit: {versions: rows, pick: 0, do: [{visit: {versions: rows, pick: 0, do: []}}]}}]",
                   "a visit within a visit"},
           Refused{log + give + "{visit: {versions: rows, pick: 0, every: 9, do: []}}]", "every"},
           Refused{log + give + "{visit: {versions: rows, do: []}}]", "which of 8?"},
           Refused{log + give + "{stamp: {versions: row, pick: 0}}]", "did you mean 'rows'"},
           Refused{log + "transaction: [{stamp: {versions: rows, pick: 0}}, {work: 1 us}]", "no transaction has an id"},
           Refused{log + give + "{nap: 1 ms}]", "a backend does not nap"},
           Refused{log + give + "{rouse: reader}]", "unknown processes 'reader'"},
           Refused{log + give + "{flush: {wal: W, to: own}}]", "own"},
           Refused{log + give + "{log: {wal: W, bytes: 49}}]", "bytes"},
           Refused{log + give + "{unless_flushed: {wal: W, record: own, do: [{acquire: {lock: spin}}]}}]",
                   "'spin' is acquired here and never released"},
           Refused{good + "processes: {writer: [{work: 1 us}]}\n" + give + "{work: 1 us}]", "'writer' never naps"},
           Refused{good + "processes: {writer: [{nap: 0 ms}]}\n" + give + "{work: 1 us}]", "a nap of no time"},
           Refused{good + "processes: {writer: [roundtrip, {nap: 1 ms}]}\n" + give + "{work: 1 us}]",
                   "a process has no client"},
           Refused{good + "processes: {writer: [{touch: {lines: few, pick: own, access: read}}, {nap: 1 ms}]}\n" +
                       give + "{work: 1 us}]",
                   "a process is no backend and has no number"},
           Refused{good + "versions: {rows: {count: 8, slru: S, wal: W, hint: at-once}}\n" + give + "{work: 1 us}]",
                   "unknown wal 'W'"},
       }) {
    EXPECT_NE(refusal(text).find(complaint), std::string::npos) << text << refusal(text);
  }
  EXPECT_EQ(refusal(log + give + "{visit: {versions: rows, pick: uniform, every: 2, do: [" + visited +
                    "]}}, {log: {wal: W, bytes: 49 B}}, {rouse: writer}]"),
            "(none)");
}

}  // namespace
}  // namespace lockcast::resource_test
