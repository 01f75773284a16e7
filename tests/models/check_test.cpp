// Suggestions must be likely slips and nothing else; a failed CHECK must end the process and say when and where.

#include "models/check.hpp"

#include <gtest/gtest.h>

namespace lockcast::check_test {
namespace {

TEST(Closest, suggests_a_likely_slip_and_nothing_else) {
  const std::vector<std::string_view> known{"tas", "ttas", "ticket", "lwlock-9.1", "s_lock-9.2"};
  struct Row {
    std::string_view word, suggestion;
  };
  const Row rows[] = {
      {"tas", "tas"},        // itself
      {"tass", "tas"},       // one more letter; the first of two equally close names
      {"tickte", "ticket"},  // two letters swapped are two edits
      {"lwlok-9.1", "lwlock-9.1"},
      {"lwlock91", "lwlock-9.1"},
      {"lwlockXXX1", "lwlock-9.1"},  // ten letters: three edits are still close
      {"lwlocXXXX1", ""},            // and four are not
      {"tXXX", ""},                  // short words: two edits at most
      {"zebra", ""},
      {"TICKET", ""},  // case counts
  };
  for (const Row& row : rows) { EXPECT_EQ(closest(row.word, known), row.suggestion) << row.word; }
  EXPECT_EQ(closest("tas", {}), "");
}

TEST(Closest, does_not_compare_words_too_long_to_be_a_slip) {
  const std::string name(64, 'x');
  EXPECT_EQ(closest(name, {name}), name);
  const std::string longer(65, 'x');
  EXPECT_EQ(closest(longer, {longer}), "");
}

TEST(DidYouMean, is_the_end_of_a_message_or_nothing) {
  EXPECT_EQ(did_you_mean("tikcet", {"ticket"}), "; did you mean 'ticket'?");
  EXPECT_EQ(did_you_mean("zebra", {"ticket"}), "");
}

TEST(InputError, is_a_bad_file_unless_it_says_otherwise) {
  EXPECT_EQ(InputError("x").code(), ExitCode::bad_file);
  EXPECT_EQ(InputError("x", ExitCode::usage).code(), ExitCode::usage);
  EXPECT_STREQ(InputError("f:1:1: x").what(), "f:1:1: x");
}

TEST(Check, a_true_condition_is_evaluated_once_and_passes) {
  int evaluations = 0;
  CHECK(++evaluations == 1, "never printed");
  EXPECT_EQ(evaluations, 1);
}

TEST(CheckDeathTest, a_false_condition_exits_70_and_says_what_failed) {
  EXPECT_EXIT(CHECK(1 + 1 == 3, "arithmetic"), testing::ExitedWithCode(70),
              "internal error: arithmetic\n.*CHECK\\(1 \\+ 1 == 3\\) failed");
}

TEST(CheckDeathTest, inside_a_simulation_it_says_when_and_who) {
  const auto failing = [] {
    const std::int64_t now_ps = 1'500'000'000;
    const std::uint32_t backend = 7;
    check_context() = {&now_ps, &backend};
    CHECK(false, "reason");
  };
  EXPECT_EXIT(failing(), testing::ExitedWithCode(70), "at simulated time 0.001500000 s, backend 7");
}

}  // namespace
}  // namespace lockcast::check_test
