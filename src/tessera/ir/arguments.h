/// KernelArguments: the inputs of a kernel execution, in one layout for the interpreter, native code and PTX.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::ir {

/// What the lanes of a run wait for: `grid_barrier`, or `pause`, whose others may run meanwhile or not.
enum class Wait : uint8_t { for_grid, for_others };

/// Memory from which a run takes small new arrays, one behind the other. Native code reads it by offset.
struct ArrayArena {
  uintptr_t next = 0, end = 0;  // what is left of the block
  uintptr_t begin = 0;          // of the block

  /// Makes what was taken since `next` was `mark` free again. Blocks that were full before are not used any more.
  void release(uintptr_t mark) { next = mark >= begin && mark <= end ? mark : begin; }
};

inline constexpr int64_t arena_alignment = 32;        // bytes
inline constexpr DType arena_dtype = DType::uint64;   // of the arrays that are blocks
inline constexpr int64_t most_arena_bytes = 1 << 15;  // of one array

/// Array lengths follow from the kernel's parameters. Native code reads this struct by offset: keep it plain.
struct KernelArguments {
  char* const* buffers;       // element (0, ..., 0) of each buffer parameter
  const int64_t* strides;     // bytes; ndim of each buffer parameter, one after the other
  const int64_t* dimensions;  // extents of the buffer parameters, in the layout of strides; read by `dimension` only
  const char* scalars;        // 16 bytes each, the value in the first bytes
  const int64_t* extents;     // of the whole parallel space
  uint32_t* flags;            // one word per flag slot, into which FloatEvent bits are ORed; null when flag_slots is 0
  int64_t shared_bytes = 0;   // of a block's dynamic shared memory
  /// What `call_host` calls with the host's number for it and its operands; null where a kernel calls nothing.
  int64_t (*host)(void* context, uint32_t function, const int64_t* operands) = nullptr;
  void* host_context = nullptr;
  ArrayArena* arena = nullptr;  // null where there is no host
  /// What the barriers of a grid and `pause` call; null where a kernel has neither, and for the interpreter of one
  /// block.
  void (*wait_for)(Wait what) = nullptr;
  void wait(Wait what) const {
    if (wait_for) wait_for(what);
  }
};

/// Runs the lanes of the box [begin, end) of the parallel space (ndim numbers each). Thread-safe for disjoint boxes.
using KernelEntry = void (*)(const KernelArguments* arguments, const int64_t* begin, const int64_t* end);

}  // namespace tessera::ir
