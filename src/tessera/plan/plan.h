/// Plan: what running a window takes, as data. Holds no pointers: the runner binds memory and scalars to it.
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

/// Memory that steps read and write: the memory of a version that exists already, or a block made by the plan.
struct Slot {
  NodeRef external;  // node >= 0: the version this operand (or, with input -1, the node's `old`) reads
  int64_t nbytes = 0;
  int32_t block = -1;  // made slots: the block they live in
  int32_t first_step = -1;
  int32_t last_step = -1;
  bool kept = false;  // somebody wants what is in here after the plan
};

/// Memory the plan makes, or takes over from an operand that nobody wants after its last reader. Slots whose lives do
/// not meet share one. All blocks are made before the first step runs: a plan that does not fit in memory has touched
/// nothing.
struct Block {
  int64_t nbytes = 0;
  int32_t from = -1;  // the slot whose memory it takes over
};

/// One buffer parameter of a kernel: element (0, ..., 0) lies `offset` bytes into the slot.
struct Binding {
  int32_t slot = -1;
  NodeRef offset_of;   // node >= 0: add that operand's offset, which may differ from one replay to the next
  int64_t offset = 0;  // what it was when the plan was made
  Dims strides;        // bytes, over the kernel's index space of this parameter
  Dims dimensions;     // extents of that space
};

struct KernelStep {
  std::shared_ptr<const ir::Kernel> kernel;
  uint64_t kernel_hash = 0;
  Dims extents;  // of the parallel space
  std::vector<Binding> buffers;
  std::vector<NodeRef> scalars;     // the scalar operands handed as parameters
  std::vector<int32_t> flag_nodes;  // flag slot -> node whose events it collects
  int64_t work = 0;                 // elements touched, reduced axes included: decides on threads
  bool elementwise = false;         // a lane touches its own element of every buffer and nothing else
};

/// A strided block of bytes copied between two slots of equal layout.
struct ByteBox {
  int64_t offset = 0;
  Dims counts;         // outer repetitions
  Dims strides;        // bytes
  int64_t nbytes = 0;  // of the innermost run
};

/// What a renamed write leaves untouched, copied from the old version; or all of it (copy on write).
struct CopyStep {
  int32_t from = -1;
  int32_t to = -1;
  int32_t node = -1;           // the write
  int64_t offset = 0;          // of its view; a plan may run again with another one
  std::vector<ByteBox> boxes;  // for that offset
};

struct Step {
  std::vector<int32_t> drop;  // blocks nobody needs afterwards
  std::vector<CopyStep> copies;
  KernelStep kernel;  // kernel.kernel may be null: copies only
};

/// Row y of a part comes after the rows [y + first, y + last] of an earlier one.
struct WaveOrder {
  int32_t part = -1;
  int64_t first = 0;
  int64_t last = 0;
};

/// A kernel, or one box of a copy, as rows that need not be done all at once.
struct WavePart {
  int32_t step = -1;
  int32_t copy = -1;  // of the step; -1: its kernel
  int32_t box = -1;   // of the copy
  int32_t axis = 0;   // that the rows are cut along: of the kernel or of the box, -1: its run of bytes
  int64_t unit = 1;   // indices of that axis, or bytes, in a row
  int64_t rows = 1;
  bool backwards = false;  // row 0 is the last one along the axis
  int64_t start = 0;       // row y is done with row y + start of the wave
  int64_t origin = 0;      // beside which row of the wave, as threads share it, row 0 lies
  std::vector<WaveOrder> after;
};

/// Consecutive steps that may be done together, a few rows of each at a time and each some rows behind those it depends
/// on, so that what one leaves in the caches the next one finds there. Doing the steps one after the other is as good.
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
  std::vector<Wave> waves;  // in order; every step is in one at most
  /// For each node: the slot its output version ends up in, or -1 when nobody asks for it.
  std::vector<int32_t> result_slots;
};

/// Slots with the same number lie in the same memory, now or later.
int32_t memory_of(const Plan& plan, int32_t slot);

/// The same steps in memory that fewer of them share, where sharing orders steps that do not need each other; up to
/// `spare_bytes` more of it.
Plan spread_memory(const Plan& plan, int64_t spare_bytes);

/// The plan as text, for tests and `explain`.
std::string print(const Plan& plan);

}  // namespace tessera::plan
