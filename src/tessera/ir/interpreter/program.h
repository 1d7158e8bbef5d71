/// Program::Impl: a kernel lowered to steps over cells, as the block interpreter runs it.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/ir/interpreter.h"
#include "tessera/ir/loops.h"

namespace tessera::ir {

/// A cell holds a value while the program runs: at run time, a pointer and the stride between lanes.
using CellId = uint32_t;
inline constexpr CellId no_cell = ~0u;
using FrameId = uint32_t;

/// How a value varies over the lanes of a frame. An affine int64 is base + step * lane, and only its base is computed.
enum class Spread : uint8_t { uniform, affine, varying };
struct Shape {
  Spread spread = Spread::uniform;
  int64_t step = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Cell {
  enum class Place : uint8_t { constant, scalar, uniform, lanes, pointer };
  Place place = Place::uniform;
  uint8_t size = 8;   // bytes an element
  FrameId frame = 0;  // frame of a `lanes` cell
  uint32_t at = 0;    // constant or scalar: number; uniform: 16-byte word; lanes: bytes per lane before this slot
};

enum class StepKind : uint8_t {
  apply,   // a precompiled loop over the lanes
  iota,    // result[lane] = base + step * lane
  load,    // all indices uniform or affine: sets the cell's pointer to memory, or copies
  gather,  // at least one varying index
  store,
  scatter,
  is_aligned,  // whether the element is at a multiple of `size` bytes
  aim_store,   // sets a value's cell to the memory it will be stored to, where that is safe
  part,        // one part of a complex cell, in place
  extent,
  dimension,
  atomic,
  ballot,      // operands: the condition, [mask]
  match_byte,  // operands: the values
  match_any,   // operands: the values of `size` bytes, mask
  shuffle,     // operands: the values of `size` bytes, which; side: the width; amount: ShuffleKind
  active_mask,
  barrier_count,  // operands: the condition
  call_host,      // operands: int64s; side: the host's number
  call,           // side: the call
  fence,
  grid_barrier,
  pause,
  check,
  if_,
  for_,
  while_,
  reduce,
};

struct Step {
  StepKind kind;
  bool scalar = false;  // one lane represents all
  uint8_t count = 0;    // operands
  uint8_t size = 0;     // bytes of the element moved
  CellId result = no_cell;
  uint32_t first = 0;  // first operand cell in Impl::operands
  uint32_t side = 0;   // row of the side table of this kind
  int64_t amount = 0;  // iota: step; part: byte offset
  Loop loop = nullptr;
};

/// One index of an access: base + step * lane with the base in a uniform cell, or one number per lane.
struct IndexRef {
  CellId cell = no_cell;
  int64_t step = 0;
  bool lanes = false;
};

struct Access {
  bool of_array = false;
  bool shared = false;
  bool stage = false;  // must be read at this step: a later store may change the memory
  bool stage_if_aliased = false;
  bool masked = false;
  uint32_t memory = 0;       // buffer or array number
  uint32_t strides = 0;      // buffer: position of its strides
  uint32_t first_index = 0;  // in Impl::indices
  uint32_t index_count = 0;
  CellId value = no_cell;  // the stored value, or the copy made by a staged load
  CellId expected = no_cell;
  AtomicKind kind = AtomicKind::add;
  uint8_t offset = 0;  // of the part of the element that an atomic is on
  DType type = DType::float64;
  Loop copy = nullptr;
};

struct Copy {
  CellId from, to;
  uint8_t size;
  bool scalar;
};

struct CheckInfo {
  ErrorRule rule;
  uint32_t slot;
  DType operand_type, result_type;
  CellId result, a, b;
  bool scalar;
};

struct Control {
  uint32_t sequences[2] = {0, 0};
  bool divergent = false;
  CellId condition = no_cell;
  CellId masks[2] = {no_cell, no_cell};
  IndexRef lower, upper, step;
  CellId induction = no_cell;
  bool induction_lanes = false;
  std::vector<Copy> enter;       // initial values to carried values
  std::vector<Copy> results[2];  // yields to results: for `if`, one list per side; for loops, under the mask
  std::vector<Copy> pass;        // while: from the condition region to the body region
  std::vector<Copy> next;        // yields to carried values
};

/// A call of a function: cells of the caller.
struct CallInfo {
  uint32_t function = 0;
  std::vector<CellId> arguments{}, results{};
};

/// Passes a value of the enclosing frame into a frame with different lanes.
struct Import {
  CellId from, to;
  bool affine;
  int64_t step;
};

struct ReduceInfo {
  ReduceKind kind;
  ReduceOrder order;
  DType type;
  bool free_order;  // any order of combining gives the same bits
  bool uniform_result;
  bool uniform_bounds;
  IndexRef lower, upper;
  CellId result = no_cell;
  Scalar start;  // result of an empty range without an initial value
  CellId initial = no_cell;
  // By rows: the frame keeps its lanes, and rows of elements are combined into the result one by one.
  uint32_t row_sequence = 0;
  CellId row_index = no_cell;
  CellId row_element = no_cell;
  Loop combine = nullptr;
  Loop copy = nullptr;
  int64_t row_probe = -1;
  // By lanes: the reduction index becomes the lanes of a separate frame.
  FrameId frame = 0;
  uint32_t lane_sequence = 0;
  CellId lane_index = no_cell;
  CellId lane_element = no_cell;
  bool lane_uniform = false;  // the element is uniform
  bool lane_direct = false;   // the elements are read directly from memory; no slot limits the number of lanes per run
  bool lane_aimed = false;    // the elements are computed directly into the chunk
  bool lane_plain = false;    // the element is one load with an address that is affine in the lane
  uint32_t chunk_at = 0;      // offset of its chunk among the chunks, in bytes
  ReduceLoop loop = nullptr;
  int64_t lane_probe = -1;
  std::vector<Import> imports;
};

struct Frame {
  uint32_t bytes_per_lane = 0;
  int64_t lanes = 0;  // number run at once
};

struct ArrayPlace {
  int64_t size;
  uint8_t itemsize;
  bool shared;
};

/// Loops that move elements of one size in bytes.
struct Moves {
  Loop copy = nullptr;
  Loop select = nullptr;
};

struct Program::Impl {
  uint8_t ndim = 0;
  int flattened_axes = 1;   // how many axes of the kernel the last one stands for
  size_t scalar_count = 0;  // of the kernel, where axes are flattened
  bool whole_rows = false;  // lanes meet at barriers or share arrays: a block is the whole last axis
  bool may_alias = true;    // some accesses are not element by element; else base pointers show aliasing
  uint32_t uniform_count = 0;
  uint32_t chunk_bytes = 0;
  // Byte offsets of the parts of a run's memory: cells, uniform values, frames' lanes, arrays, chunks, slots.
  struct {
    uint32_t uniforms, lanes, arrays, chunks, slots;
  } layout{};
  std::vector<Cell> cells;
  std::vector<Scalar> constants;
  std::vector<std::vector<Step>> sequences;  // 0: runs once per run; 1: the body
  std::vector<CellId> operands;
  std::vector<IndexRef> indices;
  std::vector<Access> accesses;
  std::vector<CheckInfo> checks;
  std::vector<Control> controls;
  std::vector<CallInfo> calls;
  std::vector<Impl> functions;             // of the kernel
  std::vector<CellId> arguments, results;  // of a function
  std::vector<ReduceInfo> reduces;
  std::vector<Frame> frames;
  std::vector<ArrayPlace> arrays;
  std::vector<CellId> index_cells;     // one per axis; the last holds lane 0's coordinate
  std::vector<uint8_t> buffer_access;  // 1: read, 2: written
  Moves moves[17];                     // by element size
};

}  // namespace tessera::ir
