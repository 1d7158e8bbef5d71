#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tessera/ir/random_kernel.h"
#include "tessera/ir/random_world.h"
#include "tessera/ir/run_kernel.h"
#include "tessera/ir/scalar_run.h"

namespace tessera::ir {
namespace {

bool same(double a, double b) { return std::memcmp(&a, &b, 8) == 0 || (std::isnan(a) && std::isnan(b)); }

TEST(RandomKernels, the_interpreter_agrees_with_one_lane_at_a_time) {
  const char* wish = std::getenv("TESSERA_RANDOM_KERNELS");
  const uint64_t rounds = wish ? std::strtoull(wish, nullptr, 10) : 400;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    const Kernel kernel = RandomKernel(seed).make();
    ASSERT_NO_THROW(verify(kernel)) << seed;
    ASSERT_TRUE(parse(print(kernel)) == kernel) << seed;
    const int64_t columns = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 37 : 90;
    RandomWorld wanted(3, columns), given(3, columns);
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
