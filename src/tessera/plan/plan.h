/// Plan: the steps and memory needed to run a window, as data. Holds no pointers: the runner binds memory and scalars.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/layout/view.h"

namespace tessera::plan {

/// An input of a node of the window (index relative to its first node), or the node's output when input is -1.
struct NodeRef {
  int32_t node = -1;
  int32_t input = -1;
};

/// Memory that steps read and write: that of an existing version, or a block allocated by the plan.
struct Slot {
  NodeRef external;  // node >= 0: the version that this operand (or, with input -1, the node's `old`) reads
  int64_t nbytes = 0;
  int32_t block = -1;  // slots the plan makes: their block
  int32_t first_step = -1;
  int32_t last_step = -1;
  bool kept = false;  // needed after the plan
};

/// Memory that the plan allocates, or takes over from an operand that is dead after its last reader. Slots with
/// disjoint lifetimes share a block. All blocks are allocated before the first step runs: a plan that does not fit in
/// memory has changed nothing.
struct Block {
  int64_t nbytes = 0;
  int32_t from = -1;  // the slot whose memory it takes over; -1: none
};

/// One buffer parameter of a kernel: element (0, ..., 0) is at byte `offset` of the slot.
struct Binding {
  int32_t slot = -1;
  NodeRef offset_of;   // node >= 0: add that operand's offset, which may differ between runs of the plan
  int64_t offset = 0;  // where that was when the plan was made, `shift` included
  int64_t shift = 0;   // bytes beyond that operand's offset
  Dims strides;        // bytes, over the kernel's index space of this parameter
  Dims dimensions;     // extents of that space
};

struct KernelStep {
  std::shared_ptr<const ir::Kernel> kernel;
  uint64_t kernel_hash = 0;
  Dims extents;  // of the parallel space
  std::vector<Binding> buffers;
  std::vector<NodeRef> scalars;     // the scalar operands passed as parameters
  std::vector<int32_t> flag_nodes;  // flag slot -> node whose floating-point events it collects
  int64_t work = 0;                 // elements touched, including reduced axes; decides the number of threads
  bool elementwise = false;         // a lane touches only its own element of every buffer
  bool is_strip = false;            // its lanes reduce some rows of an array, on from what another step made of others
};

/// A strided block of bytes, copied between two slots of equal layout.
struct ByteBox {
  int64_t offset = 0;
  Dims counts;         // outer repetitions
  Dims strides;        // bytes
  int64_t nbytes = 0;  // of the innermost run
};

/// Copies what a renamed write leaves untouched from the old version, or all of it (copy on write).
struct CopyStep {
  int32_t from = -1;
  int32_t to = -1;
  int32_t node = -1;           // the write node
  int64_t offset = 0;          // of its view; another run of the plan may have another offset
  std::vector<ByteBox> boxes;  // for that offset
};

struct Step {
  std::vector<int32_t> drop;  // blocks that no later step needs
  std::vector<CopyStep> copies;
  KernelStep kernel;  // kernel.kernel may be null: copies only
};

/// Row y of a part must run after the rows [y + first, y + last] of an earlier part.
struct WaveOrder {
  int32_t part = -1;
  int64_t first = 0;
  int64_t last = 0;
};

/// A kernel, or one box of a copy, split into rows that may run at different times.
struct WavePart {
  int32_t step = -1;
  int32_t copy = -1;  // index in the step's copies; -1: its kernel
  int32_t box = -1;   // index in the copy's boxes
  int32_t axis = 0;   // the axis of the kernel or of the box that is split into rows; -1: the box's contiguous run
  int64_t unit = 1;   // indices of that axis, or bytes, in a row
  int64_t rows = 1;
  bool backwards = false;  // row 0 is the last one along the axis
  int64_t start = 0;       // row y runs with row y + start of the wave
  int64_t origin = 0;      // the row of the wave, as divided among threads, that row 0 corresponds to
  std::vector<WaveOrder> after;
};

/// Consecutive steps that may run together, a few rows of each at a time, each step some rows behind those it depends
/// on, so that a step finds in the caches what another one left there. Running the steps one after the other gives the
/// same result.
struct Wave {
  int32_t first_step = 0;
  int32_t end_step = 0;
  int64_t rows_at_once = 1;
  std::vector<WavePart> parts;
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<Block> blocks;
  std::vector<Step> steps;
  std::vector<Wave> waves;  // in order; a step belongs to one wave at most
  /// For each node: the slot of its output version, or -1 when it is not needed.
  std::vector<int32_t> result_slots;
};

/// Slots with equal numbers share one memory, at the same time or one after the other.
int32_t memory_of(const Plan& plan, int32_t slot);

/// The same steps with less sharing of memory, where sharing would order otherwise independent steps; uses up to
/// `spare_bytes` more memory.
Plan spread_memory(const Plan& plan, int64_t spare_bytes);

/// Whether a plan's text has the kernels' bodies.
enum class Bodies : uint8_t { shown, left_out };
/// The plan as text, for tests and explain() (planner.h).
std::string print(const Plan& plan, Bodies bodies = Bodies::shown);
/// "16 bytes at 808, 98 times 800 apart".
std::string print(const ByteBox& box);
std::string print(const Wave& wave);

}  // namespace tessera::plan
