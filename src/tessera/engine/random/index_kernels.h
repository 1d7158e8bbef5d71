/// Kernels of random numbers that are functions of a key and an index alone: the same program on the host and on a
/// device.
#pragma once

#include <array>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// Long integers, for ranges of more than 32 bits, are made of two words each: how much more likely one is than another
/// is at most the range's part of 2^64 for integers, of 2^128 for long ones.
enum class IndexDraw : uint8_t { uniform, normal, integers, long_integers };

/// A lane makes one Philox block of four 32-bit words: four float32 numbers, or two of 64 bits.
constexpr int64_t numbers_a_block(DType dtype) { return dtype == DType::float32 ? 4 : 2; }

/// `whole`: the first number begins a block, and the result lies where words of 16 bytes may be stored.
/// buffers: out; scalars: those of draw_scalars, numbers of the first block to skip, numbers; of any integers: low,
/// range (integers: 0 for 2^64)
ir::Kernel index_draw_kernel(IndexDraw draw, DType dtype, bool whole);

/// The rounds' keys, the blocks' upper words and the first block's number; draws that differ in kind or dtype have
/// blocks of their own.
std::vector<int64_t> draw_scalars(IndexDraw draw, DType dtype, const std::array<uint64_t, 2>& key,
                                  uint64_t first_block);

}  // namespace tessera::engine
