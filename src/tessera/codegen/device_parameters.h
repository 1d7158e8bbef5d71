/// DeviceParameters: the block of memory a compiled device kernel reads everything from, so that a replayed launch only
/// needs new words in it.
#pragma once

#include <cstdint>

#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// Byte offsets in the block. Words are 64 bits; scalars take 16 bytes each, arrays are as in ir::KernelArguments.
///
/// A kernel is launched as `tessera_kernel(block)`. blockIdx.y walks the rows (all axes but the last, flattened) and
/// blockIdx.x * blockDim.x + threadIdx.x the lanes of a row, both with the grid as stride, so any grid is right.
/// Kernels with barriers or shared arrays want gridDim.x = 1 and blockDim.x = the extent of the last axis.
struct DeviceParameters {
  explicit DeviceParameters(const ir::Kernel& kernel) {
    int64_t axes = 0;
    for (const ir::BufferParam& buffer : kernel.buffers) axes += buffer.ndim;
    begin = 8;
    end = begin + 8 * kernel.ndim;
    extents = end + 8 * kernel.ndim;
    buffers = extents + 8 * kernel.ndim;
    strides = buffers + 8 * static_cast<int64_t>(kernel.buffers.size());
    dimensions = strides + 8 * axes;
    scalars = dimensions + 8 * axes;
    size = scalars + 16 * static_cast<int64_t>(kernel.scalars.size());
  }

  int64_t flags = 0;  // address of the event words
  int64_t begin, end, extents, buffers, strides, dimensions, scalars, size;
};

}  // namespace tessera::codegen
