/// BoxCopies: copies of strided boxes on one device.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tessera/engine/device/run/routine_runner.h"
#include "tessera/plan/moves.h"
#include "tessera/plan/request.h"

namespace tessera::engine {

/// The launch that moves boxes of `item`-byte items; the caller adds the boxes.
routines::KernelLaunch moves_routine(int64_t item);

/// Small ones are copied by a kernel, many in one launch.
class BoxCopies {
 public:
  BoxCopies(runtime::Device& device, RoutineRunner& routines) : device_(device), routines_(routines) {}

  void copy(const char* from, char* to, const std::vector<plan::ByteBox>& boxes, codegen::Compiler* compiler);
  /// Bytes that come from memory which kernels of the device may read, in as few launches; false, with nothing done,
  /// where they are more than a kernel should copy, or it is not available.
  struct Pull {
    const char* from;
    char* to;
    int64_t nbytes;
  };
  bool pull(std::span<const Pull> pulls, codegen::Compiler* compiler);
  /// False, with nothing done, where the set's kernel is not available.
  bool move(const plan::MoveSet& set, const plan::Request& request, const std::function<char*(int32_t slot)>& memory,
            codegen::Compiler* compiler);

 private:
  /// In one launch; false when the kernel is not available. Boxes have at most two repeated axes.
  bool copy_few(const char* from, char* to, std::span<const plan::ByteBox> boxes, codegen::Compiler* compiler);

  runtime::Device& device_;
  RoutineRunner& routines_;
};

}  // namespace tessera::engine
