// Elements of one array or another: a branch of which each side accesses one element is one access, of the address that
// is chosen. So loops over arrays that were chosen outside of them have no branches, and vectorise.
#include <algorithm>

#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/call_depth.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

/// What a side accesses: its last instruction but the yield, behind instructions that may run where it is not taken.
Value access_of(const ir::Kernel& kernel, const ir::Region& side) {
  constexpr size_t most = 24;
  if (side.body.size() > most) return ir::no_value;
  Value access = ir::no_value;
  for (Value v : side.body) {
    const Opcode op = kernel.instructions[v].op;
    if (access != ir::no_value) {
      const bool yields = op == Opcode::yield && kernel.operands(v).size() == 1 && kernel.operands(v)[0] == access;
      return yields ? access : ir::no_value;
    }
    if (ir::is_pure(op) && !is_long_function(kernel, v)) continue;
    const bool is_access = op == Opcode::load || op == Opcode::store || op == Opcode::load_array ||
                           op == Opcode::store_array || op == Opcode::if_;
    if (!is_access) return ir::no_value;
    access = v;
  }
  return access;
}

/// Whether the value is not one that each iteration computes or loads anew, for which two loads under masks are better
/// than one of addresses that are not in a row.
bool is_settled(const ir::Kernel& kernel, Value v, int depth = 0) {
  constexpr int deepest = 6;
  const Opcode op = kernel.instructions[v].op;
  switch (op) {
    case Opcode::constant:
    case Opcode::scalar:
    case Opcode::dimension:
    case Opcode::region_arg:
    case Opcode::if_:
    case Opcode::for_:
    case Opcode::while_:
    case Opcode::result:
    case Opcode::call: return true;
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::bit_not:
    case Opcode::select:
    case Opcode::cast: break;
    default:
      if (!ir::is_comparison(op)) return false;
  }
  return depth < deepest &&
         std::ranges::all_of(kernel.operands(v), [&](Value operand) { return is_settled(kernel, operand, depth + 1); });
}

bool is_store(Opcode op) { return op == Opcode::store || op == Opcode::store_array; }
bool is_of_array(Opcode op) { return op == Opcode::load_array || op == Opcode::store_array; }

}  // namespace

/// Of an access, or of a branch between some that are alike.
std::optional<Arrays::ChosenKind> Arrays::chosen_kind(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.op == Opcode::if_) {
    const Value condition = kernel_.operands(v)[0];
    if (i.region_count != 2 || !is_settled(kernel_, condition)) return {};
    if (machine_.kind == Machine::Kind::host && kernel_.ndim > 0 && !w_.is_called && dependence_.varies(condition))
      return {};
    std::optional<ChosenKind> both;
    for (int k = 0; k < 2; ++k) {
      const Value access = access_of(kernel_, kernel_.region(v, k));
      const std::optional<ChosenKind> kind = access == ir::no_value ? std::nullopt : chosen_kind(access);
      if (!kind || (both && *both != *kind)) return {};
      both = kind;
    }
    return both;
  }
  if (i.attr != 0) return {};
  const bool of_array = is_of_array(i.op);
  if (of_array && (!kernel_.arrays[i.imm].shared || is_complex(i.type))) return {};
  return ChosenKind{is_store(i.op), of_array, i.type};
}

/// The region's element; what is computed for its address is written here.
Arrays::ChosenElement Arrays::chosen_element(const ir::Region& side) {
  const Value access = access_of(kernel_, side);
  for (Value v : side.body) {
    if (v == access) break;
    e_.values.emit_instruction(v);
  }
  const ir::Instruction& i = kernel_.instructions[access];
  if (i.op == Opcode::if_) return choose_element(access);
  ChosenElement element;
  std::span<const Value> indices = kernel_.operands(access);
  if (is_store(i.op)) {
    element.stored = get(indices[0]);
    indices = indices.subspan(1);
  }
  element.is_parallel = is_of_array(i.op) || kernel_.buffers[i.imm].no_alias;
  element.base = is_of_array(i.op) ? arrays_[i.imm] : e_.memory.base_of(i.imm);
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    element.indices.push_back(e_.memory.as_word(indices[axis]));
    element.strides.push_back(is_of_array(i.op) ? b_.getInt64(static_cast<uint64_t>(itemsize(i.type)))
                                                : e_.memory.stride_of(i.imm, static_cast<int>(axis)));
  }
  return element;
}

llvm::Value* Arrays::address_of(const ChosenElement& element) {
  llvm::Value* address = element.base;
  for (size_t axis = 0; axis < element.indices.size(); ++axis)
    address = b_.CreateGEP(b_.getInt8Ty(), address, b_.CreateMul(element.indices[axis], element.strides[axis]));
  return address;
}

/// Arrays of as many axes differ in where they begin and in their steps; these do not change with the index.
Arrays::ChosenElement Arrays::choose_element(Value branch) {
  llvm::Value* condition = get_one(kernel_.operands(branch)[0]);
  ChosenElement x = chosen_element(kernel_.region(branch, 0)), y = chosen_element(kernel_.region(branch, 1));
  if (x.indices.size() != y.indices.size()) {
    for (ChosenElement* one : {&x, &y}) {
      one->base = address_of(*one);
      one->indices.clear();
      one->strides.clear();
    }
  }
  const auto choose = [&](llvm::Value*& to, llvm::Value* other) {
    if (to != other) to = b_.CreateSelect(condition, to, other);
  };
  choose(x.base, y.base);
  for (size_t axis = 0; axis < x.indices.size(); ++axis) {
    choose(x.indices[axis], y.indices[axis]);
    choose(x.strides[axis], y.strides[axis]);
  }
  if (x.stored.first) choose(x.stored.first, y.stored.first);
  if (x.stored.second) choose(x.stored.second, y.stored.second);
  x.is_parallel &= y.is_parallel;
  return x;
}

/// Whether the branch was written as one access.
bool Arrays::emit_chosen(Value v) {
  const std::optional<ChosenKind> kind = w_.leader ? std::nullopt : chosen_kind(v);
  if (!kind) return false;
  const ChosenElement element = choose_element(v);
  llvm::Type* type = memory_type(context_, kind->type);
  const llvm::Align align(static_cast<uint64_t>(part_size(kind->type)));
  const Parts address = e_.memory.part_addresses(address_of(element), kind->type);
  const auto mark = [&](llvm::Instruction* access) {
    if (element.is_parallel) access->setMetadata(llvm::LLVMContext::MD_access_group, e_.memory.access_group());
    return access;
  };
  Parts loaded;
  for (auto [at, stored, to] : {std::tuple{address.first, element.stored.first, &loaded.first},
                                {address.second, element.stored.second, &loaded.second}}) {
    if (!at) continue;
    if (kind->is_store) {
      llvm::Value* value = is_boolean(kind->type) ? b_.CreateZExt(stored, b_.getInt8Ty()) : stored;
      mark(b_.CreateAlignedStore(value, at, align));
    } else {
      llvm::Value* value = mark(b_.CreateAlignedLoad(type, at, align));
      *to = is_boolean(kind->type) ? b_.CreateIsNotNull(value) : value;
    }
  }
  if (!kind->is_store) e_.values.set_result(v, 0, loaded);
  return true;
}

}  // namespace tessera::codegen
