// The frame of a kernel: access to its parameters, the level at which each instruction is inserted, and the dispatch of
// instructions to the other files.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/source_lines.h"

#include <algorithm>
#include "tessera/codegen/emit/primitives.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

Emitter::Emitter(const ir::Kernel& kernel, llvm::Module& module, MathLibrary& math, Machine machine)
    : kernel_(kernel),
      module_(module),
      context_(module.getContext()),
      math_(math),
      machine_(machine),
      dependence_(kernel),
      b_(context_),
      word_(llvm::Type::getInt64Ty(context_)),
      values_(kernel.instructions.size()),
      axis_index_(kernel.ndim) {}

void Emitter::open_function(llvm::Function* function) {
  function_ = function;
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context_, "entry", function);
  b_.SetInsertPoint(entry);
  access_group_ = llvm::MDNode::getDistinct(context_, {});
  make_alias_scopes();
}

/// Opens the next level. The block that ends here belongs to the level before it; code of that level is later inserted
/// at its end.
void Emitter::open_level() {
  llvm::BasicBlock* next = llvm::BasicBlock::Create(context_, "", function_);
  hoist_points_.push_back(b_.CreateBr(next));
  b_.SetInsertPoint(next);
}

llvm::Instruction* Emitter::hoist_point(int level) const {
  if (level < static_cast<int>(hoist_points_.size())) return hoist_points_[level];
  return level == dependence_.row() && in_lane_ ? row_point_ : nullptr;
}

llvm::Value* Emitter::at_level(int level, const std::function<llvm::Value*()>& emit) {
  llvm::Instruction* point = hoist_point(level);
  if (!point) return emit();
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(point);
  return emit();
}

/// The address of a field's words: KernelArguments points to them, a device's parameter block contains them.
llvm::Value* Emitter::argument_field(int field) {
  llvm::Value*& cached = argument_words_[static_cast<uint64_t>(field) << 32];
  if (!cached) {
    cached = at_level(0, [&]() -> llvm::Value* {
      if (machine_.kind == Machine::Kind::device) return device_field(field);
      return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), function_->getArg(0), field),
                           "field");
    });
  }
  return cached;
}

/// One word of the arguments, read once at the start.
llvm::Value* Emitter::argument_word(int field, llvm::Type* type, int64_t offset, const char* name) {
  llvm::Value* base = argument_field(field);
  llvm::Value*& cached = argument_words_[static_cast<uint64_t>(field) << 32 | static_cast<uint64_t>(offset + 1)];
  if (!cached) {
    cached = at_level(0, [&] {
      llvm::Value* address = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
      const uint64_t size = type->isPointerTy() ? 8 : type->getPrimitiveSizeInBits() / 8;
      return b_.CreateAlignedLoad(type, address, llvm::Align(std::min<uint64_t>(8, std::max<uint64_t>(1, size))), name);
    });
  }
  return cached;
}

llvm::Value* Emitter::extent(int axis) {
  if (const int known = kernel_.known_extent(axis)) return b_.getInt64(static_cast<uint64_t>(known));
  return argument_word(field_extents, word_, axis * 8, "extent");
}

Parts Emitter::scalar(uint32_t param) {
  const DType dtype = kernel_.scalars[param];
  llvm::Type* type = memory_type(context_, dtype);
  Parts parts{argument_word(field_scalars, type, param * 16, "scalar")};
  if (is_complex(dtype)) parts.second = argument_word(field_scalars, type, param * 16 + part_size(dtype), "scalar");
  if (is_boolean(dtype)) parts.first = at_level(0, [&] { return b_.CreateIsNotNull(parts.first); });
  return parts;
}

Parts Emitter::get(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  switch (i.op) {
    case Opcode::constant: return constant_of(context_, kernel_.constants[i.imm]);
    case Opcode::scalar:
      if (!values_[v].first) values_[v] = scalar(i.imm);
      return values_[v];
    case Opcode::index: return {axis_index_[i.imm]};
    case Opcode::extent: return {extent(static_cast<int>(i.imm))};
    case Opcode::dimension: return {dimension(i.imm / 64, static_cast<int>(i.imm % 64))};
    default:
      invariant(values_[v].first != nullptr, "codegen: {} %{} is used before it is computed", ir::name(i.op), v);
      return values_[v];
  }
}

void Emitter::emit_region(ir::RegionId region) {
  for (Value v : kernel_.regions[region].body) emit_instruction(v);
}

void Emitter::emit_instruction(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  switch (i.op) {
    case Opcode::constant:
    case Opcode::scalar:
    case Opcode::index:
    case Opcode::extent:
    case Opcode::dimension:
    case Opcode::region_arg:
    case Opcode::yield: return;
    case Opcode::result: return set(v, results_.at(kernel_.operands(v)[0]).at(i.imm));
    case Opcode::load: return emit_load(v);
    case Opcode::store: return leader_ ? emit_by_leader([&] { emit_store(v); }) : emit_store(v);
    case Opcode::load_array:
    case Opcode::store_array: return emit_array_access(v);
    case Opcode::atomic:
    case Opcode::atomic_array:
      invariant(mapping_.team == 1, "codegen: a team for a kernel with atomics");
      return emit_atomic(v);
    case Opcode::check: return emit_check(v);
    case Opcode::if_:
      if (emit_chosen(v)) return;
      [[fallthrough]];
    case Opcode::for_:
    case Opcode::while_: return emit_control(v, [&](int k) { emit_region(kernel_.instructions[v].first_region + k); });
    case Opcode::reduce: return emit_reduce(v);
    case Opcode::call_host: return ir::is_line_mark(i) ? emit_line(v) : emit_host_call(v);
    case Opcode::is_aligned: return set(v, {emit_is_aligned(v)});
    case Opcode::address:
    case Opcode::address_array: return emit_address(v);
    case Opcode::call_foreign: return emit_foreign_call(v);
    case Opcode::call: return emit_function_call(v);
    case Opcode::fence: return emit_fence(v);
    case Opcode::pause: return emit_pause(v);
    default:
      if (ir::is_meeting(i.op)) return emit_meeting(v);
      break;
  }
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  const llvm::DebugLoc line = b_.getCurrentDebugLocation();
  if (llvm::Instruction* point = hoist_point(dependence_.level(v))) b_.SetInsertPoint(point);
  b_.SetCurrentDebugLocation(line);  // of the source, wherever it is computed
  set(v, emit_pure(v));
}

/// A sum that a loop carries may be computed in any order, and products may be added without being rounded.
void Emitter::loosen(Value v, llvm::Value* value) {
  const ir::Instruction& i = kernel_.instructions[v];
  auto* made = llvm::dyn_cast<llvm::Instruction>(value);
  const bool is_sum = i.op == Opcode::add || i.op == Opcode::sub;
  if (!made || !is_floating(i.type) || !(is_sum || i.op == Opcode::mul)) return;
  made->setHasAllowContract(true);
  const auto is_carried = [&](Value operand) { return kernel_.instructions[operand].op == Opcode::region_arg; };
  if (is_sum && std::ranges::any_of(kernel_.operands(v), is_carried)) made->setHasAllowReassoc(true);
}

Parts Emitter::emit_pure(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  std::span<const Value> operands = kernel_.operands(v);
  switch (i.op) {
    case Opcode::make_complex: return {get_one(operands[0]), get_one(operands[1])};
    case Opcode::real: return {get_one(operands[0])};
    case Opcode::imag: return {get(operands[0]).second};
    case Opcode::select: {
      llvm::Value* condition = get_one(operands[0]);
      const Parts x = get(operands[1]), y = get(operands[2]);
      return {b_.CreateSelect(condition, x.first, y.first),
              x.second ? b_.CreateSelect(condition, x.second, y.second) : nullptr};
    }
    case Opcode::cast: return {emit_cast(b_, get_one(operands[0]), type_of(operands[0]), i.type, machine_)};
    case Opcode::bitcast: return {emit_bitcast(b_, get_one(operands[0]), type_of(operands[0]), i.type)};
    default: break;
  }
  if (is_call(v)) return {emit_single_call(v)};
  llvm::SmallVector<llvm::Value*, 3> values;
  for (Value operand : operands) values.push_back(get_one(operand));
  if (kernel_.fast_math && machine_.kind == Machine::Kind::device && type_of(operands[0]) == DType::float32)
    if (llvm::Value* value = emit_approximate(b_, i.op, values, mapping_.capability)) return {value};
  if (is_quick_root(v)) return {emit_quick_root(values[0])};
  if (i.op == Opcode::guess_reciprocal) return {emit_reciprocal_guess(values[0])};
  if (llvm::Value* value = mapping_.fast_compile ? emit_written_out(i, values) : nullptr) return {value};
  llvm::Value* value = emit_primitive(b_, i.op, type_of(operands[0]), values, module_, math_, machine_);
  if (kernel_.fast_math && machine_.kind == Machine::Kind::host) loosen(v, value);
  // Inlining passes the access group on to the loads from the math library's tables, which otherwise look like
  // dependences.
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(value)) mark_access(call, no_buffer);
  return {value};
}

}  // namespace tessera::codegen
