/// MachineCode: memory with the code of one kernel, written once and then executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/ir/arguments.h"
#include "tessera/lanes/baseline/lane_loop.h"

namespace tessera::lanes {

class MachineCode {
 public:
  /// For x86-64-v<level>, 3 or 4, which this processor must have.
  explicit MachineCode(int level);
  ~MachineCode();

  /// Whether code for this level can run here.
  static bool is_available(int level);
  /// Where the loop's code begins. Throws NotImplementedError when it keeps too many values alive.
  size_t write(const ir::Kernel& kernel, const LaneLoop& loop);
  /// An entry that calls target(arguments, begin, end, context).
  using Target = void(const ir::KernelArguments* arguments, const int64_t* begin, const int64_t* end,
                      const void* context);
  size_t write_entry(Target* target, const void* context);
  /// Nothing can be written from now on.
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
