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
  NodeRef external;    // node >= 0: the version this operand (or, with input -1, the node's `old`) reads
  int64_t nbytes = 0;
  int32_t block = -1;       // made slots: the block they live in
  int32_t first_step = -1;
  int32_t last_step = -1;
  bool kept = false;        // somebody wants what is in here after the plan
};

/// Memory the plan makes, or takes over from an operand that nobody wants after its last reader. Slots whose lives do not
/// meet share one. All blocks are made before the first step runs: a plan that does not fit in memory has touched nothing.
struct Block {
  int64_t nbytes = 0;
  int32_t from = -1;  // the slot whose memory it takes over
};

/// One buffer parameter of a kernel: element (0, ..., 0) lies `offset` bytes into the slot.
struct Binding {
  int32_t slot = -1;
  NodeRef offset_of;        // node >= 0: add that operand's offset, which may differ from one replay to the next
  Dims strides;             // bytes, over the kernel's index space of this parameter
  Dims dimensions;          // extents of that space
};

struct KernelStep {
  std::shared_ptr<const ir::Kernel> kernel;
  uint64_t kernel_hash = 0;
  Dims extents;                   // of the parallel space
  std::vector<Binding> buffers;
  std::vector<NodeRef> scalars;   // the scalar operands handed as parameters
  std::vector<int32_t> flag_nodes;  // flag slot -> node whose events it collects
  int64_t work = 0;               // elements touched, reduced axes included: decides on threads
};

/// A strided block of bytes copied between two slots of equal layout.
struct ByteBox {
  int64_t offset = 0;
  Dims counts;   // outer repetitions
  Dims strides;  // bytes
  int64_t nbytes = 0;  // of the innermost run
};

/// What a renamed write leaves untouched, copied from the old version; or all of it (copy on write).
struct CopyStep {
  int32_t from = -1;
  int32_t to = -1;
  int32_t node = -1;          // the write
  int64_t offset = 0;         // of its view; a plan may run again with another one
  std::vector<ByteBox> boxes;  // for that offset
};

struct Step {
  std::vector<int32_t> drop;  // blocks nobody needs afterwards
  std::vector<CopyStep> copies;
  KernelStep kernel;          // kernel.kernel may be null: copies only
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<Block> blocks;
  std::vector<Step> steps;
  /// For each node: the slot its output version ends up in, or -1 when nobody asks for it.
  std::vector<int32_t> result_slots;
};

/// The plan as text, for tests and `explain`.
std::string print(const Plan& plan);

}  // namespace tessera::plan
