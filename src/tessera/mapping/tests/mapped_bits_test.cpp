// Mapped kernels give the bits and the floating-point events of those that they map, by the interpreter.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tessera/codegen/samples/random_kernel.h"
#include "tessera/ir/interpreter.h"
#include "tessera/mapping/tests/mapped_kernels.h"

namespace tessera::mapping {
namespace {

using codegen::Forms;
using codegen::RandomKernel;

/// Runs a box, or with `in_parts` one and the other half of its first axis.
void run_mapped(const ir::Program& program, const Mapped& mapped, const ir::KernelArguments& arguments,
                const int64_t* begin, const int64_t* end, bool in_parts) {
  const auto run = [&](const int64_t* from, const int64_t* to) {
    const MappedArguments own(mapped, arguments, from, to);
    program.run(own.arguments(), own.begin(), own.end());
  };
  if (!in_parts) return run(begin, end);
  std::vector<int64_t> middle_end(end, end + 8), middle_begin(begin, begin + 8);
  middle_end[0] = middle_begin[0] = (begin[0] + end[0]) / 2;
  if (middle_end[0] > begin[0]) run(begin, middle_end.data());
  run(middle_begin.data(), end);
}

int compare_random(uint64_t seed, Forms forms, std::map<std::string, int>& seen) {
  const RandomKernel random(seed, forms);
  const ir::Kernel& kernel = random.kernel();
  const bool in_parts = seed % 3 == 0;
  std::vector<bool> shares(kernel.buffers.size(), !random.is_disjoint());
  const std::vector<NamedMapping> mappings = all_mappings(kernel, random.extents(), shares, in_parts);
  if (mappings.empty()) return 0;
  const ir::Program interpreter(kernel);
  const codegen::Outcome expected =
      random.run([&](auto& arguments, auto* begin, auto* end, auto) { interpreter.run(arguments, begin, end); }, false);
  for (const auto& [name, mapped] : mappings) {
    ++seen[name];
    EXPECT_NO_THROW(ir::verify(mapped.kernel)) << name << "\n" << ir::print(mapped.kernel);
    EXPECT_TRUE(ir::parse(ir::print(mapped.kernel)) == mapped.kernel) << name;
    const ir::Program program(mapped.kernel);
    const auto execute = [&](auto& arguments, auto* begin, auto* end, auto) {
      std::vector<int64_t> from(begin, begin + kernel.ndim), to(end, end + kernel.ndim);
      from.resize(8), to.resize(8);
      run_mapped(program, mapped, arguments, from.data(), to.data(), in_parts);
    };
    const std::string difference = random.difference(random.run(execute, false), expected);
    EXPECT_EQ(difference, "") << name << ", seed " << seed << "\n" << ir::print(kernel) << ir::print(mapped.kernel);
    if (!difference.empty()) return -1;
  }
  return static_cast<int>(mappings.size());
}

TEST(MappedKernels, give_the_bits_of_random_kernels) {
  const char* wish = std::getenv("TESSERA_MAPPED_KERNELS");
  const uint64_t count = wish ? std::strtoull(wish, nullptr, 10) : 200;
  std::map<std::string, int> seen;
  int runs = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    for (const Forms forms : {Forms::straight, Forms::all}) {
      const int ran = compare_random(seed, forms, seen);
      if (ran < 0) return;
      runs += ran;
    }
  }
  EXPECT_GE(seen.size(), 3u);
  std::printf("%d runs\n", runs);
  for (const auto& [name, times] : seen) std::printf("%6d %s\n", times, name.c_str());
}

/// A quotient of a turned operand and a plain one, and a difference of one with its own index, with checks.
ir::Kernel checked_kernel(DType dtype) {
  const std::string t(name(dtype));
  return ir::parse("kernel turn 3 flags 2 {\n  buffer " + t + " 3 read strided no_alias\n  buffer " + t +
                   " 3 read strided no_alias\n  buffer " + t +
                   " 3 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n"
                   "  %2 = index.int64 @2\n  %3 = load." +
                   t + " @0 %0 %1 %2\n  %4 = load." + t + " @1 %0 %1 %2\n  %5 = div." + t + " %3 %4\n  check." + t +
                   " @0 divide %5 %3 %4\n  %6 = cast." + t + " %1\n  %7 = sub." + t + " %5 %6\n  check." + t +
                   " @1 arithmetic %7 %5 %6\n  store." + t + " @2 %7 %0 %1 %2\n}\n");
}

/// Where one number of a few is 0, infinite or NaN when `hard`.
template <class T>
std::vector<T> numbers(size_t count, bool hard) {
  std::vector<T> list(count);
  constexpr T strange[] = {0, std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                           std::numeric_limits<T>::max()};
  for (size_t k = 0; k < count; ++k)
    list[k] = hard && k % 97 == 13 ? strange[k / 97 % 4] : static_cast<T>(k % 251) / 8 + 1;
  return list;
}

template <class T>
void compare_at(DType dtype, const std::vector<int64_t>& extents, bool hard, bool in_parts) {
  const ir::Kernel kernel = checked_kernel(dtype);
  const int64_t planes = extents[0], rows = extents[1], lanes = extents[2], item = sizeof(T);
  std::vector<T> in = numbers<T>(static_cast<size_t>(planes * rows * lanes), hard), expected(in.size());
  const std::vector<int64_t> turned{item * rows * lanes, item, item * rows},
      plain{item * rows * lanes, item * lanes, item};
  const auto run = [&](std::vector<T>& out, const auto& execute) {
    codegen::Binding binding(extents);
    binding.add(in.data(), extents, turned).add(in.data(), extents, plain).add(out.data(), extents, plain);
    binding.flags = std::vector<uint32_t>(2);
    std::vector<int64_t> begin(8), end = extents;
    end.resize(8);
    execute(binding.arguments(), begin.data(), end.data());
    return binding.flags;
  };
  const std::vector<uint32_t> events =
      run(expected, [&](auto& arguments, auto* begin, auto* end) { ir::Program(kernel).run(arguments, begin, end); });
  EXPECT_EQ(events[0] != 0, hard && in.size() > 13) << in.size();
  for (const auto& [name, mapped] : all_mappings(kernel, extents, {}, in_parts)) {
    std::vector<T> got(in.size());
    const ir::Program program(mapped.kernel);
    const std::vector<uint32_t> found = run(got, [&](auto& arguments, auto* begin, auto* end) {
      run_mapped(program, mapped, arguments, begin, end, in_parts);
    });
    EXPECT_EQ(found, events) << name;
    for (size_t k = 0; k < got.size(); ++k) {
      const bool is_same =
          std::memcmp(&got[k], &expected[k], sizeof(T)) == 0 || (got[k] != got[k] && expected[k] != expected[k]);
      ASSERT_TRUE(is_same) << name << " " << planes << " x " << rows << " x " << lanes << " at " << k;
    }
  }
}

TEST(MappedKernels, give_the_bits_at_the_edges_of_squares_and_strips) {
  constexpr std::pair<int64_t, int64_t> sizes[] = {{1, 1},   {31, 33},  {32, 32},  {33, 31}, {1, 65},
                                                   {64, 1},  {65, 63},  {2, 256},  {3, 257}, {15, 255},
                                                   {256, 2}, {257, 15}, {511, 10}, {13, 513}};
  for (const auto [rows, lanes] : sizes) {
    for (const int64_t planes : {int64_t{1}, int64_t{3}}) {
      compare_at<double>(DType::float64, {planes, rows, lanes}, planes == 3, false);
      compare_at<float>(DType::float32, {planes, rows, lanes}, true, planes == 3);
    }
  }
}

TEST(MappedKernels, count_blocks_along_z_where_there_are_many) {
  const LaunchShape shape = rows_of_blocks(200'000, 7, 65535);
  EXPECT_EQ(shape.blocks[2], 7);
  EXPECT_LE(shape.blocks[1], 65535);
  EXPECT_GE(shape.blocks[0] * shape.blocks[1], 200'000);
  EXPECT_LT((shape.blocks[0] - 1) * shape.blocks[1], 200'000);
  EXPECT_EQ(rows_of_blocks(65535, 1, 65535).blocks, (std::array<int64_t, 3>{1, 65535, 1}));
}

}  // namespace
}  // namespace tessera::mapping
