/// Limits: the numbers by which kernels get their mapping and grid. Measured on an H200 by bench/gpu.md's kernels where
/// no other figure stands beside them; none of them decides bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::engine {

/// Sizes of launches.
struct GridLimits {
  /// CUDA's limit of blocks along y, and ours along x.
  static constexpr int64_t most_rows = 65535, most_blocks = int64_t{1} << 30;
  /// Blocks, a few per multiprocessor: with fewer, threads take less each.
  static constexpr int64_t enough_blocks = 512;
  /// Double-buffered blocks that run at once per multiprocessor, and lanes that each should have.
  static constexpr int64_t double_buffered_at_once = 2, double_buffered_lanes = 16;
  /// Iterations of a thread over lanes, and blocks from which on there are several.
  static constexpr int64_t most_iterations = 16, many_blocks = 16384, many_blocks_of_rows = 4096;
};

/// Which mapping a kernel gets.
struct MappingLimits {
  /// Of a thread of a user's kernel: with the assembler's 88 Black-Scholes keeps 14 warps of an H200's multiprocessor
  /// busy and takes 464 us, with 48 249 us; twelve other kernels take the same time or less.
  static constexpr int user_registers = 48, few_local_bytes = 64;
  /// Elements of a chunk of a long reduction (plan::ReductionCut::chunk) and lanes from which on teams load the next
  /// chunk ahead.
  static constexpr int64_t chunk = 8192, few_chunks = 64;
  /// Instructions of an epilogue, which uses the registers of its launch.
  static constexpr int epilogue_text = 40;
  /// Elements of work of a step that may be an epilogue.
  static constexpr int64_t epilogue_work = 1 << 16;
  /// Epilogues of a launch, and bytes of the parameters of all.
  static constexpr size_t most_epilogues = 4;
  static constexpr int64_t parameter_bytes = 4096;
  /// Threads of a team that an epilogue has, so that one serves several expressions.
  static constexpr int epilogue_team = 512;
};

/// When a kernel is compiled again.
struct DeviceCompileLimits {
  /// Elements processed before the optimised variant is requested; compiling it takes 50 to 100 ms of one core.
  static constexpr int64_t enough_work = 15'000'000;
  /// Elements that a launch counts as.
  static constexpr int64_t work_a_launch = 100'000;
};

}  // namespace tessera::engine
