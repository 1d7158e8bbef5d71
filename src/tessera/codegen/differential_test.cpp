#include <gtest/gtest.h>

#include <cstdlib>

#include "tessera/codegen/samples/random_kernel.h"
#include "tessera/ir/interpreter.h"

namespace tessera::codegen {
namespace {

/// The number of kernels to draw; TESSERA_KERNELS=<n> overrides it.
uint64_t kernel_count() {
  const char* text = std::getenv("TESSERA_KERNELS");
  return text ? static_cast<uint64_t>(std::atoll(text)) : 120;
}

uint64_t first_seed() {
  const char* text = std::getenv("TESSERA_SEED");
  return text ? static_cast<uint64_t>(std::atoll(text)) : 0;
}

std::shared_ptr<NativeKernel> compile(Compiler& compiler, const ir::Kernel& kernel, Tier tier) {
  try {
    return compiler.compile(kernel, tier);
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(error.what()) + "\n" + ir::print(kernel));
  }
}

TEST(Differential, interpreter_and_both_tiers_give_the_same_bits) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (uint64_t seed = first_seed(); seed < first_seed() + kernel_count(); ++seed) {
    const RandomKernel random(seed);
    const ir::Program program(random.kernel());
    const Outcome expected =
        random.run([&](auto& arguments, auto* begin, auto* end, auto) { program.run(arguments, begin, end); }, false);
    const std::string text = ir::print(random.kernel());
    const Outcome parts =
        random.run([&](auto& arguments, auto* begin, auto* end, auto) { program.run(arguments, begin, end); }, true);
    EXPECT_EQ(random.difference(parts, expected), "") << "seed " << seed << " interpreted in two parts\n" << text;
    for (Tier tier : {Tier::quick, Tier::full}) {
      const auto native = compile(*compiler, random.kernel(), tier);
      const Outcome got = random.run(
          [&](auto& arguments, auto* begin, auto* end, auto) { native->entry()(&arguments, begin, end); }, seed % 2);
      ASSERT_EQ(random.difference(got, expected), "")
          << "seed " << seed << (tier == Tier::quick ? " quick" : " full") << "\n"
          << text;
    }
  }
}

TEST(Differential, lanes_that_meet_in_blocks_of_several_axes_give_the_same_bits) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (uint64_t seed = first_seed(); seed < first_seed() + kernel_count(); ++seed) {
    const RandomKernel random(seed, Forms::blocks);
    const ir::Program program(random.kernel());
    const auto interpret = [&](auto& arguments, auto* begin, auto* end, auto) { program.run(arguments, begin, end); };
    const Outcome expected = random.run(interpret, false);
    const std::string text = ir::print(random.kernel());
    ASSERT_EQ(random.difference(random.run(interpret, true), expected), "") << "seed " << seed << " in parts\n" << text;
    for (Tier tier : {Tier::quick, Tier::full}) {
      const auto native = compile(*compiler, random.kernel(), tier);
      const Outcome got = random.run(
          [&](auto& arguments, auto* begin, auto* end, auto) { native->entry()(&arguments, begin, end); }, seed % 2);
      ASSERT_EQ(random.difference(got, expected), "")
          << "seed " << seed << (tier == Tier::quick ? " quick\n" : " full\n") << text;
    }
  }
}

TEST(Differential, older_processors_give_the_same_bits) {
  std::unique_ptr<Compiler> compilers[] = {open_compiler({.cpu_level = 2}), open_compiler({.cpu_level = 3})};
  for (uint64_t seed = first_seed(); seed < first_seed() + kernel_count() / 4; ++seed) {
    const RandomKernel random(seed);
    const ir::Program program(random.kernel());
    const Outcome expected =
        random.run([&](auto& arguments, auto* begin, auto* end, auto) { program.run(arguments, begin, end); }, false);
    for (std::unique_ptr<Compiler>& compiler : compilers) {
      const auto native = compile(*compiler, random.kernel(), Tier::full);
      const Outcome got = random.run(
          [&](auto& arguments, auto* begin, auto* end, auto) { native->entry()(&arguments, begin, end); }, false);
      ASSERT_EQ(random.difference(got, expected), "") << "seed " << seed << " " << compiler->target() << "\n"
                                                      << ir::print(random.kernel());
    }
  }
}

}  // namespace
}  // namespace tessera::codegen
