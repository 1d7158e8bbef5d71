/// Compiler: compiles kernels to native code and PTX. The implementation is a library of its own, which is loaded when
/// it is first needed.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/codegen/host_module.h"
#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// The optimisation effort: quick compiles in 1 to 4 ms and its code runs until that of `full` is ready, which takes
/// twice as long to compile and runs up to a third faster.
enum class Tier : uint8_t { quick, full };

/// Kernels that run one after the other in an epilogue; equal when their contents are equal.
struct EpilogueKernels {
  std::vector<std::shared_ptr<const ir::Kernel>> kernels;
  friend bool operator==(const EpilogueKernels& a, const EpilogueKernels& b) {
    const auto is_same = [](const auto& x, const auto& y) { return x == y || *x == *y; };
    return std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(), is_same);
  }
};

/// How a kernel's lanes map to a device's threads; see device_parameters.h for the launch configuration each field
/// requires.
struct DeviceMapping {
  int capability = 80;    // compute capability: 70, 80, 90, ...
  int team = 1;           // threads that share the reductions of one lane: 1, or a multiple of 32 up to 512
  int threads = 0;        // blockDim.x of every launch; 0 where it may differ
  int registers = 0;      // of a thread at most, where the kernel asks for none; 0: the assembler's choice
  int slices = 1;         // threads along y that share the reductions of `threads` neighbouring lanes, in any order
  bool disjoint = false;  // no result overlaps an operand
  int narrow = 0;         // bytes of an element, where lanes are packed into 32-bit words
  int unroll = 1;         // lanes a thread computes at once, a multiple of 4 where they are packed
  /// Kernels of one lane each that the last block of a launch in teams runs after all other blocks are done.
  EpilogueKernels epilogue{};
  /// Blocks per multiprocessor, where each loads its next lane (a chunk that one load reads) while it reduces the
  /// current one; `team` is then 512. 0: not double-buffered.
  int double_buffered = 0;
  bool exact_grid = false;    // the kernel's axes are those of the grid and the block, whose extents they are
  bool mapped = false;        // it is no user's kernel, but made of one over elements (mapping/mapped.h)
  bool fast_compile = false;  // fast-compile variant: the body is written once; half the compile time, slower code
  friend bool operator==(const DeviceMapping&, const DeviceMapping&) = default;
};

/// A function that other code on a device calls: `result name(numbers...)`, parts of complex numbers one after the
/// other, or by Numba's convention `int32 name(result*, numbers...)`, which returns 0.
struct DeviceFunction {
  std::string name;
  int capability = 80;
  bool is_numbas = false;
  std::optional<DType> result{};
  DType computed = DType::int64;  // the type of the words of results: a float's bits, or int64
};

/// Whether a launch of a kernel with this mapping may begin before the launch before it has ended; see
/// device_parameters.h.
inline bool can_begin_early(const DeviceMapping& mapping) {
  return mapping.double_buffered && mapping.capability >= 90;
}

/// Native code of one kernel; destroying the object frees the code.
class NativeKernel {
 public:
  virtual ~NativeKernel() = default;
  virtual ir::KernelEntry entry() const = 0;
  bool is_from_cache = false;  // its code was found in the object cache
};

/// Compiles kernels; thread-safe.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Compiles for this machine; uses the object cache on disk when there is one.
  virtual std::shared_ptr<NativeKernel> compile(const ir::Kernel& kernel, Tier tier) = 0;
  /// Native code of what clang has made of CUDA C++: LLVM's bitcode for a device. Uses the object cache, too. Throws
  /// NotImplementedError for what only a GPU has.
  virtual std::shared_ptr<HostModule> compile_cuda_cpp(std::string_view bitcode, bool is_checked) = 0;
  /// PTX text of one entry named tessera_kernel.
  virtual std::string compile_ptx(const ir::Kernel& kernel, const DeviceMapping& mapping) = 0;
  /// PTX text of a function: of a kernel whose scalars are its parameters and whose only buffer, if it has a result, is
  /// that of the words of results (kernel/compile.h).
  virtual std::string compile_device_function(const ir::Kernel& kernel, const DeviceFunction& function) = 0;
  /// Finds and stores the machine code under a key that the caller makes; without an object cache both do nothing.
  virtual std::optional<std::string> find_object(const std::string& key) = 0;
  virtual void store_object(const std::string& key, const std::string& object) = 0;
  /// LLVM IR after optimisation, for debugging and tests.
  virtual std::string print_llvm(const ir::Kernel& kernel, Tier tier) = 0;
  /// Assembly of the code for this machine, for readers.
  virtual std::string print_assembly(const ir::Kernel& kernel, Tier tier) = 0;
  /// The target: CPU name, features and version, as they enter the keys of the object cache.
  virtual std::string target() const = 0;
};

struct CompilerOptions {
  std::string cache_folder;                  // empty: no object cache
  int64_t cache_limit = int64_t{256} << 20;  // bytes; oldest entries go first
  int cpu_level = 0;                         // 2, 3 or 4 to force x86-64-v2..v4; 0 chooses by feature bits
};

/// The C symbol in libtessera_codegen.so that makes a Compiler.
inline constexpr const char* factory_symbol = "tessera_make_compiler";
using Factory = Compiler*(const CompilerOptions* options);

}  // namespace tessera::codegen
