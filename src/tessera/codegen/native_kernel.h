/// Jit: loads object code into memory, one kernel at a time, and unloads it when the kernel is destroyed.
#pragma once

#include <memory>
#include <string_view>

#include "tessera/codegen/compiler.h"

namespace tessera::codegen {

/// The symbol every kernel's object defines.
inline constexpr const char* entry_symbol = "tessera_kernel";

/// Code that has a symbol of its own; the last reference frees it.
struct LoadedCode {
  std::shared_ptr<void> code;
  void* address = nullptr;
};

/// Thread-safe. Each kernel holds a reference to its Jit.
class Jit : public std::enable_shared_from_this<Jit> {
 public:
  /// For x86-64-v<level>.
  static std::shared_ptr<Jit> make(int level);
  virtual ~Jit() = default;
  /// Links an object compiled from this kernel; throws RuntimeError when the object is not valid.
  virtual std::shared_ptr<NativeKernel> load(std::string_view object, const ir::Kernel& kernel) = 0;
  /// The same of an object that is no kernel's, and the address of a symbol of it.
  virtual LoadedCode load_code(std::string_view object, const char* symbol) = 0;
};

}  // namespace tessera::codegen
