#include "tessera/ir/builder.h"

#include <algorithm>
#include <array>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/ir/builder_expand.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

uint64_t content_hash(const Instruction& i, std::span<const Value> args) {
  Hash hash;
  hash.add(static_cast<uint64_t>(i.op) | static_cast<uint64_t>(i.type) << 8 | uint64_t{i.imm} << 32);
  for (Value arg : args) hash.add(arg);
  return hash.value();
}

}  // namespace

Builder::Builder(int ndim, std::string name) {
  kernel_.ndim = static_cast<uint8_t>(ndim);
  kernel_.name = std::move(name);
}

Kernel Builder::take() {
  invariant(open_.size() == 1, "ir: kernel {} taken inside a region", kernel_.name);
  Kernel done = compact(kernel_);
#ifdef TESSERA_DEBUG
  verify(done);
#endif
  *this = Builder(kernel_.ndim);
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

bool Builder::is_open(RegionId region) const { return std::ranges::find(open_, region) != open_.end(); }

// Pure instructions are deduplicated by content. Leaves are placed in the body, so that every region can use them.
Value Builder::append(Instruction instruction, std::span<const Value> args) {
  const bool pure = is_pure(instruction.op);
  uint64_t at = 0;
  if (pure) {
    if (known_count_ * 2 >= known_.size()) {
      std::vector<Value> old =
          std::exchange(known_, std::vector<Value>(std::max<size_t>(64, known_.size() * 4), no_value));
      for (Value v : old) {
        if (v == no_value) continue;
        uint64_t slot = content_hash(kernel_.instructions[v], kernel_.operands(v));
        while (known_[slot & (known_.size() - 1)] != no_value) ++slot;
        known_[slot & (known_.size() - 1)] = v;
      }
    }
    at = content_hash(instruction, args);
    for (;; ++at) {
      const Value v = known_[at & (known_.size() - 1)];
      if (v == no_value) break;
      const Instruction& other = kernel_.instructions[v];
      if (other.op == instruction.op && other.type == instruction.type && other.imm == instruction.imm &&
          std::ranges::equal(kernel_.operands(v), args) && is_open(home_[v])) {
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
  home_.push_back(leaf && pure ? 0 : open_.back());
  if (instruction.op != Opcode::region_arg) kernel_.regions[home_.back()].body.push_back(v);
  if (pure) {
    known_[at & (known_.size() - 1)] = v;
    ++known_count_;
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

Value Builder::unary(Opcode op, Value x) {
  const DType t = type(x);
  if (const auto expanded = expand_unary(*this, op, x)) return *expanded;
  invariant(info(op).operands == 1 && accepts(op, t), "ir: {} of {}", name(op), t);
  if (const auto known = fold_constants(*this, op, std::array{x})) return *known;
  if (const auto known = simplify_unary(*this, op, x)) return *known;
  return append({.op = op, .type = result_type(op, std::array{t})}, {x});
}

Value Builder::binary(Opcode op, Value x, Value y) {
  const DType t = type(x);
  invariant(type(y) == (op == Opcode::ldexp ? DType::int32 : t), "ir: {} of {} and {}", name(op), t, type(y));
  if (const auto expanded = expand_binary(*this, op, x, y)) return *expanded;
  invariant(info(op).operands == 2 && accepts(op, t), "ir: {} of {}", name(op), t);
  if (const auto known = fold_constants(*this, op, std::array{x, y})) return *known;
  if (const auto known = simplify_binary(*this, op, x, y)) return *known;
  return append({.op = op, .type = result_type(op, std::array{t, t})}, {x, y});
}

Value Builder::compare(Opcode op, Value x, Value y) { return binary(op, x, y); }

Value Builder::fma(Value x, Value y, Value z) {
  const DType t = type(x);
  invariant(type(y) == t && type(z) == t, "ir: fma of {}, {} and {}", t, type(y), type(z));
  if (is_floating(t) && itemsize(t) == 2) {
    return cast(fma(cast(x, DType::float32), cast(y, DType::float32), cast(z, DType::float32)), t);
  }
  invariant(accepts(Opcode::fma, t), "ir: fma of {}", t);
  if (const auto known = fold_constants(*this, Opcode::fma, std::array{x, y, z})) return *known;
  return append({.op = Opcode::fma, .type = t}, {x, y, z});
}

Value Builder::select(Value condition, Value x, Value y) {
  invariant(is_boolean(type(condition)) && type(x) == type(y), "ir: select of {}, {} and {}", type(condition), type(x),
            type(y));
  if (x == y) return x;
  if (const Scalar* known = constant_of(kernel_, condition)) return known->bytes[0] ? x : y;
  if (is_complex(type(x))) {
    return make_complex(select(condition, real(x), real(y)), select(condition, imag(x), imag(y)));
  }
  return append({.op = Opcode::select, .type = type(x)}, {condition, x, y});
}

Value Builder::cast(Value x, DType to) {
  const DType from = type(x);
  if (from == to) return x;
  if (const Scalar* known = constant_of(kernel_, x)) return constant(known->cast_to(to));
  if (const auto expanded = expand_cast(*this, x, to)) return *expanded;
  return append({.op = Opcode::cast, .type = to}, {x});
}

Value Builder::bitcast(Value x, DType to) {
  if (type(x) == to) return x;
  invariant(itemsize(type(x)) == itemsize(to), "ir: bitcast of {} to {}", type(x), to);
  return append({.op = Opcode::bitcast, .type = to}, {x});
}

Value Builder::make_complex(Value real, Value imag) {
  const DType t = type(real);
  invariant(t == type(imag) && (t == DType::float32 || t == DType::float64), "ir: make_complex of {} and {}", t,
            type(imag));
  return append({.op = Opcode::make_complex, .type = complex_dtype(t)}, {real, imag});
}

Value Builder::real(Value x) {
  if (!is_complex(type(x))) return x;
  if (kernel_.instructions[x].op == Opcode::make_complex) return kernel_.operands(x)[0];
  if (const Scalar* known = constant_of(kernel_, x)) return constant(part_of(*known, 0));
  return append({.op = Opcode::real, .type = real_dtype(type(x))}, {x});
}

Value Builder::imag(Value x) {
  if (!is_complex(type(x))) return zero_like(x);
  if (kernel_.instructions[x].op == Opcode::make_complex) return kernel_.operands(x)[1];
  if (const Scalar* known = constant_of(kernel_, x)) return constant(part_of(*known, 1));
  return append({.op = Opcode::imag, .type = real_dtype(type(x))}, {x});
}

}  // namespace tessera::ir
