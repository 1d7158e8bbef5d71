/// Kernels that draw NumPy's seeded numbers from a stream of words, block by block of threads.
///
/// A block makes its words, and a few of the next block's. It finds the attempts of its draws, each of which takes one
/// unit (a word, a half of one, or a pair) and in rare cases more, and either yields a number or does not. The chain of
/// attempts depends on the unit at which it enters the block. All chains meet after a few attempts, so a block follows
/// the one that enters at its first unit, and tells where that leaves; then it knows where its own enters, counts its
/// numbers, adds up what the blocks before it tell, and writes. A chain that leaves elsewhere is left to the host.
#pragma once

#include "tessera/ir/kernel.h"
#include "tessera/routines/stream_draw/draw_form.h"

namespace tessera::routines {

/// Draws of one unit each. Buffers: words, out; scalars: of the words, [is half pending, half], parameters, the unit of
/// the first number, numbers
ir::Kernel draw_units_kernel(const DrawForm& form);
/// Buffers: words, [inside, width, height, overrides, undecided,] status, counts (int64), exits (uint32), [tails,] out;
/// scalars: of the words, [is half pending, half,] parameters, [overrides,] entry of the first block (of pairs: the
/// place of the first number), numbers, [most tails]
ir::Kernel draw_numbers_kernel(const DrawForm& form);
/// Writes numbers that the host computed. Buffers: places, values, out; no scalars
ir::Kernel patch_numbers_kernel(DType dtype);
/// Writes pairs whose logarithms the host computed. Buffers: tails, logarithms, out; scalars: most tails, numbers,
/// [first, second]
ir::Kernel patch_pairs_kernel(bool is_scaled);

}  // namespace tessera::routines
