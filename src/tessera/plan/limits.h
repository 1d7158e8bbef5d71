/// Limits: the numbers by which windows become steps. ReductionCut decides bits; all others decide only speed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::plan {

/// Where long reductions are cut into chunks, which threads and GPUs share. DECIDES BITS: sums and products of floats
/// round in the order that these numbers give, so they depend on the shape alone and are the same on every machine.
/// What a chunk itself adds first (leaves of 128 elements) is the IR's: ir::ReduceKind in ir/kernel.h.
struct ReductionCut {
  /// Elements. NumPy's block, so shorter sums have NumPy's bits. Interpreter, loops, compiled code and device kernels
  /// have trees of that size, too.
  static constexpr int64_t chunk = 8192;
  /// Elements along the innermost axis that one lane still reduces alone, in chunks over the IR's tree.
  static constexpr int64_t longest_pairwise = 32768;
  /// Elements along another axis that one lane still reduces alone, first to last.
  static constexpr int64_t longest_sequential = 2 * chunk;
  /// Number of results from which on there are lanes enough without a cut.
  static constexpr int64_t few_results = 4096;
};

/// Which nodes share a kernel.
struct FusionLimits {
  /// Nodes. Bounds the time that compiling takes; not measured.
  static constexpr size_t most_nodes_a_group = 64;
  /// Loads and stores. Black-Scholes stays one kernel: 10^7 doubles on one thread 128 to 53 ms, together with a loop
  /// for each long function; bench/README.md has it on two.
  static constexpr int most_accesses_a_group = 24;
  /// Bytes. Windows that load and store fewer are not grouped again; not measured. For what grouping again brings: a
  /// step of cavity flow (bench/gpu.md) moves 1.1 GB instead of 2.1.
  static constexpr int64_t much_to_move = 1 << 20;
};

/// How plans use memory.
struct MemoryLimits {
  /// Bytes. Results of this size are no longer in a cache when they are read again, so non-temporal stores may bypass
  /// it; not measured apart, the rates of copies and chains are in bench/README.md.
  static constexpr int64_t streaming_bytes = int64_t{8} << 20;
  /// A slot that outlives the plan may lie in a block larger than it by one part in this many, another one in a block
  /// twice its size. Waste of memory against new pages; not measured.
  static constexpr int64_t kept_parts_a_slack = 8;
  /// Of the spare bytes of spread_memory, one part in this many may go to a single slot, so that one large slot does
  /// not take what several small ones need; not measured.
  static constexpr int64_t spare_parts_a_slot = 4;
  /// A write that its own kernel hinders is renamed if it stores at least one part in this many of the bytes of its
  /// array: renaming copies the others. Not measured.
  static constexpr int64_t written_parts = 2;
};

/// Which small copies and fills join into one launch on a device. Measured by the launches of cavity flow's edges,
/// five without (bench/gpu.md has its rounds), not number by number.
struct MoveLimits {
  /// Bytes of one copy or fill; larger ones keep a launch of their own busy.
  static constexpr int64_t few_bytes = 1 << 20;
  /// Moves of one launch; its kernel has parameters for as many boxes (boxes_at_once in routines/boxes).
  static constexpr size_t most_moves = 12;
  /// Outer axes of one move.
  static constexpr size_t most_axes = 2;
  /// Different pitches that the boxes of one launch may have.
  static constexpr int most_pitches = 3;
};

/// Which steps form a wave. Measured by the heat stencil, 3502 x 3502, and by a line of 10^7: bench/README.md.
struct WaveLimits {
  /// A wave touches at least this many times the bytes that one core's cache holds (Options::wave_bytes).
  static constexpr int64_t least_caches = 2;
  /// It moves its bytes at least reuse_moved / reuse_touched times on average.
  static constexpr int64_t reuse_moved = 3, reuse_touched = 2;
  /// What its parts use at one moment may take this share of the cache, in quarters; rows at once take the rest.
  static constexpr int64_t quarters_in_use = 3;
  /// Rows for each row by which the last part lags behind the first: threads need distance between their seams.
  static constexpr int64_t least_rows_a_lag = 8;
  /// Rows that one part runs at a time, even if the cache has room for more.
  static constexpr int64_t most_rows_at_once = 1 << 16;
};

}  // namespace tessera::plan
