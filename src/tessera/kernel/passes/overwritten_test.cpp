#include "tessera/kernel/passes/overwritten.h"

#include <gtest/gtest.h>

namespace tessera::kernel {
namespace {

/// Of a function in IR of two arrays, x and y, with lengths of these names: whether y is overwritten.
bool is_overwritten(const std::string& body, const AxisNames& x = {1}, const AxisNames& y = {1}) {
  const std::string head = "kernel f 0 flags 0 {\n  buffer float64 " + std::to_string(x.size()) +
                           " read strided no_alias\n  buffer float64 " + std::to_string(y.size()) +
                           " read write strided no_alias\n  %0 = constant.int64 0\n  %1 = constant.int64 1\n";
  const std::vector<AxisNames> lengths{x, y};
  return overwritten(ir::parse(head + body + "}\n"), lengths)[1];
}

constexpr const char* fills = R"(
  %2 = dimension.int64 @0.0
  %3 = constant.float64 2
  for.bool %0 %2 %1 {(%5:int64)
    store.float64 @1 %3 %5
  }
)";

TEST(Overwritten, a_loop_over_a_whole_axis_stores_it) {
  EXPECT_TRUE(is_overwritten(fills));
  EXPECT_FALSE(is_overwritten(fills, {1}, {2})) << "an axis of another length";
}

TEST(Overwritten, what_was_stored_may_be_read) {
  EXPECT_TRUE(is_overwritten(std::string(fills) + "  %8 = load.float64 @1 %0\n"));
  EXPECT_FALSE(is_overwritten("  %2 = load.float64 @1 %0\n" + std::string(R"(
  %3 = dimension.int64 @0.0
  for.bool %0 %3 %1 {(%5:int64)
    store.float64 @1 %2 %5
  }
)")));
}

TEST(Overwritten, an_element_that_is_added_to_is_read) {
  EXPECT_FALSE(is_overwritten(R"(
  %2 = dimension.int64 @0.0
  for.bool %0 %2 %1 {(%4:int64)
    %5 = load.float64 @1 %4
    store.float64 @1 %5 %4
  }
)"));
}

TEST(Overwritten, one_element_is_not_all_unless_the_length_is_one) {
  const char* text = "  %2 = constant.float64 3\n  store.float64 @1 %2 %0\n";
  EXPECT_FALSE(is_overwritten(text));
  EXPECT_TRUE(is_overwritten(text, {1}, {length_one}));
}

TEST(Overwritten, both_sides_of_a_branch_store_or_it_may_be_none) {
  const auto branch = [](const char* other) {
    return std::string(R"(
  %2 = constant.float64 3
  %3 = lt.bool %0 %1
  if.bool %3 {()
    store.float64 @1 %2 %0
  } {()
)") + other +
           "  }\n";
  };
  EXPECT_FALSE(is_overwritten(branch(""), {1}, {length_one}));
  EXPECT_TRUE(is_overwritten(branch("    store.float64 @1 %2 %0\n"), {1}, {length_one}));
}

TEST(Overwritten, a_loop_that_may_not_run_stores_nothing_else) {
  EXPECT_FALSE(is_overwritten(R"(
  %2 = dimension.int64 @0.0
  %3 = constant.float64 3
  for.bool %0 %2 %1 {(%5:int64)
    store.float64 @1 %3 %0
  }
)",
                              {1}, {length_one}));
}

TEST(Overwritten, nested_loops_store_all_axes) {
  const char* text = R"(
  %2 = dimension.int64 @1.0
  %3 = dimension.int64 @0.1
  %4 = constant.float64 3
  for.bool %0 %2 %1 {(%6:int64)
    for.bool %0 %3 %1 {(%8:int64)
      store.float64 @1 %4 %8 %6
    }
  }
)";
  EXPECT_FALSE(is_overwritten(text, {1, 2}, {1, 2}));
  EXPECT_TRUE(is_overwritten(text, {2, 1}, {1, 1}));
}

TEST(Overwritten, a_loop_that_begins_behind_the_first_element_leaves_it) {
  EXPECT_FALSE(is_overwritten(R"(
  %2 = dimension.int64 @1.0
  %3 = constant.float64 3
  for.bool %1 %2 %1 {(%5:int64)
    store.float64 @1 %3 %5
  }
)"));
}

TEST(Overwritten, an_array_whose_memory_has_other_names_is_not_told) {
  const std::vector<AxisNames> lengths{{1}};
  EXPECT_FALSE(overwritten(ir::parse(R"(kernel f 0 flags 0 {
  buffer float64 1 write strided
  %0 = constant.int64 0
  %1 = constant.int64 1
  %2 = dimension.int64 @0.0
  %3 = constant.float64 3
  for.bool %0 %2 %1 {(%5:int64)
    store.float64 @0 %3 %5
  }
}
)"),
                           lengths)[0]);
}

}  // namespace
}  // namespace tessera::kernel
