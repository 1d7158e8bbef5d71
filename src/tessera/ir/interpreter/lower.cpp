#include "tessera/ir/interpreter/lower.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/ir/interpreter/run.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/source_lines.h"

namespace tessera::ir {

Lowering::Lowering(const Kernel& kernel, Program::Impl& out)
    : kernel_(kernel),
      out_(out),
      liveness_(kernel),
      once_(kernel.instructions.size()),
      once_cells_(kernel.instructions.size(), no_cell) {}

void Lowering::run(bool is_function) {
  require<NotImplementedError>(kernel_.foreign.empty(), "{} is code for a device only",
                               kernel_.foreign.empty() ? "" : kernel_.foreign[0].name);
  out_.ndim = kernel_.ndim;
  out_.constants = kernel_.constants;
  out_.sequences.resize(2);
  for (DType t : {DType::uint8, DType::uint16, DType::uint32, DType::uint64, DType::complex128}) {
    out_.moves[itemsize(t)] = {find_loop(Opcode::load, t, t), find_loop(Opcode::select, t, t)};
  }
  out_.frames.resize(1);
  for (int axis = 0; axis < kernel_.ndim; ++axis) out_.index_cells.push_back(uniform_cell(8));
  for (const ArrayDecl& array : kernel_.arrays) {
    out_.arrays.push_back({array.size, static_cast<uint8_t>(itemsize(array.dtype)), array.shared});
  }
  out_.whole_rows = meets_in_blocks(kernel_);
  for (const BufferParam& b : kernel_.buffers) {
    out_.buffer_access.push_back(static_cast<uint8_t>((b.readable ? 1 : 0) | (b.writable ? 2 : 0)));
  }
  out_.may_alias = is_function || !is_elementwise();
  if (!out_.may_alias) find_aimed();
  shapes_.push_back(std::make_unique<Shapes>(kernel_));
  Scope scope = make_scope(*shapes_.back());
  if (is_function) {
    lower_function(scope);
  } else {
    lower_region(scope, 0);
  }
  lay_out();
}

// Computes the sizes of a run that do not depend on its arguments.
void Lowering::lay_out() {
  const auto padded = [](size_t bytes) { return static_cast<uint32_t>((bytes + 63) / 64 * 64); };
  for (Frame& frame : out_.frames) {
    // All slots of a frame should stay in the first-level cache.
    constexpr int64_t slot_budget = 32768;
    const int64_t fitting = frame.bytes_per_lane ? slot_budget / frame.bytes_per_lane / 64 * 64 : 8192;
    frame.lanes = frame.bytes_per_lane ? std::clamp<int64_t>(fitting, 64, 1024) : fitting;
  }
  out_.layout.uniforms = padded(out_.cells.size() * sizeof(Place));
  out_.layout.lanes = out_.layout.uniforms + padded(out_.uniform_count * size_t{16});
  out_.layout.arrays = out_.layout.lanes + padded(out_.frames.size() * sizeof(FrameSlots));
  out_.layout.chunks = out_.layout.arrays + padded(out_.arrays.size() * sizeof(char*));
  out_.layout.slots = out_.layout.chunks + padded(out_.chunk_bytes);
}

Lowering::Scope Lowering::make_scope(const Shapes& shapes) const {
  Scope scope;
  scope.shapes = &shapes;
  scope.cells.assign(kernel_.instructions.size(), no_cell);
  scope.lanes = scope.owned = scope.cells;
  scope.owns_lanes.assign(kernel_.instructions.size(), false);
  return scope;
}

// Whether every access is at this lane's own element, so that aliasing can be detected by comparing base pointers.
bool Lowering::is_elementwise() const {
  if (!kernel_.arrays.empty()) return false;
  for (const BufferParam& b : kernel_.buffers) {
    if (!b.no_alias) return false;
  }
  for (Value v = 0; v < kernel_.instructions.size(); ++v) {
    const Instruction& i = kernel_.instructions[v];
    if (has_regions(i.op) || i.op == Opcode::atomic || i.op == Opcode::atomic_array || i.op == Opcode::call_host ||
        i.op == Opcode::call)
      return false;
    if (i.op != Opcode::load && i.op != Opcode::store) continue;
    const std::span<const Value> indices = kernel_.operands(v).subspan(i.op == Opcode::store ? 1 : 0);
    for (uint32_t axis = 0; axis < indices.size(); ++axis) {
      const Instruction& index = kernel_.instructions[indices[axis]];
      if (index.op != Opcode::index || index.imm != axis) return false;
    }
  }
  return true;
}

void Lowering::find_aimed() {
  for (Value v : kernel_.regions[0].body) {
    if (kernel_.instructions[v].op == Opcode::store) aimed_.try_emplace(kernel_.operands(v)[0], v);
  }
}

uint32_t Lowering::add_operands(std::initializer_list<CellId> cells) {
  const uint32_t first = static_cast<uint32_t>(out_.operands.size());
  out_.operands.insert(out_.operands.end(), cells);
  return first;
}

std::vector<Value> Lowering::lower_region(Scope& scope, RegionId id) {
  const Region& region = kernel_.regions[id];
  for (uint32_t position = 0; position < region.body.size(); ++position) {
    const Value v = region.body[position];
    if (kernel_.instructions[v].op == Opcode::yield) {
      // Materialised here, so that users of the yields after the region find one number per lane.
      for (Value y : kernel_.operands(v)) find_lanes(scope, y);
    } else {
      lower(scope, id, position);
    }
    release_ending(scope, id, position, no_value);
  }
  const std::span<const Value> yields = yielded(kernel_, region);
  return {yields.begin(), yields.end()};
}

uint32_t Lowering::lower_sequence(Scope& scope, RegionId region, std::vector<Value>& yields) {
  const uint32_t outer = current_;
  const uint32_t own = static_cast<uint32_t>(out_.sequences.size());
  out_.sequences.emplace_back();
  current_ = own;
  for (Value arg : kernel_.regions[region].arg_values) {
    if (scope.shapes->needs_lanes(arg)) materialise(scope, arg);
  }
  yields = lower_region(scope, region);
  current_ = outer;
  return own;
}

void Lowering::lower(Scope& scope, RegionId region, uint32_t position) {
  const Value v = kernel_.regions[region].body[position];
  const Instruction& i = kernel_.instructions[v];
  switch (info(i.op).form) {
    case OpcodeForm::leaf: lower_leaf(scope, v); break;
    case OpcodeForm::arithmetic:
    case OpcodeForm::predicate:
    case OpcodeForm::comparison:
    case OpcodeForm::conversion: lower_pure(scope, region, position); break;
    case OpcodeForm::memory:
      if (i.op == Opcode::load || i.op == Opcode::load_array || i.op == Opcode::is_aligned) {
        lower_load(scope, region, position);
      } else if (i.op == Opcode::store || i.op == Opcode::store_array) {
        lower_store(scope, v);
      } else {
        lower_atomic(scope, v);
      }
      break;
    case OpcodeForm::control:
      switch (i.op) {
        case Opcode::if_: lower_if(scope, v); break;
        case Opcode::for_: lower_for(scope, v); break;
        case Opcode::while_: lower_while(scope, v); break;
        case Opcode::reduce: lower_reduce(scope, v); break;
        case Opcode::check: lower_check(scope, v); break;
        case Opcode::ballot: lower_vote(scope, v, StepKind::ballot); break;
        case Opcode::match_byte: lower_vote(scope, v, StepKind::match_byte); break;
        case Opcode::match_any: lower_vote(scope, v, StepKind::match_any); break;
        case Opcode::shuffle: lower_vote(scope, v, StepKind::shuffle); break;
        case Opcode::active_mask: lower_vote(scope, v, StepKind::active_mask); break;
        case Opcode::barrier_count: lower_vote(scope, v, StepKind::barrier_count); break;
        case Opcode::call_host:
          if (!is_line_mark(i)) lower_vote(scope, v, StepKind::call_host);
          break;
        case Opcode::call: lower_call(scope, v); break;
        case Opcode::fence: emit({.kind = StepKind::fence}); break;
        case Opcode::grid_barrier: emit({.kind = StepKind::grid_barrier}); break;
        case Opcode::pause: emit({.kind = StepKind::pause}); break;
        case Opcode::result: {
          const CellId cell = scope.results.at(kernel_.operands(v)[0])[i.imm];
          scope.cells[v] = cell;
          if (i.imm && out_.cells[cell].place == Cell::Place::lanes) scope.owned[v] = cell;
          break;
        }
        default: break;  // all lanes of a block execute an instruction together, so barriers need no step
      }
      break;
  }
  // An affine value that any use needs as one number per lane is materialised here, where all uses can see it.
  if (kernel_.result_count(v) > 0 && scope.lanes[v] == no_cell && scope.shapes->needs_lanes(v)) materialise(scope, v);
}

void Lowering::lower_leaf(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const uint8_t size = static_cast<uint8_t>(itemsize(i.type));
  switch (i.op) {
    case Opcode::constant:
      scope.cells[v] = add_cell({.place = Cell::Place::constant, .size = size, .at = i.imm});
      break;
    case Opcode::scalar: scope.cells[v] = add_cell({.place = Cell::Place::scalar, .size = size, .at = i.imm}); break;
    case Opcode::index: scope.cells[v] = out_.index_cells[i.imm]; return;
    case Opcode::extent:
      scope.cells[v] = uniform_cell(8);
      out_.sequences[0].push_back({.kind = StepKind::extent, .result = scope.cells[v], .side = i.imm});
      break;
    default: {
      uint32_t at = i.imm % 64;
      for (uint32_t b = 0; b < i.imm / 64; ++b) at += kernel_.buffers[b].ndim;
      scope.cells[v] = uniform_cell(8);
      out_.sequences[0].push_back({.kind = StepKind::dimension, .result = scope.cells[v], .side = at});
    }
  }
  once_[v] = true;
  once_cells_[v] = scope.cells[v];
}

void Lowering::lower_pure(Scope& scope, RegionId region, uint32_t position) {
  const Value v = kernel_.regions[region].body[position];
  const Instruction& i = kernel_.instructions[v];
  if (i.op == Opcode::real || i.op == Opcode::imag) return lower_part(scope, v);
  const std::span<const Value> operands = kernel_.operands(v);
  const Shape s = shape(scope, v);
  const bool once = std::ranges::all_of(operands, [&](Value operand) { return once_[operand]; });
  std::vector<CellId> cells;
  for (Value operand : operands)
    cells.push_back(s.spread == Spread::affine ? find(scope, operand) : find_lanes(scope, operand));
  const uint32_t first = static_cast<uint32_t>(out_.operands.size());
  out_.operands.insert(out_.operands.end(), cells.begin(), cells.end());
  // The result may reuse the slot of an operand that dies here: loops work in place.
  release_ending(scope, region, position, v);
  CellId cell = define(scope, v);
  if (const auto store = aimed_.find(v);
      store != aimed_.end() && s.spread == Spread::varying && scope.parent == nullptr) {
    // The pointer of an aimed cell changes, so the cell must not be shared; the slot it falls back to is shared.
    cell = add_cell(out_.cells[cell]);
    scope.cells[v] = cell;
    Access access = make_access(scope, store->second, 1);
    access.value = cell;
    const bool next = position + 1 < kernel_.regions[region].body.size() &&
                      kernel_.regions[region].body[position + 1] == store->second;
    access.stage_if_aliased = !next;
    emit({.kind = StepKind::aim_store,
          .size = static_cast<uint8_t>(itemsize(i.type)),
          .result = cell,
          .side = static_cast<uint32_t>(out_.accesses.size())});
    out_.accesses.push_back(access);
  }
  const DType operand_type = kernel_.instructions[operands[i.op == Opcode::select ? 1 : 0]].type;
  const Loop loop = find_loop(i.op, operand_type, i.type);
  invariant(loop != nullptr, "ir: no loop for {} of {} to {}", name(i.op), operand_type, i.type);
  const Step step{.kind = StepKind::apply,
                  .scalar = s.spread != Spread::varying,
                  .count = static_cast<uint8_t>(operands.size()),
                  .result = cell,
                  .first = first,
                  .loop = loop};
  if (once) {
    once_[v] = true;
    once_cells_[v] = cell;
    out_.sequences[0].push_back(step);
  } else {
    emit(step);
  }
}

void Lowering::lower_part(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const Value whole = kernel_.operands(v)[0];
  const uint8_t size = static_cast<uint8_t>(itemsize(i.type));
  if (shape(scope, v).spread == Spread::varying) {
    // Separated into contiguous lanes once, for the following loops.
    const uint32_t first = add_operands({find(scope, whole)});
    const Loop loop = find_loop(i.op, kernel_.instructions[whole].type, i.type);
    return emit({.kind = StepKind::apply, .count = 1, .result = define(scope, v), .first = first, .loop = loop});
  }
  scope.cells[v] = add_cell({.place = Cell::Place::pointer, .size = size});
  const Step step{.kind = StepKind::part,
                  .size = size,
                  .result = scope.cells[v],
                  .first = add_operands({find(scope, whole)}),
                  .amount = i.op == Opcode::imag ? size : 0};
  if (once_[whole]) {
    once_[v] = true;
    once_cells_[v] = scope.cells[v];
    out_.sequences[0].push_back(step);
  } else {
    emit(step);
  }
}

}  // namespace tessera::ir
