#include "tessera/ir/builder.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/ir/new_memory.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

uint64_t content_hash(const Instruction& i, std::span<const Value> args) {
  Hash hash;
  hash.add(static_cast<uint64_t>(i.op) | static_cast<uint64_t>(i.type) << 8 | uint64_t{i.imm} << 32);
  for (Value arg : args) hash.add(arg);
  return hash.value();
}

/// Of an instruction that is not pure. Guards are open before regions are built.
bool needs_guard(const Instruction& i) {
  switch (i.op) {
    case Opcode::if_:
    case Opcode::for_:
    case Opcode::while_:
    case Opcode::reduce:
    case Opcode::yield:
    case Opcode::result:
    case Opcode::region_arg: return false;
    default: return !is_new_memory(i);
  }
}

}  // namespace

Builder::Builder(int ndim, std::string name, int block_axes, bool keeps_code) {
  kernel_.ndim = static_cast<uint8_t>(ndim);
  kernel_.block_axes = static_cast<uint8_t>(block_axes);
  kernel_.name = std::move(name);
  code_.is_kept = keeps_code;
}

Kernel Builder::take() {
  invariant(code_.is_kept, "ir: kernel {} has values and no code", kernel_.name);
  drop_due_guards();
  end_guards(0, {});
  invariant(code_.open.size() == 1, "ir: kernel {} taken inside a region", kernel_.name);
  Kernel done = compact(kernel_);
#ifdef TESSERA_DEBUG
  verify(done);
#endif
  *this = Builder(kernel_.ndim, "kernel", kernel_.block_axes);
  return done;
}

uint32_t Builder::add_buffer(BufferParam param) {
  kernel_.buffers.push_back(param);
  return static_cast<uint32_t>(kernel_.buffers.size() - 1);
}

uint32_t Builder::add_scalar(DType type) {
  kernel_.scalars.push_back(type);
  return static_cast<uint32_t>(kernel_.scalars.size() - 1);
}

uint32_t Builder::add_array(ArrayDecl array) {
  kernel_.arrays.push_back(array);
  return static_cast<uint32_t>(kernel_.arrays.size() - 1);
}

uint32_t Builder::add_flag_slot() { return kernel_.flag_slots++; }

bool Builder::is_open(RegionId region) const { return std::ranges::find(code_.open, region) != code_.open.end(); }

// Pure instructions are deduplicated by content. Leaves are placed in the body, so that every region can use them.
Value Builder::append(Instruction instruction, std::span<const Value> args) {
  const bool pure = is_pure(instruction.op);
  if (!pure && has_due_guards() && needs_guard(instruction)) open_guards();
  uint64_t at = 0;
  if (pure) {
    if (code_.known_count * 2 >= code_.known.size()) {
      std::vector<Value> old =
          std::exchange(code_.known, std::vector<Value>(std::max<size_t>(64, code_.known.size() * 4), no_value));
      for (Value v : old) {
        if (v == no_value) continue;
        uint64_t slot = content_hash(kernel_.instructions[v], kernel_.operands(v));
        while (code_.known[slot & (code_.known.size() - 1)] != no_value) ++slot;
        code_.known[slot & (code_.known.size() - 1)] = v;
      }
    }
    at = content_hash(instruction, args);
    for (;; ++at) {
      const Value v = code_.known[at & (code_.known.size() - 1)];
      if (v == no_value) break;
      const Instruction& other = kernel_.instructions[v];
      if (other.op == instruction.op && other.type == instruction.type && other.imm == instruction.imm &&
          std::ranges::equal(kernel_.operands(v), args) && is_open(code_.home[v])) {
        return v;
      }
    }
  }
  const Value v = static_cast<Value>(kernel_.instructions.size());
  instruction.first_arg = static_cast<uint32_t>(kernel_.args.size());
  instruction.arg_count = static_cast<uint16_t>(args.size());
  kernel_.args.insert(kernel_.args.end(), args.begin(), args.end());
  kernel_.instructions.push_back(instruction);
  const bool leaf = info(instruction.op).form == OpcodeForm::leaf;
  code_.home.push_back(leaf && pure ? 0 : code_.open.back());
  if (code_.is_kept && instruction.op != Opcode::region_arg) kernel_.regions[code_.home.back()].body.push_back(v);
  if (pure) {
    code_.known[at & (code_.known.size() - 1)] = v;
    ++code_.known_count;
  }
  return v;
}

Value Builder::constant(const Scalar& value) {
  uint32_t k = 0;
  while (k < kernel_.constants.size() && !(kernel_.constants[k] == value)) ++k;
  if (k == kernel_.constants.size()) kernel_.constants.push_back(value);
  return append({.op = Opcode::constant, .type = value.dtype, .imm = k}, {});
}

Value Builder::constant(DType type, double value) {
  return constant(Scalar::of_float(DType::float64, value).cast_to(type));
}

Value Builder::scalar(uint32_t param) {
  return append({.op = Opcode::scalar, .type = kernel_.scalars[param], .imm = param}, {});
}

Value Builder::index(int axis) {
  return append({.op = Opcode::index, .type = DType::int64, .imm = static_cast<uint32_t>(axis)}, {});
}

Value Builder::extent(int axis) {
  return append({.op = Opcode::extent, .type = DType::int64, .imm = static_cast<uint32_t>(axis)}, {});
}

Value Builder::dimension(uint32_t buffer, int axis) {
  return append({.op = Opcode::dimension, .type = DType::int64, .imm = buffer * 64 + static_cast<uint32_t>(axis)}, {});
}

}  // namespace tessera::ir
