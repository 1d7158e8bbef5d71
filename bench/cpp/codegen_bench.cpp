// Compile times and throughput of the code generator. Prints a table or, with `llvm <kernel>`, a kernel's LLVM IR or,
// with `ptx <kernel, or file with one> <capability> <width> <unroll> <team>`, its PTX.
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/lanes/baseline/baseline.h"

using namespace tessera;
using namespace tessera::codegen;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds, the minimum of several runs, which a busy machine distorts least.
double least(const std::function<void()>& work, int repeats) {
  double best = 1e9;
  for (int k = 0; k < repeats; ++k) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
  }
  return best;
}

/// Milliseconds of this thread's processor time, the minimum of several runs: the cost of a compilation.
double processor_ms(const std::function<void()>& work, int repeats) {
  const auto clock = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
  };
  double least = 1e9;
  for (int k = 0; k < repeats; ++k) {
    const double start = clock();
    work();
    least = std::min(least, clock() - start);
  }
  return least;
}

struct Case {
  std::string name;
  ir::Kernel kernel;
  std::function<Binding(char* data)> bind;
  double bytes;  // bytes moved by one run, counting each array once
};

constexpr int64_t length = 1 << 23;

std::vector<Case> cases() {
  const auto linear = [](int arrays, int64_t item, std::vector<Scalar> scalars) {
    return [=](char* data) {
      Binding binding({length});
      for (int k = 0; k < arrays; ++k) binding.add(data + k * (length * 8 + 4096), {length}, item);
      for (const Scalar& s : scalars) binding.add_scalar(s);
      return binding;
    };
  };
  const auto stencil = [](char* data) {
    const int64_t n = 3502, item = 8;
    Binding binding({n - 2, n - 2});
    for (int64_t offset : {n + 1, int64_t{1}, 2 * n + 1, n, n + 2})
      binding.add(data + offset * item, {n - 2, n - 2}, std::vector<int64_t>{n * item, item});
    binding.add(data + n * n * item + (n + 1) * item, {n - 2, n - 2}, std::vector<int64_t>{n * item, item});
    return binding.add_scalar(Scalar::of_float(DType::float64, 0.2));
  };
  const auto rows = [](int64_t n, int64_t item) {
    return [=](char* data) {
      return Binding({length / n}).add(data, {length / n, n}, item).add(data + length * item, {length / n}, item);
    };
  };
  const auto columns = [](char* data) {
    return Binding({2048}).add(data, {length / 2048, 2048}, 8).add(data + length * 8, {2048}, 8);
  };
  const std::vector<Scalar> market64 = {Scalar::of_float(DType::float64, 0.02), Scalar::of_float(DType::float64, 0.3)};
  const std::vector<Scalar> market32 = {Scalar::of_float(DType::float32, 0.02), Scalar::of_float(DType::float32, 0.3)};
  const double stencil_bytes = 3500.0 * 3500 * 16;
  std::vector<Case> list;
  for (bool streaming : {false, true}) {
    const std::string suffix = streaming ? " streaming" : "";
    list.push_back({"chain f64" + suffix, chain_kernel(DType::float64, streaming), linear(3, 8, {}), length * 24.0});
    list.push_back({"stencil f64" + suffix, stencil_kernel(DType::float64, streaming), stencil, stencil_bytes});
    list.push_back(
        {"stencil f64 checked" + suffix, stencil_kernel(DType::float64, streaming, true), stencil, stencil_bytes});
    list.push_back({"black_scholes f64" + suffix, black_scholes_kernel(DType::float64, streaming),
                    linear(5, 8, market64), length * 40.0});
    list.push_back({"black_scholes f32" + suffix, black_scholes_kernel(DType::float32, streaming),
                    linear(5, 4, market32), length * 20.0});
  }
  list.push_back({"sum f64, rows of 8192", row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false),
                  rows(8192, 8), length * 8.0});
  list.push_back({"sum f64, rows of 100", row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false),
                  rows(100, 8), length * 8.0});
  list.push_back({"sum f32, rows of 2^20", row_sum_kernel(DType::float32, ir::ReduceOrder::pairwise, false),
                  rows(1 << 20, 4), length * 4.0});
  list.push_back({"sum of squares f64", row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, true), rows(8192, 8),
                  length * 8.0});
  list.push_back({"column sum f64", column_sum_kernel(DType::float64), columns, length * 8.0});
  return list;
}

/// The compile times and throughputs of a kernel in each tier.
class Row {
 public:
  void add(double ms, const Case& c, char* data, int64_t bytes, ir::KernelEntry entry) {
    const bool is_float = c.name.find("f32") != std::string::npos;
    for (int64_t k = 0; k < bytes / 8; ++k) {
      const float pair[2] = {1.0f + static_cast<float>(k % 97) / 97, 1.0f + static_cast<float>(k % 89) / 97};
      const double one = pair[0];
      std::memcpy(data + k * 8, is_float ? static_cast<const void*>(pair) : &one, 8);
    }
    Binding binding = c.bind(data);
    ms_.push_back(ms);
    rates_.push_back(c.bytes / least([&] { binding.run(entry); }, 9) / 1e9);
  }
  void add_none() {
    ms_.push_back(NAN);
    rates_.push_back(NAN);
  }
  void print(const std::string& name) const {
    std::printf("%-30s", name.c_str());
    for (const auto* column : {&ms_, &rates_})
      for (double number : *column) std::printf(" %10.2f", number);
    std::printf("\n");
  }

 private:
  std::vector<double> ms_, rates_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 2 ? argv[1] : "";
  const double start = now();
  std::unique_ptr<Compiler> compiler = open_compiler();
  const double opened = now();
  if (command == "llvm") {
    for (const Case& c : cases())
      if (c.name == argv[2]) std::puts(compiler->print_llvm(c.kernel, Tier::full).c_str());
    return 0;
  }
  if (command == "ptx" && argc > 6) {
    const DeviceMapping mapping{std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]), std::atoi(argv[6])};
    for (const Case& c : cases())
      if (c.name == argv[2]) std::puts(compiler->compile_ptx(c.kernel, mapping).c_str());
    if (std::ifstream file(argv[2]); file) {
      const std::string text(std::istreambuf_iterator<char>(file), {});
      std::puts(compiler->compile_ptx(ir::parse(text), mapping).c_str());
    }
    return 0;
  }
  const int64_t bytes = 6 * (length * 8 + 4096);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  madvise(memory, bytes, MADV_HUGEPAGE);
  char* data = static_cast<char*>(memory);
  compiler->compile(cases()[0].kernel, Tier::quick);
  std::printf("%s: library %.1f ms, compiler and first kernel %.1f ms\n", compiler->target().c_str(),
              (opened - start) * 1e3, (now() - opened) * 1e3);
  std::printf("%-30s %10s %10s %10s %10s %10s %10s\n", "kernel", "base ms", "quick ms", "full ms", "base GB/s",
              "quick GB/s", "full GB/s");
  for (const Case& c : cases()) {
    Row row;
    std::unique_ptr<lanes::Baseline> baseline;
    const double ms = processor_ms([&] { baseline = lanes::Baseline::try_make(c.kernel); }, 15);
    if (baseline) row.add(ms, c, data, bytes, baseline->entry());
    if (!baseline) row.add_none();
    for (Tier tier : {Tier::quick, Tier::full}) {
      std::shared_ptr<NativeKernel> native;
      const double ms = processor_ms([&] { native = compiler->compile(c.kernel, tier); }, 15);
      row.add(ms, c, data, bytes, native->entry());
    }
    row.print(c.name);
  }
  return 0;
}
