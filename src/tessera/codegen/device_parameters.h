/// DeviceParameters: the layout of the parameter block from which a compiled device kernel reads all its arguments. A
/// replayed launch only needs new words in the block.
#pragma once

#include <cstdint>

#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// Byte offsets in the block. Words are 64 bits; scalars take 16 bytes each, arrays are as in ir::KernelArguments.
///
/// A kernel is launched as `tessera_kernel(block)`: by value when `by_value`, else by address.
///   rows         all axes but the last, flattened: row blockIdx.y * blockDim.y + threadIdx.y, with the grid as stride.
///                Kernels of one axis require gridDim.y = blockDim.y = 1.
///   lanes        of the last axis, in tiles of blockDim.x * mapping.unroll: tile blockIdx.x, with gridDim.x as stride
///
/// By mapping:
///   team            > 1: blockDim.x is the team; threadIdx.y and blockIdx.x count lanes, blockIdx.y counts rows. Teams
///                   of more than a warp require blockDim.y = 1.
///   threads         > 0: blockDim.x.
///   slices          > 1: blockDim is threads x slices; blockIdx.y counts rows.
///   epilogue        The block continues at ticket() with the address of a 32-bit word that is 0 before and after the
///                   launch, followed at epilogue() by the parameter blocks of the epilogue's kernels, one after the
///                   other.
///   can_begin_early(mapping): the launch may begin while the launch before it ends, if that one writes nothing that
///                   the loads of this one read.
///   exact_grid      gridDim is the kernel's axes 0 to 2 (z, y, x) and blockDim its axes 3 to 5, of at most `threads`
///                   threads; begin and end are not read.
/// Otherwise any grid computes the right result. Kernels with barriers or shared arrays require gridDim.x = 1 and
/// blockDim.x = the last extent.
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

  /// The offsets of the ticket word's address and of the epilogue's parameters, in a launch with an epilogue.
  int64_t ticket() const { return size; }
  int64_t epilogue() const { return size + 8; }

  /// Whether the block fits the 4096 bytes of kernel parameters that every device and driver supports.
  bool by_value() const { return size <= 4096; }

  int64_t flags = 0;  // address of the event words
  int64_t zero = 8;   // always 0, which compilers cannot know
  int64_t begin, end, extents, buffers, strides, dimensions, scalars, size;
};

}  // namespace tessera::codegen
