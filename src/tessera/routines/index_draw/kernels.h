/// Kernels for random numbers that depend only on a key and an index: the same program on the host and on a device.
#pragma once

#include <array>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::routines {

/// Long integers, for ranges of more than 32 bits, use two words each. The relative bias between values is at most
/// range / 2^64 for integers, range / 2^128 for long ones.
enum class IndexDraw : uint8_t { uniform, normal, integers, long_integers };

/// A lane makes one Philox block of four 32-bit words: four float32 numbers, or two of 64 bits.
constexpr int64_t numbers_a_block(DType dtype) { return dtype == DType::float32 ? 4 : 2; }

/// `whole`: the first number begins a block, and the result is aligned for stores of 16 bytes.
/// buffers: out; scalars: those of draw_scalars, numbers of the first block to skip, numbers; for integers also: low,
/// range (integers: 0 for 2^64)
ir::Kernel index_draw_kernel(IndexDraw draw, DType dtype, bool whole);

/// The keys of the rounds, the upper words of the blocks and the number of the first block; draws that differ in kind
/// or dtype use different blocks.
std::vector<int64_t> draw_scalars(IndexDraw draw, DType dtype, const std::array<uint64_t, 2>& key,
                                  uint64_t first_block);

}  // namespace tessera::routines
