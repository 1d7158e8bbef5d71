#include "tessera/lanes/baseline/baseline.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tessera/codegen/samples/random_kernel.h"

namespace tessera::lanes {
namespace {

using codegen::Outcome;
using codegen::RandomKernel;

/// The number of kernels to draw; TESSERA_KERNELS=<n> overrides it.
uint64_t kernel_count() {
  const char* text = std::getenv("TESSERA_KERNELS");
  return text ? static_cast<uint64_t>(std::atoll(text)) : 3000;
}

uint64_t first_seed() {
  const char* text = std::getenv("TESSERA_SEED");
  return text ? static_cast<uint64_t>(std::atoll(text)) : 0;
}

/// The CPU levels to test: those of x86-64-v3 and -v4 that this machine supports.
class BaselineLevel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!MachineCode::is_available(GetParam())) GTEST_SKIP();
  }
};

/// Memory between inaccessible pages, for arrays that begin right after one or end right before one.
class Fenced {
 public:
  Fenced() : all_(static_cast<char*>(mmap(nullptr, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(all_ + page, size, PROT_READ | PROT_WRITE);
  }
  ~Fenced() { munmap(all_, size + 2 * page); }
  char* place(size_t bytes, bool at_end) const { return all_ + page + (at_end ? size - bytes : 0); }

 private:
  static constexpr size_t page = 4096, size = 1 << 24;  // more than the largest array drawn
  char* all_;
};

/// Runs native code on copies of the arrays that are next to inaccessible pages.
void run_fenced(const Baseline& native, ir::KernelArguments arguments, const int64_t* begin, const int64_t* end,
                std::span<std::vector<char>> memory, bool at_end) {
  static const std::vector<Fenced> fences(16);
  ASSERT_LE(memory.size(), fences.size());
  std::vector<char*> buffers(arguments.buffers, arguments.buffers + memory.size());
  for (size_t k = 0; k < memory.size(); ++k) {
    char* to = fences[k].place(memory[k].size(), at_end);
    std::memcpy(to, memory[k].data(), memory[k].size());
    for (char*& buffer : buffers)
      if (buffer >= memory[k].data() && buffer < memory[k].data() + memory[k].size())
        buffer = to + (buffer - memory[k].data());
  }
  arguments.buffers = buffers.data();
  native.entry()(&arguments, begin, end);
  for (size_t k = 0; k < memory.size(); ++k)
    std::memcpy(memory[k].data(), fences[k].place(memory[k].size(), at_end), memory[k].size());
}

TEST_P(BaselineLevel, straight_kernels_stay_inside_their_arrays) {
  uint64_t made = 0;
  for (uint64_t seed = first_seed(); seed < first_seed() + kernel_count(); ++seed) {
    const RandomKernel random(seed, codegen::Forms::straight);
    const std::unique_ptr<Baseline> native = Baseline::try_make(random.kernel(), GetParam());
    if (!native) continue;
    ++made;
    const ir::Program program(random.kernel());
    const Outcome expected =
        random.run([&](auto& arguments, auto* begin, auto* end, auto) { program.run(arguments, begin, end); }, false);
    const Outcome got = random.run([&](auto& arguments, auto* begin, auto* end,
                                       auto memory) { run_fenced(*native, arguments, begin, end, memory, seed % 2); },
                                   seed % 3 == 0);
    ASSERT_EQ(random.difference(got, expected), "") << "seed " << seed << "\n" << ir::print(random.kernel());
  }
  EXPECT_GT(made, kernel_count() / 2);
}

TEST_P(BaselineLevel, gives_the_interpreters_bits_and_events) {
  int made = 0;
  for (uint64_t seed = 0; seed < kernel_count(); ++seed) {
    const RandomKernel random(seed);
    const std::unique_ptr<Baseline> native = Baseline::try_make(random.kernel(), GetParam());
    if (!native) continue;
    ++made;
    const ir::Program program(random.kernel());
    const Outcome expected =
        random.run([&](auto& arguments, auto* begin, auto* end, auto) { program.run(arguments, begin, end); }, false);
    const Outcome got = random.run(
        [&](auto& arguments, auto* begin, auto* end, auto) { native->entry()(&arguments, begin, end); }, seed % 2);
    ASSERT_EQ(random.difference(got, expected), "") << "seed " << seed << "\n" << ir::print(random.kernel());
  }
  EXPECT_GT(made, static_cast<int>(kernel_count() / 20));
}

/// sum of x[k] * x[j] over distances j - k: every product of the first distance is live until the last.
ir::Kernel crowded_kernel(DType dtype, int count) {
  ir::Builder b(1, "crowded");
  const ir::Value lane = b.index(0);
  const uint32_t out = b.add_buffer(
      {.dtype = dtype, .ndim = 1, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
  std::vector<ir::Value> x;
  for (int k = 0; k < count; ++k)
    x.push_back(b.load(b.add_buffer({.dtype = dtype, .ndim = 1, .inner = ir::InnerStride::contiguous}), {{lane}}));
  ir::Value total = x[0];
  for (int distance = 1; distance < count; ++distance)
    for (int k = 0; k + distance < count; ++k) total = b.add(total, b.mul(x[k], x[k + distance]));
  b.store(out, total, {{lane}});
  return b.take();
}

TEST_P(BaselineLevel, values_beyond_its_registers_wait_in_memory) {
  constexpr int count = 30;
  constexpr int64_t lanes = 1003;
  const ir::Kernel kernel = crowded_kernel(DType::float64, count);
  const std::unique_ptr<Baseline> native = Baseline::try_make(kernel, GetParam());
  ASSERT_NE(native, nullptr);
  std::vector<std::vector<double>> arrays(count + 2, std::vector<double>(lanes));
  for (int k = 0; k < count; ++k)
    for (int64_t at = 0; at < lanes; ++at) arrays[k + 2][at] = std::sin(static_cast<double>(k * 7 + at));
  const ir::Program program(kernel);
  for (int way = 0; way < 2; ++way) {
    codegen::Binding binding({lanes});
    binding.add(arrays[way].data(), {lanes}, 8);
    for (int k = 0; k < count; ++k) binding.add(arrays[k + 2].data(), {lanes}, 8);
    const int64_t begin = 0;
    if (way == 0) program.run(binding.arguments(), &begin, &lanes);
    if (way == 1) binding.run(native->entry());
  }
  EXPECT_EQ(arrays[0], arrays[1]);
}

TEST_P(BaselineLevel, elements_that_no_register_holds_are_read_before_their_slot_is_taken) {
  const ir::Kernel kernel = ir::parse(R"(kernel map 1 flags 0 {
  buffer complex128 1 write contiguous no_alias
  buffer complex128 1 write contiguous no_alias like 0
  buffer complex128 1 read contiguous no_alias like 0
  buffer complex128 1 read contiguous no_alias like 0
  buffer complex128 1 read contiguous no_alias like 0
  %0 = index.int64 @0
  %1 = load.complex128 @2 %0
  %2 = load.complex128 @3 %0
  %3 = real.float64 %1
  %4 = imag.float64 %1
  %5 = real.float64 %2
  %6 = imag.float64 %2
  %7 = add.float64 %3 %5
  %8 = add.float64 %4 %6
  %9 = make_complex.complex128 %7 %8
  store.complex128 @0 %9 %0
  %11 = mul.float64 %3 %5
  %12 = load.complex128 @4 %0
  %13 = real.float64 %12
  %14 = imag.float64 %12
  %15 = add.float64 %13 %11
  %16 = make_complex.complex128 %15 %14
  store.complex128 @1 %16 %0
})");
  const std::unique_ptr<Baseline> native = Baseline::try_make(kernel, GetParam());
  ASSERT_NE(native, nullptr);
  constexpr int64_t lanes = 1003;
  std::vector<std::vector<double>> arrays(7, std::vector<double>(2 * lanes));
  for (int k = 4; k < 7; ++k)
    for (int64_t at = 0; at < 2 * lanes; ++at) arrays[k][at] = std::sin(static_cast<double>(k * 7 + at));
  const ir::Program program(kernel);
  for (int way = 0; way < 2; ++way) {
    codegen::Binding binding({lanes});
    for (int k : {2 * way, 2 * way + 1, 4, 5, 6}) binding.add(arrays[k].data(), {lanes}, 16);
    const int64_t begin = 0;
    if (way == 0) program.run(binding.arguments(), &begin, &lanes);
    if (way == 1) binding.run(native->entry());
  }
  EXPECT_EQ(arrays[0], arrays[2]);
  EXPECT_EQ(arrays[1], arrays[3]);
}

/// out = exp(x) * y along rows: the function is called, the rest is a lane loop.
ir::Kernel row_kernel() {
  ir::Builder b(2, "rows");
  const ir::Value at[] = {b.index(0), b.index(1)};
  const uint32_t out =
      b.add_buffer({.dtype = DType::float64, .ndim = 2, .readable = false, .writable = true, .no_alias = true});
  const uint32_t x = b.add_buffer({.dtype = DType::float64, .ndim = 2, .no_alias = true});
  const uint32_t y =
      b.add_buffer({.dtype = DType::float64, .ndim = 2, .no_alias = true, .inner = ir::InnerStride::contiguous});
  const ir::Value exponential = b.exp(b.load(x, at)), factor = b.load(y, at);
  const ir::Value product = b.mul(exponential, factor), operands[] = {exponential, factor};
  b.check(ir::ErrorRule::arithmetic, b.add_flag_slot(), product, operands);
  b.store(out, product, at);
  return b.take();
}

TEST_P(BaselineLevel, short_rows_run_together_as_they_would_alone) {
  const ir::Kernel kernel = row_kernel();
  const std::unique_ptr<Baseline> native = Baseline::try_make(kernel, GetParam());
  ASSERT_NE(native, nullptr);
  const ir::Program program(kernel);
  constexpr int64_t rows = 301, space = 31;
  for (int64_t lanes : {1, 5, 25}) {
    for (double large : {3.0, 1e300}) {  // without events; some products overflow
      std::vector<double> x(rows * space), y(rows * space), out[2];
      std::vector<uint32_t> flags[2];
      for (int64_t k = 0; k < rows * space; ++k) {
        x[k] = std::sin(static_cast<double>(k)) * 20;
        y[k] = k % 97 == 0 ? large : 2;
      }
      for (int way = 0; way < 2; ++way) {
        out[way].assign(rows * space, 7);
        codegen::Binding binding({rows, lanes});
        binding.add(out[way].data(), {rows, lanes}, {8 * space, 8});
        binding.add(x.data(), {rows, lanes}, {8, 8 * rows});
        binding.add(y.data(), {rows, lanes}, {8 * space, 8});
        const int64_t begin[] = {0, 0}, end[] = {rows, lanes};
        if (way == 0) program.run(binding.arguments(), begin, end);
        if (way == 1) binding.run(native->entry());
        flags[way] = binding.flags;
      }
      EXPECT_EQ(out[0], out[1]) << lanes;
      EXPECT_EQ(flags[0], flags[1]) << lanes;
    }
  }
}

TEST(BaselineForms, kernels_with_control_flow_are_left_to_the_compiler) {
  EXPECT_EQ(Baseline::try_make(codegen::row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false)), nullptr);
}

INSTANTIATE_TEST_SUITE_P(, BaselineLevel, testing::Values(3, 4), testing::PrintToStringParamName());

}  // namespace
}  // namespace tessera::lanes
