// A program runs on real memory and real threads: it ends, its transactions add up, its data does not touch its locks,
// and what this host cannot do is refused by name before anything runs. No test looks at how fast anything was.

#include "validate/native_run.hpp"

#include "models/check.hpp"
#include "sim/workload/compile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace lockcast::native_run_test {
namespace {

using std::chrono::milliseconds;

// An array, two locks inside it and one beside it; {} is the kind. Every transaction holds up to two locks at a time.
Program small_program(std::string_view kind, std::uint32_t backends) {
  const LockTraits& traits = *std::ranges::find(AllLocks::traits, kind, &LockTraits::name);
  const std::string name(kind);
  const std::string shared = traits.has_shared_mode ? ", mode: shared" : "";
  return compile(
      yaml::parse_text("lines:\n"
                       "  data: {count: 4, stride: 192 B}\n"
                       "  process: {count: clients, stride: 100 B}\n"
                       "waiter: {lines: process, waiting: 8 B, exclusive: 12 B, next: 20 B}\n"
                       "locks:\n"
                       "  inside: {kind: " +
                           name +
                           ", count: 2, at: {lines: data, entry: 1, offset: 64 B}}\n"
                           "  beside: {kind: " +
                           name +
                           "}\n"
                           "transaction:\n"
                           "  - work: {mean: 200 ns, spread: uniform}\n"
                           "  - acquire: {lock: inside, pick: uniform}\n"
                           "  - touch: {lines: data, pick: uniform, count: 3, access: write}\n"
                           "  - choose:\n"
                           "      probability: 0.5\n"
                           "      do:\n"
                           "        - acquire: {lock: beside}\n"
                           "        - touch: {lines: process, pick: own, access: write}\n"
                           "        - release: beside\n"
                           "      else:\n"
                           "        - acquire: {lock: beside" +
                           shared +
                           "}\n"
                           "        - scan: {lines: process, fields: [{offset: 0 B, bytes: 100 B}], access: read,\n"
                           "                 work_per_entry: 10 ns}\n"
                           "        - release: beside\n"
                           "  - release: inside\n"
                           "  - delegate: {lock: beside, do: [{touch: {lines: process, pick: own, access: write}}]}\n"
                           "  - repeat: {times: 3, do: [{touch: {lines: data, pick: own, access: read}}]}\n",
                       "small"),
      backends);
}

NativePointOptions short_run() {
  NativePointOptions options;
  options.seed = 3;
  options.warmup = milliseconds{2};
  options.epochs = 3;
  options.epoch = milliseconds{5};
  options.epochs_oversubscribed = 2;
  options.epoch_oversubscribed = milliseconds{10};
  options.polls_before_yield = 2000;
  return options;
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

class NativeRunOfEachLock : public testing::TestWithParam<std::string_view> {};

TEST_P(NativeRunOfEachLock, every_thread_comes_back_and_transactions_add_up) {
  const auto cpus = static_cast<std::uint32_t>(native_host().cpus.size());
  for (const std::uint32_t threads : {1U, 2U, cpus + 2}) {
    const NativePointOptions options = short_run();
    const NativePoint point = run_native(small_program(GetParam(), threads), WorkLoop(1000.0), options);
    EXPECT_EQ(point.threads, threads);
    EXPECT_EQ(point.cpus, cpus);
    EXPECT_EQ(point.epoch_tps.size(), threads > cpus ? options.epochs_oversubscribed : options.epochs);
    ASSERT_EQ(point.finished.size(), threads);
    // What was counted in the epochs is part of what the threads did from start to end.
    EXPECT_LE(point.transactions, sum(point.finished));
    for (const std::uint64_t finished : point.finished) { EXPECT_GT(finished, 0U); }
    EXPECT_GE(point.fairness, 0.0);
    EXPECT_LE(point.fairness, 1.0);
    EXPECT_EQ(point.transactions == 0, std::ranges::all_of(point.epoch_tps, [](double tps) { return tps == 0; }));
  }
}

std::vector<std::string_view> lock_names() {
  std::vector<std::string_view> names;
  for (const LockTraits& traits : AllLocks::traits) { names.push_back(traits.name); }
  return names;
}
std::string test_name(const testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(AllLocks, NativeRunOfEachLock, testing::ValuesIn(lock_names()), test_name);

TEST(NativeRun, conflicts_and_fractional_rounds_run_natively_too) {
  const Program program = compile(
      yaml::parse_text("locks: {row: {kind: row-lock, count: 2}, work: {kind: s_lock-9.2}}\n"
                       "procedures: {commit: [{release: row}]}\n"
                       "transaction:\n"
                       "  - acquire: {lock: row, pick: uniform, conflict: [{acquire: {lock: work}}, {release: work}]}\n"
                       "  - repeat: {times: 0.5, do: [{work: 1 us}]}\n"
                       "  - call: commit\n",
                       "rows"),
      4);
  const NativePoint point = run_native(program, WorkLoop(1000.0), short_run());
  ASSERT_EQ(point.finished.size(), 4U);
  for (const std::uint64_t finished : point.finished) { EXPECT_GT(finished, 0U); }
}

TEST(NativeRun, a_spinlock_alone_never_blocks_and_says_so) {
  const NativePoint point = run_native(small_program("ttas", 1), WorkLoop(1000.0), short_run());
  EXPECT_TRUE(point.spinning);
}

// --- Memory ---

// Which words of the program's memory a write of everything changes.
class ProgramMemoryTest : public testing::Test {
 protected:
  static constexpr std::uint32_t untouched = 0xabcdefU;

  explicit ProgramMemoryTest(std::string_view kind = "lwlock-9.1") : program_(small_program(kind, 2)) {
    for (std::size_t word = 0; word < words(); ++word) { at(word) = untouched; }
  }
  [[nodiscard]] std::size_t words() const { return program_.bytes / sizeof(NativeWord); }
  std::atomic<std::uint32_t>& at(std::size_t word) { return memory_.word_at(word * sizeof(NativeWord))->value; }

  Program program_;
  NativeRun run_{2, WorkLoop(1000.0)};
  ProgramMemory memory_{program_, run_};
};

TEST_F(ProgramMemoryTest, a_write_reaches_every_line_once_but_no_word_of_a_lock_or_waiter) {
  memory_.touch(0, static_cast<std::uint32_t>(program_.bytes), Access::write);
  std::vector<bool> owned(words(), false);
  for (const LockGroup& group : program_.locks) {
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const std::uint64_t first = (group.address + std::uint64_t{i} * group.stride) / sizeof(NativeWord);
      for (std::uint64_t word = 0; word < AllLocks::traits[group.kind].bytes / sizeof(NativeWord); ++word) {
        owned[first + word] = true;
      }
    }
  }
  const LineArray& process = program_.arrays[1];
  for (std::uint32_t id = 0; id < 2; ++id) {
    for (const std::uint32_t offset : {8U, 12U, 20U}) {
      owned[(process.address + std::uint64_t{id} * process.stride + offset) / sizeof(NativeWord)] = true;
    }
  }
  constexpr std::size_t words_per_line = ProgramMemory::line_bytes / sizeof(NativeWord);
  std::vector<int> changed((words() + words_per_line - 1) / words_per_line, 0);
  for (std::size_t word = 0; word < words(); ++word) {
    if (at(word) == untouched) { continue; }
    EXPECT_FALSE(owned[word]) << "word " << word;
    ++changed[word / words_per_line];
  }
  for (std::size_t line = 0; line < changed.size(); ++line) { EXPECT_EQ(changed[line], 1) << "line " << line; }
}

TEST_F(ProgramMemoryTest, a_read_changes_nothing) {
  memory_.touch(0, static_cast<std::uint32_t>(program_.bytes), Access::read);
  memory_.scan(0, Access::read);
  for (std::size_t word = 0; word < words(); ++word) { EXPECT_EQ(at(word), untouched) << "word " << word; }
}

TEST_F(ProgramMemoryTest, a_touch_reaches_the_lines_of_its_bytes_and_no_other) {
  memory_.touch(127, 2, Access::write);  // the last byte of line 1 and the first of line 2
  std::vector<std::size_t> lines;
  for (std::size_t word = 0; word < words(); ++word) {
    if (at(word) != untouched) { lines.push_back(word * sizeof(NativeWord) / ProgramMemory::line_bytes); }
  }
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 2}));
}

TEST_F(ProgramMemoryTest, wait_queue_words_lie_where_the_program_says) {
  const LineArray& process = program_.arrays[1];
  const WaiterWords<NativeWord>& second = run_.waiter(BackendId{1});
  EXPECT_EQ(second.waiting, memory_.word_at(process.address + process.stride + 8));
  EXPECT_EQ(second.exclusive, memory_.word_at(process.address + process.stride + 12));
  EXPECT_EQ(second.next, memory_.word_at(process.address + process.stride + 20));
}

TEST(ProgramMemory, addresses_keep_their_place_within_two_lines) {
  const Program program = small_program("tas", 1);
  NativeRun run(1, WorkLoop(1000.0));
  const ProgramMemory memory(program, run);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.word_at(0)) % NativeMemory::alignment, 0U);
}

TEST(ProgramMemory, a_write_to_a_line_full_of_locks_leaves_them_as_they_are) {
  const Program program = compile(yaml::parse_text("lines: {table: {count: 16, stride: 4 B}}\n"
                                                   "locks: {entry: {kind: tas, count: 16, at: {lines: table}}}\n"
                                                   "transaction: [{touch: {lines: table, pick: own, access: write}}]\n",
                                                   "full"),
                                  1);
  NativeRun run(1, WorkLoop(1000.0));
  const ProgramMemory memory(program, run);
  memory.word_at(0)->value = 1;
  memory.touch(0, 64, Access::write);
  for (std::uint64_t word = 0; word < 16; ++word) { EXPECT_EQ(memory.word_at(word * 4)->value, word == 0 ? 1U : 0U); }
}

// --- Refusals ---

struct Refusal {
  std::string message;
  ExitCode code = ExitCode::ok;
};
template <class Body>
Refusal refusal_of(const Body& body) {
  try {
    body();
  } catch (const InputError& error) { return {error.what(), error.code()}; }
  return {};
}

TEST(NativeRunRefuses, a_round_trip_by_name_also_where_it_is_hardly_ever_reached) {
  const Program program = compile(yaml::parse_text("procedures: {ask: [roundtrip]}\n"
                                                   "transaction:\n"
                                                   "  - work: 1 us\n"
                                                   "  - choose: {probability: 0.000001, do: [{call: ask}]}\n",
                                                   "asks"),
                                  1);
  for (const Refusal& refusal : {refusal_of([&] { check_native(program); }),
                                 refusal_of([&] { run_native(program, WorkLoop(1000.0), short_run()); })}) {
    EXPECT_EQ(refusal.code, ExitCode::host_cannot);
    EXPECT_NE(refusal.message.find("'roundtrip'"), std::string::npos) << refusal.message;
  }
}

TEST(NativeRunRefuses, resources_whose_state_only_the_simulator_keeps) {
  const Program program = compile(yaml::parse_text("wal: {W: {page: 8 KiB, sync: 1 ms, bytes_per_second: 1 MiB}}\n"
                                                   "transaction: [{work: 1 us}, {log: {wal: W, bytes: 49 B}}]\n",
                                                   "logs"),
                                  1);
  const Refusal refusal = refusal_of([&] { check_native(program); });
  EXPECT_EQ(refusal.code, ExitCode::host_cannot);
  EXPECT_NE(refusal.message.find("'log'"), std::string::npos) << refusal.message;
}

TEST(NativeRunRefuses, locks_that_overlap_and_takes_locks_that_only_meet) {
  const auto program_with_second_at = [](const std::string& offset) {
    return compile(yaml::parse_text("lines: {table: {count: 1, stride: 64 B}}\n"
                                    "locks:\n"
                                    "  first: {kind: lwlock-9.1, at: {lines: table}}\n"
                                    "  second: {kind: tas, at: {lines: table, offset: " +
                                        offset +
                                        " B}}\n"
                                        "transaction: [{work: 1 us}]\n",
                                    "meets"),
                   1);
  };
  const Refusal refusal = refusal_of([&] { check_native(program_with_second_at("28")); });
  EXPECT_EQ(refusal.code, ExitCode::bad_file);
  EXPECT_NE(refusal.message.find("'second' lies in the same bytes as 'first'"), std::string::npos) << refusal.message;
  EXPECT_EQ(refusal_of([&] { check_native(program_with_second_at("32")); }).code, ExitCode::ok);
}

// --- The verdict ---

NativePoint undisturbed() {
  NativePoint point;
  point.threads = 2;
  point.cpus = 2;
  point.cpu_share = 1;
  point.spinning = true;
  point.transactions = 100'000;
  point.epoch_tps = {100, 100, 100, 100, 100};
  return point;
}
std::string verdict_of(NativePoint point) {
  judge(point);
  return point.unusable;
}

TEST(NativeVerdict, cpu_time_counts_just_below_its_limit_and_only_where_nobody_sleeps) {
  NativePoint point = undisturbed();
  point.cpu_share = 0.95;
  EXPECT_EQ(verdict_of(point), "");
  point.cpu_share = 0.94;
  EXPECT_EQ(verdict_of(point), "only 94 % of the CPU time was ours");
  point.spinning = false;
  EXPECT_EQ(verdict_of(point), "");
}

TEST(NativeVerdict, where_somebody_sleeps_the_cpu_time_of_others_counts_just_above_its_limit) {
  NativePoint point = undisturbed();
  point.foreign_share = 0.04;  // on a CPU that we did not use
  EXPECT_EQ(verdict_of(point), "");
  point.spinning = false;
  EXPECT_EQ(verdict_of(point), "others took 4 % of the CPUs");
  point.foreign_share = 0.03;
  EXPECT_EQ(verdict_of(point), "");
}

TEST(NativeVerdict, epochs_count_just_above_their_limit_and_only_while_every_thread_has_a_cpu) {
  NativePoint point = undisturbed();
  point.epoch_tps = {100, 100, 114.9, 85.1, 100};
  EXPECT_EQ(verdict_of(point), "");
  point.epoch_tps = {100, 100, 84, 100, 100};
  EXPECT_EQ(verdict_of(point), "epochs differ by up to 16 %");
  point.threads = 3;
  EXPECT_EQ(verdict_of(point), "");
}

TEST(NativeVerdict, a_point_is_the_median_of_its_epochs_or_their_mean_with_more_threads_than_cpus) {
  NativePoint point = undisturbed();
  point.epoch_tps = {90, 100, 110, 104, 400};
  judge(point);
  EXPECT_DOUBLE_EQ(point.tps, 104);
  EXPECT_DOUBLE_EQ(point.spread, 6.0 / 104);
  EXPECT_DOUBLE_EQ(point.deviation_max, 296.0 / 104);
  point.threads = 8;
  point.epoch_tps = {300, 0, 600};
  judge(point);
  EXPECT_DOUBLE_EQ(point.tps, 300);
}

TEST(NativeVerdict, no_transaction_at_all_is_not_a_throughput_of_zero) {
  NativePoint point = undisturbed();
  point.epoch_tps = {0, 0, 0, 0, 0};
  EXPECT_NE(verdict_of(point), "");
}

// Its thread is left behind and works on for a second; what runs meanwhile does not look at time.
TEST(NativeRunThatDoesNotEnd, is_reported_as_unfinished_instead_of_waiting_for_ever) {
  const Program program = compile(yaml::parse_text("transaction: [{work: 1 s}]\n", "long"), 1);
  NativePointOptions options = short_run();
  options.stop_limit = milliseconds{1};
  EXPECT_EQ(refusal_of([&] { run_native(program, WorkLoop(1000.0), options); }).code, ExitCode::unfinished);
}

}  // namespace
}  // namespace lockcast::native_run_test
