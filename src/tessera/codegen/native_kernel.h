/// Jit: loads object code into memory, one kernel at a time, and unloads it when the kernel is destroyed.
#pragma once

#include <memory>
#include <string_view>

#include "tessera/codegen/compiler.h"

namespace tessera::codegen {

/// The symbol every kernel's object defines.
inline constexpr const char* entry_symbol = "tessera_kernel";

/// Thread-safe. Each kernel holds a reference to its Jit.
class Jit : public std::enable_shared_from_this<Jit> {
 public:
  /// For x86-64-v<level>.
  static std::shared_ptr<Jit> make(int level);
  virtual ~Jit() = default;
  /// Links an object compiled from this kernel; throws RuntimeError when the object is not valid.
  virtual std::shared_ptr<NativeKernel> load(std::string_view object, const ir::Kernel& kernel) = 0;
};

}  // namespace tessera::codegen
