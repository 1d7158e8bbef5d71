/// MachineCode: executable memory with the code of one kernel; it is written once and then made executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/ir/arguments.h"
#include "tessera/lanes/baseline/lane_loop.h"

namespace tessera::lanes {

class MachineCode {
 public:
  /// For x86-64-v<level>, 3 or 4, which this processor must support.
  explicit MachineCode(int level);
  ~MachineCode();

  /// Whether code for this level can run here.
  static bool is_available(int level);
  /// Writes the loop and returns the offset of its code. Throws NotImplementedError when too many values are live.
  size_t write(const ir::Kernel& kernel, const LaneLoop& loop);
  /// Writes an entry that calls target(arguments, begin, end, context) and returns its offset.
  using Target = void(const ir::KernelArguments* arguments, const int64_t* begin, const int64_t* end,
                      const void* context);
  size_t write_entry(Target* target, const void* context);
  /// Makes the code executable; nothing can be written afterwards.
  void finish();
  template <class Function>
  Function at(size_t offset) const {
    return reinterpret_cast<Function>(address(offset));
  }

 private:
  uintptr_t address(size_t offset) const;
  const int level_;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::lanes
