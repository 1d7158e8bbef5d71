/// Kernels that draw NumPy's seeded numbers from a stream of words, block by block of threads.
///
/// A block makes its words, and a few of the next block's. It finds the attempts of its draws, each of which takes one
/// unit (a word, or a half of one) and in rare cases more, and either yields a number or does not. The chain of
/// attempts depends on the unit at which it enters the block, so `draw_counts_kernel` follows it from each of the first
/// units; all meet after a few attempts, so that the next block's entry is known without this one's. One block adds
/// the counts up, and checks that the chains have met; then the numbers are written.
#pragma once

#include "tessera/ir/kernel.h"
#include "tessera/routines/stream_draw/draw_form.h"

namespace tessera::routines {

/// Draws of one unit each. Buffers: words, out; scalars: of the words, [is half pending, half], numbers, parameters
ir::Kernel draw_units_kernel(const DrawForm& form);
/// Buffers: words, [inside, width, height, overrides, undecided,] status, maps; scalars: of the words, [is half
/// pending, half,] parameters, [overrides]. A map has for each entry the count * 256 + exit (uint32).
ir::Kernel draw_counts_kernel(const DrawForm& form);
/// One block. Buffers: maps, status, begins (int64); scalars: blocks, entry of the first
ir::Kernel draw_begins_kernel();
/// Buffers: words, [inside, width, height, overrides, undecided,] status, maps, begins, [tails,] out; scalars: of the
/// words, [is half pending, half,] parameters, [overrides,] entry of the first block, numbers, [most tails]
ir::Kernel draw_numbers_kernel(const DrawForm& form);
/// Writes numbers that the host computed. Buffers: tails, values, out; no scalars
ir::Kernel patch_numbers_kernel(DType dtype);

}  // namespace tessera::routines
