/// DeviceParameters: the block of bytes a compiled device kernel reads everything from, so that a replayed launch only
/// needs new words in it.
#pragma once

#include <cstdint>

#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// Byte offsets in the block. Words are 64 bits; scalars take 16 bytes each, arrays are as in ir::KernelArguments.
///
/// A kernel is launched as `tessera_kernel(block)`: by value when `by_value`, else by address.
///   rows         all axes but the last, flattened: blockIdx.y * blockDim.y + threadIdx.y, the grid as stride. Kernels
///                of one axis want gridDim.y = blockDim.y = 1.
///   lanes        of the last axis, in tiles of blockDim.x * form.copies: tile blockIdx.x, gridDim.x as stride
///                with form.flat: of the last two axes as one
///   form.rows    > 1: blockIdx.y counts so many rows, blockIdx.x form.threads lanes; blockDim.y = 1.
///   form.team    > 1: blockDim.x is the team; threadIdx.y and blockIdx.x count lanes, blockIdx.y counts rows. Teams of
///                more than a warp want blockDim.y = 1.
///   form.threads > 0: blockDim.x.
///   form.slices  > 1: blockDim is form.threads x form.slices; blockIdx.y counts rows.
///   form.following: their parameters lie one after the other from following() on, behind the address of a 32-bit word
///   that is
///                0 before and after.
///   can_begin_early(form): while the launch before it ends, if that one writes nothing that its loads read.
///   form.crossed: blockIdx.x counts 32 lanes, blockIdx.y 32 of cross_axis and all other axes; blockDim is 32 x 8.
///                with short_extent: blockIdx.x counts 256 of the long axis, blockIdx.y all axes but the two.
/// Any grid is right otherwise. Kernels with barriers or shared arrays want gridDim.x = 1 and blockDim.x = the last
/// extent.
struct DeviceParameters {
  explicit DeviceParameters(const ir::Kernel& kernel) {
    int64_t axes = 0;
    for (const ir::BufferParam& buffer : kernel.buffers) axes += buffer.ndim;
    begin = 16;
    end = begin + 8 * kernel.ndim;
    extents = end + 8 * kernel.ndim;
    buffers = extents + 8 * kernel.ndim;
    strides = buffers + 8 * static_cast<int64_t>(kernel.buffers.size());
    dimensions = strides + 8 * axes;
    scalars = dimensions + 8 * axes;
    size = scalars + 16 * static_cast<int64_t>(kernel.scalars.size());
  }

  /// Of a launch that another kernel follows in.
  int64_t ticket() const { return size; }
  int64_t epilogue() const { return size + 8; }

  /// What every device and driver takes as kernel parameters.
  bool by_value() const { return size <= 4096; }

  int64_t flags = 0;  // address of the event words
  int64_t zero = 8;   // always 0, which no compiler knows
  int64_t begin, end, extents, buffers, strides, dimensions, scalars, size;
};

}  // namespace tessera::codegen
