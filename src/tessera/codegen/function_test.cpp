// Kernels with functions: native code against the interpreter; those of user kernels are in user_kernel_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/ir/interpreter.h"
#include "tessera/ir/random_kernel.h"
#include "tessera/ir/random_world.h"

namespace tessera::codegen {
namespace {

bool are_alike(const std::vector<double>& a, const std::vector<double>& b) {
  for (size_t k = 0; k < a.size(); ++k)
    if (std::memcmp(&a[k], &b[k], sizeof(double)) != 0 && !(std::isnan(a[k]) && std::isnan(b[k]))) return false;
  return true;
}

TEST(Functions, native_code_of_random_ones_gives_the_interpreters_bits) {
  const std::unique_ptr<Compiler> compiler = open_compiler();
  int tried = 0;
  for (uint64_t seed = 0; tried < 40; ++seed) {
    const ir::Kernel kernel = ir::RandomKernel(seed).make();
    if (kernel.functions.empty()) continue;
    ++tried;
    const int64_t columns = seed % 2 ? 37 : 5, begin[2] = {0, 0}, end[2] = {3, columns};
    ir::RandomWorld wanted(3, columns);
    const ir::KernelArguments reference = wanted.arguments();
    ir::Program(kernel).run(reference, begin, end);
    for (const Tier tier : {Tier::quick, Tier::full}) {
      ir::RandomWorld given(3, columns);
      const ir::KernelArguments arguments = given.arguments();
      compiler->compile(kernel, tier)->entry()(&arguments, begin, end);
      ASSERT_TRUE(are_alike(given.results, wanted.results)) << seed << "\n" << ir::print(kernel);
      ASSERT_EQ(given.numbers, wanted.numbers) << seed << "\n" << ir::print(kernel);
      ASSERT_EQ(given.counts, wanted.counts) << seed << "\n" << ir::print(kernel);
      ASSERT_TRUE(given.flags[0] == wanted.flags[0] && given.flags[1] == wanted.flags[1]) << seed;
    }
  }
}

}  // namespace
}  // namespace tessera::codegen
