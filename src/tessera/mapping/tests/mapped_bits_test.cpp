// Mapped kernels give the bits and the floating-point events of those that they map, by the interpreter.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>

#include "tessera/base/format.h"
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
  const std::vector<NamedMapping> mappings = all_mappings(kernel, random.extents(), random.is_disjoint(), in_parts);
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
  for (const auto& [name, mapped] : all_mappings(kernel, extents, true, in_parts)) {
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

/// Views of one array, each an element further on, summed with checks, which columns load once.
TEST(MappedKernels, share_what_rows_of_a_stencil_read) {
  std::string text = "kernel stencil 2 flags 2 {\n";
  constexpr std::pair<int64_t, int64_t> views[] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {2, 1}};
  for (size_t k = 0; k < std::size(views); ++k) text += "  buffer float64 2 read contiguous no_alias\n";
  text +=
      "  buffer float64 2 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n"
      "  %2 = load.float64 @0 %0 %1\n";
  for (size_t k = 1; k < std::size(views); ++k)
    text += format(
        "  %{} = load.float64 @{} %0 %1\n  %{} = mul.float64 %{} %{}\n  check.float64 @{} arithmetic %{} %{} %{}\n",
        3 * k, k, 3 * k + 1, 3 * k - (k == 1 ? 1 : 2), 3 * k, k % 2, 3 * k + 1, 3 * k - (k == 1 ? 1 : 2), 3 * k);
  text += format("  store.float64 @{} %{} %0 %1\n", std::size(views), 3 * std::size(views) - 2) + "}\n";
  const ir::Kernel kernel = ir::parse(text);
  const ir::Program interpreter(kernel);
  for (const auto [rows, lanes] : {std::pair<int64_t, int64_t>{8, 300}, {9, 256}, {31, 257}, {64, 5}}) {
    const int64_t pitch = lanes + 8;
    std::vector<double> in = numbers<double>(static_cast<size_t>((rows + 8) * pitch), lanes > 256);
    Operands operands{.extents = {rows, lanes}};
    const auto run = [&](const auto& execute) {
      std::vector<double> out(static_cast<size_t>(rows * lanes));
      codegen::Binding binding({rows, lanes});
      for (const auto [down, right] : views)
        binding.add(in.data() + (4 + down) * pitch + 4 + right, {rows, lanes}, {8 * pitch, 8});
      binding.add(out.data(), {rows, lanes}, {8 * lanes, 8});
      binding.flags = std::vector<uint32_t>(2);
      const int64_t begin[] = {0, 0}, end[] = {rows, lanes};
      execute(binding.arguments(), begin, end);
      return std::pair(out, binding.flags);
    };
    for (const auto [down, right] : views) {
      operands.strides.push_back({8 * pitch, 8});
      operands.memory.push_back(0);
      operands.offsets.push_back(8 * ((4 + down) * pitch + 4 + right));
    }
    operands.strides.push_back({8 * lanes, 8});
    operands.memory.push_back(1);
    operands.offsets.push_back(0);
    const std::vector<PlaceIn> places = find_places(kernel, operands);
    ASSERT_EQ(places.size(), 6u);
    EXPECT_EQ(places[4], (PlaceIn{0, 2, 1}));
    const auto expected = run([&](auto& arguments, auto* begin, auto* end) { interpreter.run(arguments, begin, end); });
    EXPECT_EQ(expected.second[0] != 0, lanes > 256);
    for (const int height : {1, 3, 8}) {
      const Mapped mapped = write_columns(kernel, operands, {}, places, height);
      ASSERT_NO_THROW(ir::verify(mapped.kernel));
      const ir::Program program(mapped.kernel);
      const auto got = run([&](auto& arguments, auto* begin, auto* end) {
        const MappedArguments own(mapped, arguments, begin, end);
        program.run(own.arguments(), own.begin(), own.end());
      });
      EXPECT_EQ(got.second, expected.second) << rows << " x " << lanes << " by " << height;
      EXPECT_EQ(std::memcmp(got.first.data(), expected.first.data(), 8 * got.first.size()), 0)
          << rows << " x " << lanes << " by " << height;
    }
  }
}

TEST(MappedKernels, tile_rows_of_more_lanes_than_words_count) {
  const ir::Kernel kernel = ir::parse(
      "kernel turn 2 flags 0 {\n  buffer int8 2 read contiguous no_alias\n  buffer int8 2 write contiguous no_alias\n"
      "  %0 = index.int64 @0\n  %1 = index.int64 @1\n  %2 = load.int8 @0 %0 %1\n  %3 = neg.int8 %2\n"
      "  store.int8 @1 %3 %0 %1\n}\n");
  const int64_t lanes = int64_t{5} << 31;
  const std::optional<Mapped> mapped = map_tiles(kernel, {.extents = {3, lanes}}, {});
  ASSERT_TRUE(mapped);
  const LaunchShape& shape = mapped->shape;
  EXPECT_GE(shape.blocks[2] * shape.threads[2] * 16, lanes) << "16 lanes a thread";
  EXPECT_LT(shape.blocks[2], int64_t{1} << 31);
  EXPECT_GE(shape.blocks[0] * shape.blocks[1] * shape.threads[1], 3);
  // Rows are counted by words.
  EXPECT_FALSE(map_tiles(kernel, {.extents = {int64_t{1} << 31, 64}}, {}));
  EXPECT_FALSE(map_tiles(kernel, {.extents = {3, 0}}, {}));
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
