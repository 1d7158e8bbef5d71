/// Compiler: turns kernels into native code and PTX. The room behind it is a library of its own, opened when first
/// needed.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// quick compiles in 1 to 4 ms and serves until `full`, which takes twice that and computes up to a third faster, is
/// ready.
enum class Tier : uint8_t { quick, full };

/// Other kernels, one after the other; alike when they say the same.
struct EpilogueKernels {
  std::vector<std::shared_ptr<const ir::Kernel>> kernels;
  friend bool operator==(const EpilogueKernels& a, const EpilogueKernels& b) {
    const auto is_same = [](const auto& x, const auto& y) { return x == y || *x == *y; };
    return std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(), is_same);
  }
};

/// What a buffer reads: the elements of another one, or of itself, so many rows and lanes further on.
struct PlaceIn {
  int buffer = 0;
  int rows = 0;
  int lanes = 0;
  friend bool operator==(const PlaceIn&, const PlaceIn&) = default;
  friend auto operator<=>(const PlaceIn&, const PlaceIn&) = default;
};

/// How a kernel's lanes are spread over a device's threads; see device_parameters.h for the launch it wants.
struct DeviceMapping {
  int capability = 80;      // compute capability: 70, 80, 90, ...
  int width = 1;            // neighbouring lanes a thread takes together, for 16-byte accesses
  int unroll = 1;           // lanes a thread takes at once, in runs of `width`; 1 for bodies with control flow
  int team = 1;             // threads that share the folds of one lane: 1, or a multiple of 32 up to 512
  int threads = 0;          // blockDim.x of every launch; 0 where that may differ
  int slices = 1;           // threads along y that share the folds of `threads` neighbouring lanes, in any order
  bool disjoint = false;    // no result lies where an operand does
  uint32_t transposed = 0;  // bits of the buffers that are read in runs along cross_axis, for blocks of 32 x 8 threads
  int transposed_axis = 0;
  int short_axis =
      0;  // where the lanes or those of cross_axis are few: which, and how many; blocks then have 256 threads
  int short_extent = 0;
  int flat = 0;  // lanes of a row where those of neighbouring rows are taken together, fewer than 2^31 of them; `width`
                 // is then 1
  int narrow = 0;  // bytes of the elements of lanes that are computed by the word; `copies` is then a multiple of 4
  EpilogueKernels
      epilogue{};  // of one lane each, which the last block of a launch in teams computes when all others are done
  int double_buffered = 0;  // blocks a multiprocessor whose next lanes, chunks of what one load reads, are on their way
                            // while these are joined; `team` is 512
  int rows = 1;  // of two axes: rows one below the other that a thread takes of its lane, `copies` being 1 and results
                 // disjoint
  std::vector<PlaceIn> places{};  // by buffer, where `rows` share what they read
  bool fast_compile = false;  // the body once and little else, for a first result: there in half the time, and slower
  friend bool operator==(const DeviceMapping&, const DeviceMapping&) = default;
};

/// Whether a kernel in this form may begin while the launch before it ends; see device_parameters.h.
inline bool can_begin_early(const DeviceMapping& mapping) {
  return mapping.double_buffered && mapping.capability >= 90;
}

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
  /// PTX text of one entry named tessera_kernel.
  virtual std::string compile_ptx(const ir::Kernel& kernel, const DeviceMapping& mapping) = 0;
  /// The machine code kept on disk under a key of the caller's, and its keeping; nothing without an object cache.
  virtual std::optional<std::string> find_object(const std::string& key) = 0;
  virtual void store_object(const std::string& key, const std::string& object) = 0;
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
