/// Compiler: turns kernels into native code and PTX. The room behind it is a library of its own, opened when first
/// needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// quick compiles in about 2 ms and serves until `full` (loop blocking, unrolling) is ready.
enum class Tier : uint8_t { quick, full };

/// Native code of one kernel; freeing it frees the code.
class NativeKernel {
 public:
  virtual ~NativeKernel() = default;
  virtual ir::KernelEntry entry() const = 0;
};

/// Thread-safe.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Compiles for this machine, through the object cache on disk when it has one.
  virtual std::shared_ptr<NativeKernel> compile(const ir::Kernel& kernel, Tier tier) = 0;
  /// PTX text for compute capability `sm` (70, 80, 90, ...). The lanes of the last axis are threadIdx.x.
  virtual std::string compile_ptx(const ir::Kernel& kernel, int sm) = 0;
  /// LLVM IR after optimisation, for people and tests.
  virtual std::string print_llvm(const ir::Kernel& kernel, Tier tier) = 0;
  /// Target in use: CPU name, features and version, as the object cache keys it.
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
