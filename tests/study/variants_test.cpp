#include "sim/study/variants.hpp"

#include <gtest/gtest.h>

namespace lockcast::variants_test {

namespace {

using Names = std::vector<std::string>;

TEST(Variants, a_name_is_the_set_of_its_changes) {
  EXPECT_EQ(parts_of("master"), (std::set<std::string>{"master"}));
  EXPECT_EQ(parts_of("flexlocks+pgproc-split"), parts_of("pgproc-split+flexlocks"));
  EXPECT_EQ(parts_of(""), std::set<std::string>{});
}

TEST(Variants, the_unpatched_one_is_the_baseline_whatever_the_order_of_the_file) {
  EXPECT_EQ(in_table_order({"flexlocks", "pgproc-split", "master", "flexlocks"}),
            (Names{"master", "pgproc-split", "flexlocks"}));
  EXPECT_EQ(in_table_order({"ttas-in-loop", "ttas-in-tas", "tas"}), (Names{"tas", "ttas-in-tas", "ttas-in-loop"}));
}

TEST(Variants, what_others_add_to_comes_before_them) {
  EXPECT_EQ(in_table_order({"pgproc-split+clog32", "pgproc-split+flexlocks", "pgproc-split"}),
            (Names{"pgproc-split", "pgproc-split+flexlocks", "pgproc-split+clog32"}));
}

TEST(Variants, unknown_names_keep_their_order_behind_the_known_ones) {
  EXPECT_EQ(in_table_order({"zebra", "ape", "clog32"}), (Names{"clog32", "zebra", "ape"}));
}

}  // namespace

}  // namespace lockcast::variants_test
