/// Kernels that make the words of the Mersenne twister in segments, each from a state of its own.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

constexpr int64_t twister_size = 624;  // words of a state
constexpr int twister_threads = 256;
constexpr int twister_chunks = 32;  // of 624 positions of a jump

/// States of segments far ahead: segment `count` + b from segment b, for each block b. Buffers: states (uint32, 624
/// words a segment), positions of the jump (uint32), where each chunk's begin among them (int64); scalar: count
ir::Kernel twister_jump_kernel();
/// Buffers: states, out (uint32); scalars: words of a segment, words to skip, words, 1 where the two of a 64-bit word
/// are exchanged, else 0
ir::Kernel twister_words_kernel();

}  // namespace tessera::routines
