/// FunctionArguments: what a user's function of one lane gets when the host calls it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tessera/engine/kernels/user_kernel.h"
#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"
#include "tessera/layout/dtype.h"
#include "tessera/layout/view.h"

namespace tessera {

/// The code that ran last, kept from call to call of one function: arrays mostly lie as they did before.
struct FunctionCode {
  engine::LaunchLayout layout;
  std::shared_ptr<engine::CachedKernel> code;
  std::vector<int64_t> axes;  // strides and extents, of calls that are all given views of the same kind
  /// Where its machine code is, null while it is interpreted; stays as long as `code`.
  const std::atomic<ir::KernelEntry>& entry() const;
};

/// What the host's functions may know of the code that calls them.
struct CallState {
  const ir::ArrayArena* arena = nullptr;  // of the code, while `stack` is there
  const void* stack =
      nullptr;  // in the frame that called the machine code; null where none runs, or on several threads
};

/// Buffers and scalars are those of the function's kernel, in order.
struct FunctionArguments {
  std::span<char* const> memory;  // element (0, ..., 0) of each buffer
  std::span<const View> views;    // with offset 0
  std::span<const Scalar> scalars;
  bool are_alike = false;  // whether every call is given these views, of memory that only it uses
  /// What ir::Opcode::call_host calls.
  int64_t (*host)(void* context, uint32_t function, const int64_t* operands) = nullptr;
  void* context = nullptr;
  uint32_t apart = ~uint32_t{0};  // for this number and those above several threads may call it at once
  bool packs_arrays = true;       // whether small new arrays lie side by side in blocks of memory
  /// Functions of `first_part` and more are these, which run on several threads: operands are the number of calls, then
  /// two words for each scalar that follows the function's own; the last scalar is the call's number.
  std::span<const std::shared_ptr<const ir::Kernel>> parts = {};
  uint32_t first_part = 0;
  CallState* state = nullptr;
  bool unlocks = false;  // whether it runs without the caller's lock
};

using FunctionRunner = std::function<void(const ir::KernelArguments&)>;

}  // namespace tessera
