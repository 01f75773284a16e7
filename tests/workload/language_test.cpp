// The language of workloads, where it is easy to get wrong: what may be held where, fractional rounds, conflicts,
// inclusion, and the dimensions of a scenario. Every refusal says where and what was expected.

#include "sim/workload/language.hpp"

#include "models/check.hpp"
#include "sim/locks/lock_list.hpp"
#include "sim/workload/compile.hpp"
#include "sim/workload/library.hpp"
#include "sim/workload/scenario.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace lockcast::language_test {
namespace {

namespace fs = std::filesystem;

template <class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const InputError& error) { return error.what(); }
  return "(none)";
}

Program compiled(const std::string& text) { return compile(yaml::parse_text(text, "w"), 4); }
std::string refusal(const std::string& text) {
  return complaint([&] { compiled(text); });
}

const std::string locks =
    "locks: {row: {kind: row-lock, count: 8}, lw: {kind: lwlock-9.1}, spin: {kind: ttas, count: 2}}\n";

std::vector<Opcode> codes(const Program& program) {
  std::vector<Opcode> result;
  for (const Op& op : program.code) { result.push_back(op.code); }
  return result;
}

// --- The table of steps

TEST(Steps, are_those_of_the_table) {
  std::string all;
  for (const yaml::Key& key : step_table.keys) {
    const std::string name(key.name);
    EXPECT_EQ(refusal("transaction: [{" + name + ": ~}]").find("unknown operation"), std::string::npos) << name;
    all += " " + name;
  }
  const std::string unknown = refusal("transaction: [{dance: 1}]");
  for (const yaml::Key& key : step_table.keys) {
    EXPECT_NE((unknown + " ").find(" " + std::string(key.name) + " "), std::string::npos) << key.name << " " << unknown;
  }
  const auto words = std::count(all.begin(), all.end(), ' ');
  const std::string list = unknown.substr(unknown.find("one of ") + 7);
  EXPECT_EQ(std::count(list.begin(), list.end(), ' '), words) << "and roundtrip, which is a word: " << unknown;
}

// --- Delegation

const std::string committing =
    "lines: {proc: {count: 8, stride: 64 B}}\n"
    "locks: {flex: {kind: flexlock-procarray}, lw: {kind: lwlock-9.1}}\n";

TEST(Delegation, is_an_acquisition_where_the_kind_cannot_do_better) {
  const std::string steps =
      "procedures: {clear: [{touch: {lines: proc, pick: own, access: write}}, {work: 50 ns}]}\n"
      "transaction: [{delegate: {lock: ";
  EXPECT_EQ(codes(compiled(committing + steps + "lw, do: [{call: clear}]}}]\n")),
            (std::vector{Opcode::acquire, Opcode::touch, Opcode::work, Opcode::release}));
  const Program program = compiled(committing + steps + "flex, do: [{call: clear}]}}, {work: 1 us}]\n");
  EXPECT_EQ(codes(program), (std::vector{Opcode::delegate, Opcode::touch, Opcode::work, Opcode::work}));
  EXPECT_EQ(program.code[0].target, 3U) << "its own backend goes on behind the steps";
  EXPECT_EQ(program.locks[0].delegated_begin, 1U);
  EXPECT_EQ(program.locks[0].delegated_end, 3U);
}

TEST(Delegation, may_stand_in_several_places_with_the_same_steps) {
  const Program program = compiled(committing +
                                   "procedures: {clear: [{touch: {lines: proc, pick: own, count: 2, access: write}}],\n"
                                   "             end: [{delegate: {lock: flex, do: [{call: clear}]}}]}\n"
                                   "transaction: [{call: end}, {delegate: {lock: flex, do: [{call: clear}]}}]\n");
  EXPECT_EQ(codes(program), (std::vector{Opcode::delegate, Opcode::touch, Opcode::delegate, Opcode::touch}));
  EXPECT_EQ(program.locks[0].delegated_end, 2U);
}

TEST(Delegation, is_refused_for_what_nobody_else_can_do) {
  const std::string only =
      "steps that only their own backend can do cannot be delegated; expected only work, and touch";
  const std::vector<std::pair<std::string, std::string>> table{
      {"{delegate: {lock: flex, do: [{touch: {lines: proc, pick: uniform, access: write}}]}}", only},
      {"{delegate: {lock: lw, do: [{touch: {lines: proc, pick: sticky, access: write}}]}}", only},
      {"{delegate: {lock: flex, do: [{acquire: {lock: lw}}, {release: lw}]}}", only},
      {"{delegate: {lock: flex, do: [{choose: {probability: 0.5, do: [{work: 1 ns}]}}]}}", only},
      {"{delegate: {lock: flex, do: [roundtrip]}}", "a round trip while holding 'flex'"},
      {"{delegate: {lock: flex, do: [{release: flex}]}}", "'flex' is released here but acquired outside"},
      {"{delegate: {lock: flex, do: [{delegate: {lock: flex, do: []}}]}}", "'flex' is already held"},
      {"{delegate: {lock: flex, do: [{work: 1 ns}]}}, {delegate: {lock: flex, do: [{work: 2 ns}]}}",
       "other steps are delegated to 'flex' elsewhere"},
      {"{delegate: {lock: flex}}", "missing key 'do' in delegate"},
      {"{delegate: {lock: flex, do: [], mode: shared}}", "unknown key 'mode' in delegate"},
  };
  for (const auto& [steps, message] : table) {
    const std::string refused = refusal(committing + "transaction: [" + steps + "]\n");
    EXPECT_NE(refused.find(message), std::string::npos) << steps << "\n" << refused;
  }
}

// --- Locks held to commit ---

TEST(HeldToCommit, a_row_may_stay_locked_over_round_trips_and_be_released_by_another_procedure) {
  const Program program = compiled(locks +
                                   "procedures:\n"
                                   "  update: [{acquire: {lock: row, pick: uniform}}, {work: 1 us}]\n"
                                   "  commit: [{acquire: {lock: lw}}, {release: row}, {release: lw}]\n"
                                   "transaction: [{call: update}, roundtrip, {call: commit}]\n");
  EXPECT_EQ(codes(program), (std::vector{Opcode::acquire, Opcode::work, Opcode::roundtrip, Opcode::acquire,
                                         Opcode::release, Opcode::release}));
  EXPECT_TRUE(program.code[0].to_commit);
  EXPECT_FALSE(program.code[3].to_commit);
  EXPECT_TRUE(program.code[4].to_commit);
}

struct Refused {
  std::string steps;  // of the transaction, or more keys
  std::string message;
};

TEST(HeldToCommit, whoever_holds_too_long_or_on_one_branch_only_is_refused) {
  const std::vector<Refused> table{
      {"transaction: [{acquire: {lock: row, pick: own}}, roundtrip]\n", "'row' is acquired here and never released"},
      {"transaction: [{acquire: {lock: lw}}, roundtrip, {release: lw}]\n", "a round trip while holding 'lw'"},
      {"transaction: [{choose: {probability: 0.5, do: [{acquire: {lock: row, pick: own}}]}}, {release: row}]\n",
       "'row' is acquired here and never released"},
      {"transaction: [{acquire: {lock: row, pick: own}}, {choose: {probability: 0.5, do: [{release: row}]}}]\n",
       "'row' is released here but acquired outside"},
      {"transaction: [{acquire: {lock: lw}}, {choose: {probability: 0.5, do: [{release: lw}]}}]\n",
       "'lw' is released here but acquired outside"},
      {"transaction: [{acquire: {lock: lw}}, {repeat: {times: 2, do: [{release: lw}]}}]\n",
       "'lw' is released here but acquired outside"},
      {"procedures: {p: [{release: lw}]}\ntransaction: [{acquire: {lock: lw}}, {call: p}]\n",
       "'lw' is released here but acquired outside"},
      {"procedures: {p: [{acquire: {lock: lw}}]}\ntransaction: [{call: p}, {release: lw}]\n",
       "'lw' is acquired here and never released"},
      {"procedures: {p: [{acquire: {lock: row, pick: own}}]}\ntransaction: [{call: p}, {call: p}]\n",
       "'row' is already held"},
  };
  for (const Refused& row : table) {
    const std::string message = refusal(locks + row.steps);
    EXPECT_NE(message.find(row.message), std::string::npos) << row.steps << message;
    EXPECT_TRUE(message.starts_with("w:")) << message;
  }
}

// --- Fields of arrays, for reports ---

TEST(Fields, are_names_of_offsets_in_an_entry) {
  const Program program = compiled(
      "lines: {a: {count: 4, stride: 12 B, fields: [xid: 0 B, xmin: 4 B, nxids: 11 B]}}\n"
      "transaction: [{work: 1 us}]\n");
  const std::vector<NamedField>& fields = program.arrays[0].fields;
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[1].name, "xmin");
  EXPECT_EQ(fields[1].offset, 4U);
  EXPECT_EQ(fields[2].offset, 11U);
}

TEST(Fields, are_read_strictly) {
  const std::vector<Refused> table{
      {"[xid: 12 B]", "w:1:51: offset of a field '12 B': out of bounds; expected 0 B to 11 B"},
      {"[xid: -1 B]", "w:1:51: offset of a field '-1 B'"},
      {"[xid: 4]", "w:1:51: offset of a field '4': missing unit; expected"},
      {"[xid: 4 ns]", "w:1:51: offset of a field '4 ns': unknown unit 'ns'; expected"},
      {"[xid: 0 B, xmin: 4 B, xid: 8 B]", "w:1:67: 'xid' stands here twice"},
      {"[{xid: 0 B, xmin: 4 B}]", "w:1:46: a field is a name and its offset; expected [NAME: 44 B, NAME: 48 B]"},
      {"[xid]", "w:1:46: a field is a name and its offset"},
      {"{xid: 0 B}", "w:1:45: fields must be a list; expected [NAME: 44 B, NAME: 48 B]"},
  };
  for (const Refused& row : table) {
    const std::string message =
        refusal("lines: {a: {count: 4, stride: 12 B, fields: " + row.steps + "}}\ntransaction: [{work: 1 us}]\n");
    EXPECT_TRUE(message.starts_with(row.message)) << row.steps << ": " << message;
  }
}

// --- Conflicts ---

TEST(Conflict, its_steps_stand_between_a_try_and_an_acquisition_of_the_same_element) {
  const Program program = compiled(locks +
                                   "transaction: [{acquire: {lock: row, pick: uniform, conflict: [{work: 3 us}]}},"
                                   " {work: 1 us}, {release: row}]\n");
  EXPECT_EQ(codes(program),
            (std::vector{Opcode::try_acquire, Opcode::work, Opcode::acquire, Opcode::work, Opcode::release}));
  EXPECT_EQ(program.code[0].target, 3U) << "a try that succeeds skips the conflict and the acquisition";
  EXPECT_EQ(program.code[0].pick, Pick::uniform);
  EXPECT_EQ(program.code[2].pick, Pick::sticky);
  EXPECT_TRUE(program.code[2].to_commit);
}

TEST(Conflict, is_refused_where_it_cannot_be) {
  EXPECT_NE(refusal(locks + "transaction: [{acquire: {lock: lw, conflict: [{work: 1 us}]}}, {release: lw}]\n")
                .find("w:2:46: lock kind 'lwlock-9.1' cannot be tried"),
            std::string::npos);
  EXPECT_NE(refusal(locks + "transaction: [{acquire: {lock: row, pick: own, conflict: [{acquire: {lock: lw}}]}},"
                            " {release: row}, {release: lw}]\n")
                .find("'lw' is acquired here and never released"),
            std::string::npos);
  EXPECT_NE(refusal(locks + "transaction: [{acquire: {lock: row, pick: own, conflict:"
                            " [{acquire: {lock: row, pick: own}}]}}, {release: row}]\n")
                .find("'row' is already held"),
            std::string::npos);
}

// --- What stands for more than it is ---

TEST(Stand, a_bundle_is_one_entry_of_many_pieces_touched_as_a_whole) {
  const Program program = compiled(
      "constants: {moved: {value: 68, interval: [60, 70], range: [20, 100], origin: assumed,"
      " reference: test}}\n"
      "lines: {kernel: {count: 4, stride: 128 B, bundle: $moved}}\n"
      "transaction: [{touch: {lines: kernel, pick: uniform, access: write}}]\n");
  EXPECT_EQ(program.arrays[0].stride, 68U * 128U);
  EXPECT_EQ(program.arrays[0].bundle, 68U);
  EXPECT_TRUE(program.code[0].is_run);
  ASSERT_EQ(program.runs.size(), 1U);
  EXPECT_EQ(program.runs[0].field.bytes, 128U);
}

TEST(Stand, a_bundle_has_no_parts) {
  const std::string bundle = "lines: {a: {count: 4, stride: 128 B, bundle: 2}}\ntransaction: ";
  EXPECT_NE(refusal(bundle + "[{touch: {lines: a, pick: own, field: {offset: 0 B, bytes: 4 B}, access: read}}]\n")
                .find("the pieces of 'a' always move together"),
            std::string::npos);
  EXPECT_NE(refusal(bundle + "[{scan: {lines: a, fields: [{offset: 0 B, bytes: 4 B}], access: read,"
                             " work_per_entry: 1 ns}}]\n")
                .find("the pieces of 'a' always move together; expected a touch"),
            std::string::npos);
}

TEST(Stand, locks_stand_for_more_than_there_are) {
  const std::string rest = "}}\ntransaction: [{acquire: {lock: l, pick: uniform}}, {release: l}]\n";
  EXPECT_TRUE(compiled("locks: {l: {kind: tas, count: 8, stands_for: 9" + rest).locks[0].apart);
  EXPECT_FALSE(compiled("locks: {l: {kind: tas, count: 8" + rest).locks[0].apart);
  EXPECT_NE(refusal("locks: {l: {kind: tas, count: 8, stands_for: 8" + rest).find("8 locks cannot stand for 8"),
            std::string::npos);
}

// Four backends. Entries nearer than a line of any machine are not their owners' alone.
TEST(Stand, what_only_its_owner_takes_or_touches_is_apart) {
  const auto lock_is_apart = [](const std::string& lock, const std::string& acquire) {
    return compiled("lines: {a: {count: 4, stride: 64 B}}\nlocks: {l: {kind: tas" + lock + "}}\ntransaction: [" +
                    acquire + ", {release: l}]\n")
        .locks[0]
        .apart;
  };
  const std::string own = "{acquire: {lock: l, pick: own}}";
  EXPECT_TRUE(lock_is_apart(", count: 4", own));
  EXPECT_FALSE(lock_is_apart(", count: 3", own)) << "two backends share one";
  EXPECT_FALSE(lock_is_apart(", count: 4, at: {lines: a}", own)) << "two share a line of 128 B";
  EXPECT_FALSE(lock_is_apart(", count: 4", own + ", {release: l}, {acquire: {lock: l, pick: uniform}}"));
  const auto touch_is_apart = [](const std::string& stride) {
    return compiled("lines: {a: {count: 4, stride: " + stride + "}}\ntransaction: [{touch: {lines: a, pick: own," +
                    " access: write}}]\n")
        .code[0]
        .apart;
  };
  EXPECT_TRUE(touch_is_apart("128 B"));
  EXPECT_FALSE(touch_is_apart("64 B"));
}

// --- Fractional rounds ---

Op first_op(const std::string& times) {
  return compiled("transaction: [{repeat: {times: " + times + ", do: [{work: 1 us}]}}, {work: 1 us}]\n").code[0];
}

TEST(Rounds, are_whole_with_one_more_at_random_for_the_fraction) {
  const Op whole = first_op("6");
  EXPECT_EQ(whole.count, 6U);
  EXPECT_EQ(whole.threshold, 0U) << "no random number is drawn for whole rounds";
  const Op mixed = first_op("6.5");
  EXPECT_EQ(mixed.count, 6U);
  EXPECT_EQ(mixed.threshold, std::uint64_t{1} << 31U);
  const Op rare = first_op("0.25");
  EXPECT_EQ(rare.count, 0U);
  EXPECT_EQ(rare.threshold, std::uint64_t{1} << 30U);
  EXPECT_EQ(rare.target, 3U) << "no round at all continues after the loop";
  EXPECT_EQ(first_op("0").code, Opcode::work) << "never run, so not there";
}

TEST(Rounds, have_limits) {
  for (const char* times : {"-1", "1000001", "two", "1 us"}) {
    EXPECT_NE(refusal("transaction: [{repeat: {times: " + std::string(times) + ", do: [{work: 1 us}]}}]\n")
                  .find("expected a number from 0 to 1"),
              std::string::npos)
        << times;
  }
}

// --- Inclusion and dimensions: files in a folder of their own ---

class Files : public testing::Test {
 protected:
  Files() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::string write_include(const std::string& name, const std::string& keys) const {
    return write(name, "schema: lockcast/include/1\nsummary: s\n" + keys);
  }
  std::string write_library(const std::string& keys) const {
    return write("w.yaml", "schema: lockcast/workload/1\nworkload: w\nsummary: s\n" + keys);
  }
  Scenario load(const std::string& keys) const {
    const std::string path = write("x.yaml",
                                   "schema: lockcast/scenario/1\nname: x\nquestion: q\nmachine: textbook-32\n"
                                   "clients: [1, 2]\n" +
                                       keys);
    return load_scenario(path, {}, {LOCKCAST_SOURCE_DIR});
  }
  std::string refusal_of_library(const std::string& keys) const {
    const std::string path = write_library(keys);
    return without_folder(complaint([&] { read_library(yaml::parse_file(path)); }));
  }
  std::string refusal_of_scenario(const std::string& keys) const {
    return without_folder(complaint([&] { load(keys); }));
  }
  [[nodiscard]] std::string without_folder(std::string text) const {
    const std::string prefix = folder_.string() + "/";
    for (std::size_t at = 0; (at = text.find(prefix)) != std::string::npos;) { text.erase(at, prefix.size()); }
    return text;
  }

 private:
  fs::path folder_ =
      fs::path(testing::TempDir()) /
      ("lockcast_language_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

class Include : public Files {};

TEST_F(Include, adds_what_is_included_before_the_own_and_in_the_order_of_the_files) {
  write_include("inner.yaml", "lines: {a: {count: 1, stride: 64 B}}\nprocedures: {pa: [{work: $t}]}\n");
  write_include("outer.yaml",
                "include: [inner.yaml]\nlines: {b: {count: 2, stride: 64 B}}\nvariants: {v: {spin: ttas-in-tas}}\n");
  const std::string path = write_library(
      "include: [outer.yaml]\nlines: {c: {count: 3, stride: 64 B}}\n"
      "constants: {t: {value: 1 us, interval: [1 us, 1 us], range: [1 us, 1 us], origin: assumed, reference: r}}\n"
      "transaction: [{call: pa}]\nvariants: {w: {}}\n");
  const Library library = read_library(yaml::parse_file(path));
  const Program program = compile(library.workload, 1);
  ASSERT_EQ(program.arrays.size(), 3U);
  EXPECT_EQ(program.arrays[0].name + program.arrays[1].name + program.arrays[2].name, "abc");
  EXPECT_NE(library.variants.find("v"), nullptr);
  EXPECT_NE(library.variants.find("w"), nullptr);
}

TEST_F(Include, refuses_cycles_doubles_and_what_is_no_include_file_and_says_where) {
  write_include("self.yaml", "include: [self.yaml]\n");
  write_include("ping.yaml", "include: [pong.yaml]\n");
  write_include("pong.yaml", "include: [ping.yaml]\n");
  write_include("a.yaml", "procedures: {p: [{work: 1 us}]}\nspin: tas\n");
  write_include("same.yaml", "procedures: {p: [{work: 2 us}]}\n");
  write_include("t.yaml", "transaction: [{work: 1 us}]\n");
  write_include("typo.yaml", "procedure: {}\n");
  const std::vector<Refused> table{
      {"include: [self.yaml]\n", "self.yaml:3:11: files include each other in a cycle: w.yaml -> self.yaml -> "},
      {"include: [ping.yaml]\n", "pong.yaml:3:11: files include each other in a cycle: w.yaml -> ping.yaml -> "},
      {"include: [w.yaml]\n", "w.yaml:4:11: files include each other in a cycle: w.yaml -> w.yaml"},
      {"include: [a.yaml, a.yaml]\n", "w.yaml:4:19: 'a.yaml' is included twice; expected each file once"},
      {"include: [a.yaml, ./a.yaml]\n", "w.yaml:4:19: './a.yaml' is included twice"},
      {"include: [none.yaml]\n", "w.yaml:4:11: there is no file 'none.yaml' to include"},
      {"include: a.yaml\n", "w.yaml:4:10: include 'a.yaml': not a sequence"},
      {"include: [a.yaml]\nprocedures: {p: []}\n", "w.yaml:5:14: 'p' is already defined at a.yaml:3:14"},
      {"include: [a.yaml, same.yaml]\n", "same.yaml:3:14: 'p' is already defined at a.yaml:3:14"},
      {"include: [a.yaml]\nspin: tas\n", "w.yaml:5:1: 'spin' is already defined at a.yaml:4:7"},
      {"include: [t.yaml]\n", "t.yaml:3:1: unknown key 'transaction' in include file"},
      {"include: [typo.yaml]\n", "typo.yaml:3:1: unknown key 'procedure' in include file"},
  };
  for (const Refused& row : table) {
    const std::string message = refusal_of_library(row.steps);
    EXPECT_TRUE(message.starts_with(row.message)) << row.steps << message;
  }
}

class Base : public Files {
 protected:
  Base() {
    write("old.yaml",
          "schema: lockcast/workload/1\nworkload: old\nsummary: s\n"
          "constants: {t: {value: 1 us, interval: [1 us, 1 us], range: [1 us, 1 us], origin: assumed, reference: r}}\n"
          "locks: {a: {kind: tas}, b: {kind: tas}}\n"
          "procedures: {p: [{work: 1 us}], q: [{work: $t}]}\n"
          "variants: {split: {locks: {a: {count: 4}}}, fast: {procedures: {p: []}}, other: {}}\n"
          "tables: {plain: {}}\n"
          "transaction: [{call: p}, {call: q}]\n");
  }
};

TEST_F(Base, is_taken_with_some_of_its_variants_and_without_what_is_no_more_and_changed_key_by_key) {
  const std::string path = write_library(
      "base: {file: old.yaml, with: [split], without: {locks: [b], constants: [t]}, variants: [fast]}\n"
      "locks: {a: {kind: ttas}}\nlines: {b: {count: 1, stride: 64 B}}\n"
      "procedures: {q: [{touch: {lines: b, access: write}}]}\nvariants: {new: {}}\ntables: {more: {}}\n");
  const Library library = read_library(yaml::parse_file(path));
  EXPECT_EQ(library.name, "w");
  const Program program = compile(library.workload, 1);
  ASSERT_EQ(program.locks.size(), 1U) << "b is an array of lines now";
  EXPECT_EQ(program.locks[0].count, 4U) << "of the variant";
  EXPECT_EQ(AllLocks::traits[program.locks[0].kind].name, "ttas") << "the library's own";
  ASSERT_EQ(program.arrays.size(), 1U);
  std::string names;
  for (const yaml::Entry& entry : library.variants.entries) { names += entry.key + " "; }
  EXPECT_EQ(names, "fast new ");
  EXPECT_NE(library.tables.find("plain"), nullptr);
  EXPECT_NE(library.tables.find("more"), nullptr);
}

TEST_F(Base, may_have_a_base_itself_in_another_folder_and_what_is_included_is_part_of_the_difference) {
  write_include("change.yaml", "procedures: {p: [{work: 1 us}, {work: 1 us}]}\n");
  const std::string newer = write("newer.yaml",
                                  "schema: lockcast/workload/1\nworkload: newer\nsummary: s\n"
                                  "base: {file: old.yaml, variants: [other]}\ninclude: [change.yaml]\n");
  fs::create_directories(fs::path(newer).parent_path() / "sub");
  const std::string path = write("sub/newest.yaml",
                                 "schema: lockcast/workload/1\nworkload: newest\nsummary: s\n"
                                 "base: {file: ../newer.yaml, variants: [other]}\nspin: ttas-in-tas\n");
  const Library library = read_library(yaml::parse_file(path));
  EXPECT_EQ(compile(library.workload, 1).code.size(), 3U);
  EXPECT_NE(library.variants.find("other"), nullptr);
}

TEST_F(Base, refuses_cycles_and_names_that_are_not_there_and_says_where) {
  write("x.yaml", "schema: lockcast/workload/1\nworkload: x\nsummary: s\nbase: {file: y.yaml}\n");
  write("y.yaml", "schema: lockcast/workload/1\nworkload: y\nsummary: s\nbase: {file: x.yaml}\n");
  write_include("i.yaml", "procedures: {p: []}\n");
  const std::vector<Refused> table{
      {"base: {file: none.yaml}\n", "w.yaml:4:14: there is no file 'none.yaml' to be the base; expected a path"},
      {"base: {file: w.yaml}\n", "w.yaml:4:14: libraries are each other's base in a cycle: w.yaml -> w.yaml"},
      {"base: {file: x.yaml}\n", "y.yaml:4:14: libraries are each other's base in a cycle: w.yaml -> x.yaml -> y.yaml"},
      {"base: old.yaml\n", "w.yaml:4:7: base 'old.yaml': not a map"},
      {"base: {files: old.yaml}\n", "w.yaml:4:7: missing key 'file' in base; is 'files' a misspelling"},
      {"base: {file: i.yaml}\n", "i.yaml:1:9: unknown schema 'lockcast/include/1'; expected lockcast/workload/1"},
      {"base: {file: old.yaml, with: [splat]}\n", "w.yaml:4:31: 'splat' is not among the workload's variants"},
      {"base: {file: old.yaml, with: {v: {}}}\n", "w.yaml:4:30: with"},
      {"base: {file: old.yaml, variants: [fats]}\n", "w.yaml:4:35: 'fats' is not among the workload's variants"},
      {"base: {file: old.yaml, variants: [fast]}\nvariants: {fast: {}}\n", "w.yaml:5:12: 'fast' is already a variant"},
      {"base: {file: old.yaml, without: {locks: [c]}}\n", "w.yaml:4:42: the base has no 'c' among its locks"},
      {"base: {file: old.yaml, without: {slru: [c]}}\n", "w.yaml:4:41: the base has no 'c' among its slru"},
      {"base: {file: old.yaml, without: {lock: [a]}}\n", "w.yaml:4:34: unknown key 'lock' in without"},
  };
  for (const Refused& row : table) {
    const std::string message = refusal_of_library(row.steps);
    EXPECT_TRUE(message.starts_with(row.message)) << row.steps << message;
  }
}

class Extend : public Files {
 protected:
  const std::string program_ =
      "procedures: {p: [{work: 1 us}], hook: [{work: 2 us}]}\ntransaction: [{call: p}, {call: p}]\n";
};

TEST_F(Extend, does_its_steps_whenever_the_procedure_ends_and_a_variant_may_take_them_away) {
  const Scenario scenario = load(program_ +
                                 "extend: {p: [{call: hook}, {work: 3 us}]}\nvariants: {with: {}, "
                                 "without: {extend: {p: []}}, instead: {procedures: {p: []}}}\n");
  EXPECT_EQ(scenario.program({"with", 0, 1}).code.size(), 6U);
  EXPECT_EQ(scenario.program({"without", 0, 1}).code.size(), 2U);
  EXPECT_EQ(scenario.program({"instead", 0, 1}).code.size(), 4U) << "a hook outlives what it hooked into";
}

TEST_F(Extend, refuses_what_is_no_procedure_and_hooks_that_call_themselves) {
  const std::vector<Refused> table{
      {"extend: {pp: []}\n", "x.yaml:8:10: unknown procedure 'pp'; expected a name declared under procedures"},
      {"extend: [p]\n", "x.yaml:8:9: extend must be a map"},
      {"extend: {p: [{call: p}]}\n", "x.yaml:8:21: procedures call each other in a cycle: p -> p"},
      {"extend: {hook: [{acquire: {lock: L}}]}\nlocks: {L: {kind: tas}}\n",
       "x.yaml:8:16: 'L' is acquired here and never released"},
  };
  for (const Refused& row : table) {
    const std::string message = refusal_of_scenario(program_ + row.steps);
    EXPECT_TRUE(message.starts_with(row.message)) << row.steps << message;
  }
}

// The points of a scenario whose library knows two kinds of tables and two variants.
class Dimensions : public Files {
 protected:
  Dimensions() {
    write_library(
        "transaction: [{work: 1 us}]\n"
        "tables: {permanent: {}, unlogged: {transaction: [{work: 2 us}, {work: 2 us}]}}\n"
        "variants: {one: {}, two: {transaction: [{work: 3 us}, {work: 3 us}, {work: 3 us}]}}\n");
  }
  const std::string library_ = "workload: w.yaml\n";
};

TEST_F(Dimensions, tables_come_before_scale_and_clients_and_are_applied_before_variants) {
  const Scenario scenario = load(library_ + "tables: [unlogged, permanent]\nvariants: [one, two]\nscales: {5: {}}\n");
  const std::vector<Case> cases = scenario.cases();
  ASSERT_EQ(cases.size(), 8U);
  EXPECT_EQ(cases[0], (Case{"one", 5, 1, "unlogged"}));
  EXPECT_EQ(cases[1], (Case{"two", 5, 1, "unlogged"}));
  EXPECT_EQ(cases[2], (Case{"one", 5, 2, "unlogged"}));
  EXPECT_EQ(cases[4], (Case{"one", 5, 1, "permanent"}));
  EXPECT_EQ(scenario.program(cases[0]).code.size(), 2U);
  EXPECT_EQ(scenario.program(cases[1]).code.size(), 3U) << "the variant is laid over the tables";
  EXPECT_EQ(scenario.program(cases[4]).code.size(), 1U);
}

TEST_F(Dimensions, names_are_the_librarys_and_a_map_is_the_scenarios_own) {
  EXPECT_EQ(load(library_ + "variants: {mine: {transaction: [{work: 1 us}]}}\n").variants,
            std::vector<std::string>{"mine"});
  const std::vector<Refused> table{
      {"variants: [tow]\n",
       "x.yaml:7:12: 'tow' is not among the workload's variants; expected a name it defines, or several "
       "joined by '+'; did you mean 'two'?"},
      {"variants: [one+tow]\n", "x.yaml:7:12: 'tow' is not among the workload's variants"},
      {"variants: [one+]\n", "x.yaml:7:12: '' is not among the workload's variants"},
      {"variants: [one, one]\n", "x.yaml:7:17: 'one' stands here twice"},
      {"variants: []\n", "x.yaml:7:11: variants is empty"},
      {"tables: permanent\n", "x.yaml:7:9: tables must be a map"},
      {"tables: [one]\n", "x.yaml:7:10: 'one' is not among the workload's tables"},
      {"tables: {t: {lock: {}}}\n", "x.yaml:7:14: unknown key 'lock' in 't'; expected a key of a workload; did you "},
      {"tables: {'3': {}}\n", "x.yaml:7:10: tables '3': not a name"},
  };
  for (const Refused& row : table) {
    const std::string message = refusal_of_scenario(library_ + row.steps);
    EXPECT_TRUE(message.starts_with(row.message)) << row.steps << message;
  }
}

TEST_F(Dimensions, names_joined_by_a_plus_are_laid_over_each_other) {
  const Scenario scenario = load(library_ + "tables: [permanent, unlogged]\nvariants: [one+two, one]\n");
  EXPECT_EQ(scenario.variants, (std::vector<std::string>{"one+two", "one"}));
  const std::vector<Case> cases = scenario.cases();
  ASSERT_EQ(cases[0].variant, "one+two");
  ASSERT_EQ(cases[1].variant, "one");
  EXPECT_EQ(scenario.program(cases[0]).code.size(), 3U);
  EXPECT_EQ(scenario.program(cases[1]).code.size(), 1U);
}

TEST_F(Dimensions, measured_rows_find_their_point_by_tables_and_what_is_left_out_is_named) {
  write("m.csv",
        "series,machine,workload,tables,scale,variant,clients,role,tps,tps_low,tps_high\n"
        "s,textbook-32,w,permanent,5,one,1,calibrate,100,,\n"
        "s,textbook-32,w,unlogged,5,one,1,predict,200,,\n"
        "s,textbook-32,w,unlogged,5,other,1,predict,300,,\n");
  const std::string keys = library_ + "tables: [permanent, unlogged]\nvariants: [one]\nscales: {5: {}}\n";
  const Scenario scenario = load(keys + "measured: {file: m.csv, series: s, without: [other]}\n");
  ASSERT_EQ(scenario.measured.size(), 2U);
  EXPECT_EQ(scenario.measured.at({"one", 5, 1, "permanent"}).tps, 100);
  EXPECT_EQ(scenario.measured.at({"one", 5, 1, "unlogged"}).tps, 200);
  EXPECT_EQ(load(keys + "measured: {file: m.csv, series: s}\n").measured.size(), 3U);
  EXPECT_NE(refusal_of_scenario(keys + "measured: {file: m.csv, series: s, without: [othre]}\n")
                .find("no row of variant 'othre' to leave out"),
            std::string::npos);
}

}  // namespace
}  // namespace lockcast::language_test
