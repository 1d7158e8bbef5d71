/// Limits: the numbers by which the engine decides when, where and how work runs. None of them decides bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::engine {

/// Which calls run at once instead of being recorded.
struct EagerLimits {
  /// Elements of all operands of a call: recording costs as much as handling so many. Not measured apart.
  static constexpr int64_t call_elements = 1024;
  /// Elements of a result of such a call (bins, repeated elements); not measured.
  static constexpr int64_t result_elements = 1 << 16;
  /// Operands and results that such a call may have.
  static constexpr size_t most_operands = 4;
  /// Bytes of evenly spaced numbers that are filled in at once, always and where work runs on the host; not measured.
  static constexpr int64_t range_bytes = 1 << 10, range_bytes_on_host = 1 << 15;
};

/// Waves.
struct WaveLimits {
  /// Bytes of one core's cache that waves may use where there are ranks, whose machines may differ.
  static constexpr int64_t bytes_with_ranks = int64_t{1} << 20;
};

/// When a window is cut, and where loops are (recorder.cpp, iterations.h).
struct WindowLimits {
  /// Bytes of settled memory that only pending nodes keep alive; on a device the divisor of its memory, if that is
  /// more.
  static constexpr int64_t most_held_bytes = int64_t{32} << 20;
  /// Until an expression ends, up to this many times as many bytes may be held.
  static constexpr int64_t held_in_expressions = 8;
  /// Nodes. Iterations of small loops run together until a plan has about so many: planning costs some 3 us a node,
  /// running a plan 1 us.
  static constexpr int64_t nodes_a_plan = 96;
  /// Bytes. Iterations that make more of them run alone.
  static constexpr int64_t small_iteration_bytes = 1 << 20;
  /// Bytes. The same on a device, which computes so many in about the time of a launch.
  static constexpr int64_t device_iteration_bytes = int64_t{256} << 20;
  /// Large iterations, and their nodes, that are gathered into one plan of waves (bench/README.md: heat stencil).
  static constexpr int64_t most_iterations = 16, nodes_a_wave = 160;
  /// Arrays. What a temporary that crosses a cut of a loop costs.
  static constexpr int64_t temporary_weight = 1000;
  /// Plans in a row that chose the device before a loop is cut as suits a device.
  static constexpr int settled_choices = 4;
  /// Loops whose number of iterations at once is remembered.
  static constexpr size_t most_loops = 1024;
  /// Iterations at once grow by this factor after so many plans were found in the cache, and shrink after so many
  /// misses.
  static constexpr int growth = 8, first_patience = 32, most_misses = 2;
};

/// When kernels are compiled, and what is kept.
struct CompileLimits {
  /// Elements a kernel processes before native code is requested: interpreting them costs well under a millisecond.
  static constexpr int64_t hot_work = 20'000;
  /// Elements of one run that justify waiting 3 ms for compilation.
  static constexpr int64_t wait_work = 4'000'000;
  /// Instructions over all elements that amortise the full tier's 3 to 11 ms.
  static constexpr int64_t full_work = 64'000'000;
  /// Elements from which on strided lanes go beyond the caches: the assembler's loads took 2.9 ms for 5 million
  /// elements, LLVM's gathers 6.4; within the caches 0.29 and 0.19 for half a million.
  static constexpr int64_t beyond_caches = 1'500'000;
  /// Instructions of a kernel of which that is true; not measured apart.
  static constexpr size_t little_code = 24;
  /// Bytes of address space that LLVM needs, with a margin.
  static constexpr size_t compiler_bytes = size_t{512} << 20;
  /// Bound plans that are kept; beyond, the older half is dropped.
  static constexpr size_t most_plans = 8192;
};

/// How plans run on the host.
struct HostLimits {
  /// Elements. With fewer a second thread costs more than it saves.
  static constexpr int64_t work_for_threads = 1 << 15;
  /// Elements and bytes of a plan that may run in the background: up to about a millisecond.
  static constexpr int64_t light_work = 1 << 20, light_bytes = int64_t{8} << 20;
  /// Elements for which the caller's lock is released: of a plan, and of a routine.
  static constexpr int64_t work_for_unlock = 1 << 17, routine_work_for_unlock = 1 << 12;
  /// The same of a routine that runs at the call, in nanoseconds that it is expected to take; not measured.
  static constexpr double steps_for_unlock = 1e4;
  /// Bytes. Zeros from this size on use fresh pages from the system, untouched until they are used; smaller arrays are
  /// filled, since reused memory costs less than page faults.
  static constexpr int64_t untouched_bytes = int64_t{4} << 20;
  /// Bytes that one thread copies at a time.
  static constexpr int64_t copied_piece = 1 << 20;
};

/// How copies between host and device, and on a device, are done.
struct CopyLimits {
  /// Bytes. Waiting for a device costs as much as copying so many.
  static constexpr int64_t bytes_a_synchronisation = 1 << 18;
  /// Reads of parts of an array before all of it is copied.
  static constexpr int64_t most_parts = 60'000;
  /// Bytes of a copy to the host whose wait is divided among what the device was busy with.
  static constexpr int64_t long_copy = 1 << 20;
  /// Bytes. Boxes of so few are copied by a kernel, since the driver takes longer than a launch; so are short rows.
  static constexpr int64_t few_bytes = 1 << 20, short_row = 4096;
  /// Bytes that a kernel reads of another device's memory: a copy by the driver begins 13 us after the one before.
  static constexpr int64_t pulled_bytes = int64_t{8} << 20;
  /// Bytes of one part of an array that is larger than the device.
  static constexpr int64_t part_bytes = int64_t{128} << 20;
};

/// Arrays over several devices.
struct TileLimits {
  /// Bytes of an array from which on it is cut over the devices that are set: a step of it exchanges edges and begins
  /// on each of them, which took 20 to 50 us on two H200, as long as they take for 50 to 100 MB (bench/gpus.md).
  static constexpr int64_t least_bytes = int64_t{128} << 20;
  /// The same of arrays that are computed together with such ones; smaller ones stay at one device. Not measured.
  static constexpr int64_t least_bytes_beside_others = 1 << 20;
};

/// Replays of plans, and what they share.
struct ReplayLimits {
  /// Launches from which on a plan is captured, and runs before that.
  static constexpr int worth_a_replay = 4, most_single_runs = 2;
  /// Captures of one plan that are kept, and that are made.
  static constexpr size_t most_known = 24;
  static constexpr int most_captures = 64;
  /// Event words shared by runs; as many follow that belong to plans.
  static constexpr int64_t shared_flag_words = 1 << 16;
  /// Words in which the blocks of concurrent launches count themselves.
  static constexpr size_t tickets = 64;
  /// Lines of a device's failure that are listed.
  static constexpr size_t most_failed_lines = 12;
};

}  // namespace tessera::engine
