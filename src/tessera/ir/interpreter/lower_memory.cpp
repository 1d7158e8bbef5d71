#include "tessera/ir/interpreter/lower.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

// `values` is the number of operands before the indices.
Access Lowering::make_access(Scope& scope, Value v, size_t values) {
  const Instruction& i = kernel_.instructions[v];
  Access access;
  access.of_array = i.op == Opcode::load_array || i.op == Opcode::store_array || i.op == Opcode::atomic_array;
  access.memory = i.imm;
  access.type = i.type;
  access.masked = scope.masked > 0;
  access.shared = access.of_array && kernel_.arrays[i.imm].shared;
  if (!access.of_array) {
    for (uint32_t b = 0; b < i.imm; ++b) access.strides += kernel_.buffers[b].ndim;
  }
  access.copy = find_loop(Opcode::load, i.type, i.type);
  std::vector<IndexRef> indices;
  for (Value index : kernel_.operands(v).subspan(values)) indices.push_back(index_ref(scope, index));
  access.first_index = static_cast<uint32_t>(out_.indices.size());
  access.index_count = static_cast<uint32_t>(indices.size());
  out_.indices.insert(out_.indices.end(), indices.begin(), indices.end());
  return access;
}

void Lowering::lower_load(Scope& scope, RegionId region, uint32_t position) {
  const Value v = kernel_.regions[region].body[position];
  const Instruction& i = kernel_.instructions[v];
  Access access = make_access(scope, v, 0);
  if (i.op == Opcode::is_aligned) {
    const auto side = static_cast<uint32_t>(out_.accesses.size());
    emit({.kind = StepKind::is_aligned, .size = i.attr, .result = define(scope, v), .side = side});
    out_.accesses.push_back(access);
    return;
  }
  bool free_index = false;
  for (uint32_t k = 0; k < access.index_count; ++k) free_index |= out_.indices[access.first_index + k].lanes;
  const bool uniform = shape(scope, v).spread == Spread::uniform;
  const bool overwritten = liveness_.written_between(region, position, liveness_.last_use(v));
  access.stage = uniform || (overwritten && out_.may_alias);
  access.stage_if_aliased = overwritten;
  const bool needs_copy = free_index || access.stage || access.stage_if_aliased || access.masked;
  const uint8_t size = static_cast<uint8_t>(itemsize(i.type));
  CellId cell;
  if (uniform || free_index) {
    cell = define(scope, v);
    access.value = cell;
  } else {
    // The cell's pointer is set to the elements: in memory, or in the slot they were copied to.
    cell = add_cell({.place = Cell::Place::pointer, .size = size});
    scope.cells[v] = cell;
    if (needs_copy) access.value = scope.owned[v] = lanes_cell(scope, size);
  }
  emit({.kind = free_index ? StepKind::gather : StepKind::load,
        .scalar = uniform,
        .size = size,
        .result = cell,
        .side = static_cast<uint32_t>(out_.accesses.size())});
  out_.accesses.push_back(access);
}

void Lowering::lower_store(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const CellId value = find_lanes(scope, kernel_.operands(v)[0]);
  Access access = make_access(scope, v, 1);
  access.value = value;
  bool free_index = false;
  for (uint32_t k = 0; k < access.index_count; ++k) free_index |= out_.indices[access.first_index + k].lanes;
  emit({.kind = free_index ? StepKind::scatter : StepKind::store,
        .size = static_cast<uint8_t>(itemsize(i.type)),
        .side = static_cast<uint32_t>(out_.accesses.size())});
  out_.accesses.push_back(access);
}

void Lowering::lower_atomic(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const bool exchange = atomic_kind(i.attr) == AtomicKind::compare_exchange;
  const std::span<const Value> operands = kernel_.operands(v);
  const CellId expected = exchange ? find_lanes(scope, operands[0]) : no_cell;
  const CellId value = find_lanes(scope, operands[exchange ? 1 : 0]);
  Access access = make_access(scope, v, exchange ? 2 : 1);
  access.expected = expected;
  access.value = value;
  if (is_of_imaginary_part(i.attr)) access.offset = static_cast<uint8_t>(itemsize(i.type));
  access.kind = atomic_kind(i.attr);
  emit({.kind = StepKind::atomic,
        .size = static_cast<uint8_t>(itemsize(i.type)),
        .result = define(scope, v),
        .side = static_cast<uint32_t>(out_.accesses.size())});
  out_.accesses.push_back(access);
}

void Lowering::lower_vote(Scope& scope, Value v, StepKind kind) {
  const Instruction& i = kernel_.instructions[v];
  std::vector<CellId> cells;
  for (Value operand : kernel_.operands(v)) cells.push_back(find_lanes(scope, operand));
  const auto first = static_cast<uint32_t>(out_.operands.size());
  out_.operands.insert(out_.operands.end(), cells.begin(), cells.end());
  const bool has_words = kind == StepKind::shuffle || kind == StepKind::match_any;
  emit({.kind = kind,
        .count = static_cast<uint8_t>(cells.size()),
        .size = static_cast<uint8_t>(has_words ? itemsize(kernel_.instructions[kernel_.operands(v)[0]].type) : 0),
        .result = define(scope, v),
        .first = first,
        .side = i.imm,
        .amount = i.attr});
}

void Lowering::lower_check(Scope& scope, Value v) {
  const Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  CheckInfo info{.rule = static_cast<ErrorRule>(i.attr),
                 .slot = i.imm,
                 .operand_type = kernel_.instructions[operands[1]].type,
                 .result_type = i.type,
                 .result = find_lanes(scope, operands[0]),
                 .a = find_lanes(scope, operands[1]),
                 .b = no_cell};
  bool uniform = true;
  for (Value operand : operands) uniform &= shape(scope, operand).spread == Spread::uniform;
  info.scalar = uniform;
  // No rule depends on an operand whose type differs from the first one's.
  if (operands.size() > 2 && kernel_.instructions[operands[2]].type == info.operand_type)
    info.b = find_lanes(scope, operands[2]);
  emit({.kind = StepKind::check, .side = static_cast<uint32_t>(out_.checks.size())});
  out_.checks.push_back(info);
}

}  // namespace tessera::ir
