#include <gtest/gtest.h>

#include <numeric>

#include "tessera/base/error.h"
#include "tessera/ir/interpreter.h"
#include "tessera/ir/recursive_kernels.h"
#include "tessera/ir/run_kernel.h"

namespace tessera::ir {
namespace {

TEST(Functions, lanes_call_themselves_to_different_depths) {
  TestArray out = TestArray::zeros(f64, {150});
  run_kernel(recursive_kernel(), {1, 1, 3, 1, 1, 64}, {&out});
  const std::vector<double> got = out.values<double>();
  const std::vector<double> numbers{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i % 2 ? -1 : numbers[i % 13]) << i;
}

TEST(Functions, write_buffers_and_give_several_results) {
  std::vector<double> values(70);
  std::iota(values.begin(), values.end(), 0);
  TestArray out = TestArray::of(f64, {70}, values);
  run_kernel(reverse_kernel(), {1, 1, 1, 1, 1, 8}, {&out});
  const std::vector<double> got = out.values<double>();
  for (size_t row = 0; row < 7; ++row) {
    for (size_t k = 0; k < 8; ++k) ASSERT_EQ(got[10 * row + k], values[10 * row + 7 - k]);
    ASSERT_EQ(got[10 * row + 8], 4);
    ASSERT_EQ(got[10 * row + 9], static_cast<double>(80 * row + 28));
  }
}

TEST(Functions, are_part_of_the_text_and_of_equality) {
  for (const Kernel& kernel : {recursive_kernel(), reverse_kernel()}) {
    const Kernel back = parse(print(kernel));
    EXPECT_EQ(print(back), print(kernel));
    EXPECT_TRUE(back == kernel && compact(back) == kernel);
    EXPECT_EQ(structural_hash(back), structural_hash(kernel));
    Kernel other = kernel;
    std::swap(other.bodies.front(), other.bodies.back());
    if (kernel.bodies.size() > 1) EXPECT_FALSE(other == kernel);
    other = kernel;
    other.functions.front().results.clear();
    EXPECT_FALSE(other == kernel);
  }
}

std::string refusal(const std::string& function, const std::string& body) {
  try {
    parse("kernel k 1 flags 1 {\n  buffer float64 1 read write strided no_alias\n  array float64 4 shared\n" +
          function + body + "}\n");
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Functions, are_verified) {
  const std::string f = "function f (int64) -> (int64 float64)\nbody {(%0:int64)\n%1 = constant.float64 2\n";
  const std::string good = f + "yield %0 %1\n}\n", call = "%0 = index.int64 @0\n%1 = call.int64 @0 %0\n";
  EXPECT_EQ(refusal(good, call + "%2 = result.float64 @1 %1\n"), "accepted");
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(refusal(good, call + "%2 = result.int64 @1 %1\n"), "is int64, wanted float64");
  expect(refusal(good, call + "%2 = result.int64 @2 %1\n"), "refers to 2 of 2");
  expect(refusal(good, "%0 = constant.float64 1\n%1 = call.int64 @0 %0\n"), "calls f with other arguments");
  expect(refusal(good, "%0 = index.int64 @0\n%1 = call.int64 @1 %0\n"), "refers to 1 of 1");
  expect(refusal(f + "yield %0\n}\n", ""), "yields other results");
  expect(refusal("function f (int64) -> (int64)\n", ""), "1 functions with 0 bodies");
  expect(refusal(f + "barrier\nyield %0 %1\n}\n", ""), "barrier in a function");
  expect(refusal(f + "store_array.float64 @0 %1 %0\nyield %0 %1\n}\n", ""), "uses a shared array in a function");
  expect(refusal(good,
                 "%0 = index.int64 @0\n%1 = reduce.int64 add pairwise %0 %0 {(%2:int64)\n"
                 "%3 = call.int64 @0 %2\nyield %3\n}\n"),
         "inside a reduction");
}

}  // namespace
}  // namespace tessera::ir
