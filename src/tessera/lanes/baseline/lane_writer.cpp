#include "tessera/lanes/baseline/lane_writer.h"

#include "tessera/lanes/baseline/forms.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

// rdi places, rsi lanes, rdx uniforms, rcx spills (see LaneFunction); r11 the lane, rax for what is needed at once.
const Xbyak::Reg64 places_register(Xbyak::Operand::RDI), count_register(Xbyak::Operand::RSI),
    uniforms_register(Xbyak::Operand::RDX), spills_register(Xbyak::Operand::RCX), lane_register(Xbyak::Operand::R11);
constexpr int free_registers[] = {Xbyak::Operand::R8,  Xbyak::Operand::R9,  Xbyak::Operand::R10,
                                  Xbyak::Operand::RBX, Xbyak::Operand::RBP, Xbyak::Operand::R12,
                                  Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15};
constexpr size_t first_saved = 3;  // from here on they belong to the caller

}  // namespace

LaneWriter::LaneWriter(const ir::Kernel& kernel, const LaneLoop& loop, Xbyak::CodeGenerator& code)
    : kernel_(kernel), loop_(loop), c_(code), width_(find_width()), lane_bytes_(32 / width_) {
  note_uses();
  for (const LaneOp& op : loop.ops) {
    if (op.kind != LaneOp::Kind::load && op.kind != LaneOp::Kind::store) continue;
    if (pointers_.size() < std::size(free_registers) || pointers_.contains(op.place))
      pointers_.try_emplace(op.place, free_registers[std::min(pointers_.size(), std::size(free_registers) - 1)]);
  }
}

int LaneWriter::find_width() const {
  bool has_wide = false;
  const auto note = [&](Value v) { has_wide |= itemsize(type_of(v)) == 8; };
  for (const LaneOp& op : loop_.ops) {
    if (op.kind != LaneOp::Kind::check) note(op.value);
    if (op.kind == LaneOp::Kind::compute || op.kind == LaneOp::Kind::check)
      for (Value operand : kernel_.operands(op.value)) note(operand);
  }
  return has_wide ? 4 : 8;
}

void LaneWriter::note_uses() {
  int position = 0;
  for (const LaneOp& op : loop_.ops) {
    if (op.kind == LaneOp::Kind::store) registers_.note_use(op.value, position);
    if (op.kind == LaneOp::Kind::compute || op.kind == LaneOp::Kind::check)
      for (Value operand : kernel_.operands(op.value)) registers_.note_use(operand, position);
    ++position;
  }
}

void LaneWriter::write() {
  for (size_t k = first_saved; k < pointers_.size(); ++k) c_.push(Xbyak::Reg64(free_registers[k]));
  for (const auto& [place, pointer] : pointers_) c_.mov(pointer, c_.ptr[places_register + place * sizeof(Place)]);
  Xbyak::Label vectors, singles, next_single, done;
  c_.vxorps(alarms(), alarms(), alarms());
  c_.xor_(lane_register, lane_register);
  c_.sub(count_register, width_);
  c_.jl(singles, Xbyak::CodeGenerator::T_NEAR);
  c_.align(16);
  c_.L(vectors);
  write_body();
  c_.add(lane_register, width_);
  c_.cmp(lane_register, count_register);
  c_.jle(vectors, Xbyak::CodeGenerator::T_NEAR);
  c_.L(singles);
  c_.add(count_register, width_);
  c_.cmp(lane_register, count_register);
  c_.jge(done, Xbyak::CodeGenerator::T_NEAR);
  c_.L(next_single);
  single_ = true;
  write_body();
  c_.inc(lane_register);
  c_.cmp(lane_register, count_register);
  c_.jl(next_single, Xbyak::CodeGenerator::T_NEAR);
  c_.L(done);
  c_.xor_(c_.eax, c_.eax);
  c_.vptest(alarms(), alarms());
  c_.setnz(c_.al);
  for (size_t k = pointers_.size(); k-- > first_saved;) c_.pop(Xbyak::Reg64(free_registers[k]));
  c_.vzeroupper();
  c_.ret();
}

void LaneWriter::write_body() {
  registers_.restart();
  int position = 0;
  for (const LaneOp& op : loop_.ops) {
    registers_.move_to(position++);
    write_op(op);
    registers_.release_dead();
  }
}

void LaneWriter::write_op(const LaneOp& op) {
  switch (op.kind) {
    case LaneOp::Kind::load: return write_load(op);
    case LaneOp::Kind::compute: return write_compute(op.value);
    case LaneOp::Kind::check: return write_check(op.value);
    case LaneOp::Kind::store: return write_store(op);
  }
}

LaneWriter::Vector LaneWriter::as(DType dtype, int index) const {
  const int64_t bytes = is_boolean(dtype) ? 32 : width_ * itemsize(dtype);
  return bytes == 32 ? static_cast<Vector>(Xbyak::Ymm(index)) : Vector(index);
}

int LaneWriter::take(std::optional<Value> v) {
  std::optional<Registers::Move> moved;
  const int index = registers_.take(v, moved);
  if (moved) c_.vmovups(c_.ptr[spills_register + moved->spill * spill_bytes], Xbyak::Ymm(moved->from));
  return index;
}

LaneWriter::Vector LaneWriter::get(Value v) {
  const DType dtype = type_of(v);
  if (auto uniform = loop_.uniform_of.find(v); uniform != loop_.uniform_of.end()) return get_uniform(v, uniform->second);
  if (const int known = registers_.find(v); known >= 0) return as(dtype, known);
  const int spill = registers_.spill_of(v);
  const int index = take(v);
  c_.vmovups(Xbyak::Ymm(index), c_.ptr[spills_register + spill * spill_bytes]);
  return as(dtype, index);
}

LaneWriter::Vector LaneWriter::get_uniform(Value v, uint32_t at) {
  const DType dtype = type_of(v);
  const Vector r = as(dtype, take(std::nullopt));
  const Xbyak::Address address = c_.ptr[uniforms_register + at * 16];
  if (is_boolean(dtype)) {
    const Vector none = whole_scratch(0);
    c_.vpbroadcastb(r, address);
    c_.vpxor(none, none, none);
    c_.vpcmpeqb(r, r, none);
    all_ones(none);
    invert(r, none);
  } else if (itemsize(dtype) == 8) {
    c_.vbroadcastsd(Xbyak::Ymm(r.getIdx()), address);
  } else {
    c_.vbroadcastss(r, address);
  }
  return r;
}

Xbyak::RegExp LaneWriter::element(DType dtype, uint32_t place) {
  const int scale = static_cast<int>(itemsize(dtype));
  if (auto known = pointers_.find(place); known != pointers_.end()) return known->second + lane_register * scale;
  c_.mov(c_.rax, c_.ptr[places_register + place * sizeof(Place)]);
  return c_.rax + lane_register * scale;
}

void LaneWriter::write_load(const LaneOp& op) {
  const DType dtype = type_of(op.value);
  const Vector r = as(dtype, take(op.value));
  if (is_boolean(dtype)) return load_mask(r, op.place);
  const Xbyak::Address address = c_.ptr[element(dtype, op.place)];
  if (!single_) {
    c_.vmovups(r, address);
  } else if (itemsize(dtype) == 8) {
    c_.vmovsd(Vector(r.getIdx()), address);
  } else {
    c_.vmovss(Vector(r.getIdx()), address);
  }
}

void LaneWriter::write_store(const LaneOp& op) {
  const DType dtype = type_of(op.value);
  const Vector r = get(op.value);
  if (is_boolean(dtype)) return store_mask(r, op.place);
  const Xbyak::Address address = c_.ptr[element(dtype, op.place)];
  if (!single_) {
    c_.vmovups(address, r);
  } else if (itemsize(dtype) == 8) {
    c_.vmovsd(address, Vector(r.getIdx()));
  } else {
    c_.vmovss(address, Vector(r.getIdx()));
  }
}

void LaneWriter::raise(Vector r, int64_t size) {
  const Vector low(r.getIdx());
  if (single_ && size == 8) c_.vmovq(low, low);
  if (single_ && size == 4) c_.vinsertps(low, low, low, 0x0E);
  c_.vpor(alarms(), alarms(), Xbyak::Ymm(r.getIdx()));
}

void LaneWriter::write_check(Value check) {
  const std::span<const Value> operands = kernel_.operands(check);
  switch (alarm_of(kernel_, kernel_.instructions[check], operands)) {
    case Alarm::never:
    case Alarm::unknown: return;
    case Alarm::not_finite: {
      // x - x is 0, or NaN when x is infinite or NaN.
      const DType dtype = type_of(operands[0]);
      const Vector x = get(operands[0]), difference = scratch(dtype, 0);
      if (dtype == DType::float64) {
        c_.vsubpd(difference, x, x);
      } else {
        c_.vsubps(difference, x, x);
      }
      return raise(difference, itemsize(dtype));
    }
    case Alarm::is_smallest: {
      const DType dtype = type_of(operands[0]);
      const Vector x = get(operands[0]), smallest = scratch(dtype, 0);
      set_bits(smallest, dtype, static_cast<int>(itemsize(dtype)) * 8 - 1, 1);
      compare_integers(Opcode::eq, dtype, smallest, x, smallest);
      return raise(smallest, itemsize(dtype));
    }
    case Alarm::divisor: {
      const DType dtype = type_of(operands[2]);
      const Vector y = get(operands[2]), zero = scratch(dtype, 0), minus_one = scratch(dtype, 1);
      c_.vpxor(zero, zero, zero);
      all_ones(minus_one);
      compare_integers(Opcode::eq, dtype, zero, y, zero);
      compare_integers(Opcode::eq, dtype, minus_one, y, minus_one);
      c_.vpor(whole_scratch(0), whole_scratch(0), whole_scratch(1));
      return raise(zero, itemsize(dtype));
    }
  }
}

void LaneWriter::write_compute(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  std::vector<Vector> x;
  for (Value operand : operands) x.push_back(get(operand));
  // The code of an instruction writes its result last, so that it may take an operand's register.
  registers_.release_dead();
  const Vector r = as(i.type, take(v));
  const DType dtype = type_of(operands[0]);
  if (i.op == Opcode::select) return write_select(i.type, r, x[0], x[1], x[2]);
  if (i.op == Opcode::cast) return write_cast(dtype, i.type, r, x[0]);
  if (is_boolean(dtype)) return write_boolean(i.op, r, x);
  if (is_integer(dtype)) return write_integer(i.op, dtype, r, x);
  write_float(i.op, dtype, r, x);
}

void LaneWriter::all_ones(Vector r) { c_.vpcmpeqd(r, r, r); }

void LaneWriter::invert(Vector r, Vector ones) { c_.vpxor(r, r, ones); }

void LaneWriter::set_bits(Vector r, DType dtype, int low, int length) {
  all_ones(r);
  const int bits = static_cast<int>(itemsize(dtype)) * 8;
  if (bits == 64) {
    c_.vpsrlq(r, r, static_cast<uint8_t>(bits - length));
    if (low) c_.vpsllq(r, r, static_cast<uint8_t>(low));
  } else {
    c_.vpsrld(r, r, static_cast<uint8_t>(bits - length));
    if (low) c_.vpslld(r, r, static_cast<uint8_t>(low));
  }
}

void LaneWriter::widen_mask(Vector mask, DType dtype) {
  if (is_narrow(dtype)) c_.vpmovsxdq(Xbyak::Ymm(mask.getIdx()), Vector(mask.getIdx()));
}

/// The lower halves of 8-byte elements, side by side.
LaneWriter::Vector LaneWriter::narrow(Vector wide, int into) {
  const Vector r(into), low(wide.getIdx()), high(Registers::count + 2);
  c_.vextracti128(high, Xbyak::Ymm(wide.getIdx()), 1);
  c_.vshufps(r, low, high, 0x88);
  return r;
}

void LaneWriter::load_mask(Vector r, uint32_t place) {
  const Vector bytes(r.getIdx()), zero = whole_scratch(0);
  const Xbyak::RegExp address = element(DType::boolean, place);
  if (single_) {
    c_.movzx(c_.eax, c_.byte[address]);
    c_.vmovd(bytes, c_.eax);
  } else if (width_ == 8) {
    c_.vmovq(bytes, c_.ptr[address]);
  } else {
    c_.vmovd(bytes, c_.ptr[address]);
  }
  c_.vpxor(zero, zero, zero);
  c_.vpcmpeqb(bytes, bytes, Vector(zero.getIdx()));
  if (width_ == 8) {
    c_.vpmovsxbd(Xbyak::Ymm(r.getIdx()), bytes);
  } else {
    c_.vpmovsxbq(Xbyak::Ymm(r.getIdx()), bytes);
  }
  all_ones(zero);
  invert(r, zero);
}

void LaneWriter::store_mask(Vector r, uint32_t place) {
  const Vector low(r.getIdx()), packed(Registers::count);
  const Xbyak::RegExp address = element(DType::boolean, place);
  if (single_) {
    c_.vpabsb(packed, low);
    c_.vpextrb(c_.ptr[address], packed, 0);
    return;
  }
  c_.vextracti128(packed, Xbyak::Ymm(r.getIdx()), 1);
  c_.vpackssdw(packed, low, packed);
  if (width_ == 4) c_.vpackssdw(packed, packed, packed);
  c_.vpacksswb(packed, packed, packed);
  c_.vpabsb(packed, packed);
  if (width_ == 8) {
    c_.vmovq(c_.ptr[address], packed);
  } else {
    c_.vmovd(c_.ptr[address], packed);
  }
}

}  // namespace tessera::lanes
