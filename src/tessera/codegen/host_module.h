/// HostModule: CUDA C++ that clang has compiled, as native code for the cores.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::codegen {

namespace cuda_cpp {
class LaunchChecks;
}

/// Memory that a parameter points to; null where that is not known.
struct HostRange {
  const char* begin = nullptr;
  const char* end = nullptr;
};

/// A launch, as the code reads it.
struct HostLaunch {
  void* const* values = nullptr;  // of the parameters
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  int64_t shared_bytes = 0;  // dynamic shared memory of each block
  /// Where the first assertion that fails is told.
  std::atomic<std::string*>* failure = nullptr;
  std::span<const HostRange> memory{};  // of the parameters, where the kernel is checked
  cuda_cpp::LaunchChecks* checks = nullptr;

  int64_t blocks() const { return int64_t{grid[0]} * grid[1] * grid[2]; }
  int64_t threads() const { return int64_t{block[0]} * block[1] * block[2]; }
};

struct HostKernelFacts {
  std::vector<int64_t> parameter_sizes;
  int64_t static_shared_bytes = 0;
  int64_t constant_bytes = 0;
  int64_t thread_bytes = 0;     // what a thread keeps while it waits
  int64_t most_threads = 1024;  // of a block, by the kernel's launch bounds
  bool meets_in_grid = false;   // blocks wait for each other
  bool is_checked = false;      // it tells of faults
};

/// Calls piece(begin, end) for parts of [0, count), on as many threads as there are.
using InParallel = std::function<void(int64_t count, const std::function<void(int64_t, int64_t)>& piece)>;

/// A kernel; it keeps its module's code loaded.
class HostKernel {
 public:
  virtual ~HostKernel() = default;
  virtual const HostKernelFacts& facts() const = 0;
  /// Runs all blocks; returns when they have ended. Throws what an assertion of the kernel's says; returns the faults
  /// of a kernel that is checked.
  virtual std::vector<std::string> run(const HostLaunch& launch, const InParallel& in_parallel) const = 0;
};

struct HostVariable {
  char* data = nullptr;
  size_t nbytes = 0;
};

class HostModule {
 public:
  virtual ~HostModule() = default;
  /// By symbol, or by the name of an expression's record (`tessera_expression_0`); null if there is none.
  virtual std::shared_ptr<HostKernel> find(const std::string& name) = 0;
  virtual std::optional<HostVariable> find_variable(const std::string& name) = 0;
};

}  // namespace tessera::codegen
