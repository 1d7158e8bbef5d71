#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tessera/ir/random_kernel.h"
#include "tessera/ir/run_kernel.h"
#include "tessera/ir/scalar_run.h"

namespace tessera::ir {
namespace {

/// The buffers of a RandomKernel.
struct World {
  World(int64_t rows, int64_t columns) : rows(rows), columns(columns) {
    std::mt19937_64 random(static_cast<uint64_t>(rows * 1000 + columns));
    floats.resize(static_cast<size_t>(rows * columns));
    for (double& v : floats) v = static_cast<double>(random() % 4001) / 64 - 30;
    ints.resize(11);
    for (int64_t& v : ints) v = static_cast<int64_t>(random() % 23) - 7;
    results = floats;
    numbers.assign(floats.size(), 5);
    counts.assign(9, 0);
  }

  KernelArguments arguments() {
    pointers = {reinterpret_cast<char*>(floats.data()), reinterpret_cast<char*>(ints.data()),
                reinterpret_cast<char*>(results.data()), reinterpret_cast<char*>(numbers.data()),
                reinterpret_cast<char*>(counts.data())};
    strides = {8 * columns, 8, 8, 8 * columns, 8, 8 * columns, 8, 8};
    dimensions = {rows, columns, 11, rows, columns, rows, columns, 9};
    extents = {rows, columns};
    const double x = 1.75;
    const int64_t n = 2;
    std::memcpy(scalars, &x, 8);
    std::memcpy(scalars + 16, &n, 8);
    return {pointers.data(), strides.data(), dimensions.data(), scalars, extents.data(), flags};
  }

  int64_t rows, columns;
  std::vector<double> floats, results;
  std::vector<int64_t> ints, numbers, counts;
  std::vector<char*> pointers;
  std::vector<int64_t> strides, dimensions, extents;
  alignas(16) char scalars[32] = {};
  uint32_t flags[2] = {};
};

bool same(double a, double b) { return std::memcmp(&a, &b, 8) == 0 || (std::isnan(a) && std::isnan(b)); }

TEST(RandomKernels, the_interpreter_agrees_with_one_lane_at_a_time) {
  const char* wish = std::getenv("TESSERA_RANDOM_KERNELS");
  const uint64_t rounds = wish ? std::strtoull(wish, nullptr, 10) : 400;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    const Kernel kernel = RandomKernel(seed).make();
    ASSERT_NO_THROW(verify(kernel)) << seed;
    ASSERT_TRUE(parse(print(kernel)) == kernel) << seed;
    const int64_t columns = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 37 : 90;
    World wanted(3, columns), given(3, columns);
    const KernelArguments slow = wanted.arguments(), fast = given.arguments();
    ScalarRun scalar(kernel, slow);
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < columns; ++j) scalar.run({i, j});
    }
    const int64_t begin[] = {0, 0};
    Program(kernel).run(fast, begin, fast.extents);
    for (size_t k = 0; k < given.results.size(); ++k) {
      ASSERT_TRUE(same(given.results[k], wanted.results[k])) << "seed " << seed << " lane " << k << "\n"
                                                             << print(kernel);
      ASSERT_EQ(given.numbers[k], wanted.numbers[k]) << "seed " << seed << " lane " << k << "\n" << print(kernel);
    }
    ASSERT_EQ(given.counts, wanted.counts) << "seed " << seed << "\n" << print(kernel);
    ASSERT_EQ(given.flags[0], wanted.flags[0]) << "seed " << seed << "\n" << print(kernel);
    ASSERT_EQ(given.flags[1], wanted.flags[1]) << "seed " << seed << "\n" << print(kernel);
  }
}

}  // namespace
}  // namespace tessera::ir
