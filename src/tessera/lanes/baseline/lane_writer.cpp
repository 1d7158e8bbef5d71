#include "tessera/lanes/baseline/lane_writer.h"

#include <algorithm>

#include "tessera/lanes/baseline/forms.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

// Arguments: rdi places, rsi lanes, rdx uniforms, rcx spills (see LaneFunction); vectors.h names the other registers.
const Xbyak::Reg64 places_register(Xbyak::Operand::RDI), uniforms_register(Xbyak::Operand::RDX),
    spills_register(Xbyak::Operand::RCX);
constexpr int free_registers[] = {Xbyak::Operand::R8,  Xbyak::Operand::R9,  Xbyak::Operand::R10,
                                  Xbyak::Operand::RBX, Xbyak::Operand::RBP, Xbyak::Operand::R12,
                                  Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15};
constexpr size_t first_saved = 3;  // registers from this index on are callee-saved

bool is_memory(const LaneOp& op) { return op.kind == LaneOp::Kind::load || op.kind == LaneOp::Kind::store; }

}  // namespace

int find_lane_bytes(const ir::Kernel& kernel, const LaneLoop& loop) {
  const auto is_wide = [&](Value v) { return itemsize(kernel.instructions[v].type) == 8; };
  const bool has_wide = std::ranges::any_of(loop.ops, [&](const LaneOp& op) {
    if (op.kind != LaneOp::Kind::check && is_wide(op.value)) return true;
    return !is_memory(op) && std::ranges::any_of(kernel.operands(op.value), is_wide);
  });
  return has_wide ? 8 : 4;
}

LaneWriter::LaneWriter(const ir::Kernel& kernel, const LaneLoop& loop, Vectors& vectors, Xbyak::CodeGenerator& code)
    : kernel_(kernel), loop_(loop), v_(vectors), c_(code), registers_(vectors.registers()) {
  note_uses();
  for (const LaneOp& op : loop.ops) {
    if (is_memory(op) && pointers_.size() < std::size(free_registers) && !pointers_.contains(op.place))
      pointers_.emplace(op.place, free_registers[pointers_.size()]);
  }
}

void LaneWriter::note_uses() {
  int position = 0;
  for (const LaneOp& op : loop_.ops) {
    if (op.kind == LaneOp::Kind::store) registers_.note_use(op.value, position);
    if (!is_memory(op))
      for (Value operand : kernel_.operands(op.value)) registers_.note_use(operand, position);
    ++position;
  }
}

void LaneWriter::write() {
  for (size_t k = first_saved; k < pointers_.size(); ++k) c_.push(Xbyak::Reg64(free_registers[k]));
  for (const auto& [place, pointer] : pointers_) c_.mov(pointer, c_.ptr[places_register + place * sizeof(Place)]);
  v_.zero(v_.alarms());
  c_.xor_(lane_register, lane_register);
  write_loop();
  // All lanes are done, unless a loop that does not stop has seen an event.
  c_.mov(lane_register, count_register);
  if (!loop_.stops) {
    c_.xor_(c_.eax, c_.eax);
    v_.test_alarms();
    c_.cmovnz(lane_register, c_.rax);
  }
  c_.L(stopped_);
  c_.mov(c_.rax, lane_register);
  for (size_t k = pointers_.size(); k-- > first_saved;) c_.pop(Xbyak::Reg64(free_registers[k]));
  c_.vzeroupper();
  c_.ret();
}

void LaneWriter::write_loop() {
  Xbyak::Label vectors, rest, done;
  c_.sub(count_register, v_.width());
  c_.jl(rest, Xbyak::CodeGenerator::T_NEAR);
  c_.align(16);
  c_.L(vectors);
  write_body();
  c_.add(lane_register, v_.width());
  c_.cmp(lane_register, count_register);
  c_.jle(vectors, Xbyak::CodeGenerator::T_NEAR);
  c_.L(rest);
  c_.add(count_register, v_.width());
  c_.cmp(lane_register, count_register);
  c_.jge(done, Xbyak::CodeGenerator::T_NEAR);
  v_.write_tail([&] { write_body(); });
  c_.L(done);
}

void LaneWriter::write_body() {
  registers_.restart();
  bool may_stop = loop_.stops;
  int position = 0;
  for (const LaneOp& op : loop_.ops) {
    if (may_stop && op.kind == LaneOp::Kind::store) {
      v_.test_alarms();
      c_.jnz(stopped_, Xbyak::CodeGenerator::T_NEAR);
      may_stop = false;
    }
    registers_.move_to(position++);
    write_op(op);
    registers_.release_dead();
  }
}

void LaneWriter::write_op(const LaneOp& op) {
  const DType dtype = type_of(op.value);
  switch (op.kind) {
    case LaneOp::Kind::load: {
      const Vector r = v_.as(dtype, take(op.value));
      const Xbyak::RegExp from = element(dtype, op.place);
      return is_boolean(dtype) ? v_.load_mask(r, from) : v_.load(dtype, r, from);
    }
    case LaneOp::Kind::store: {
      const Vector r = get(op.value);
      const Xbyak::RegExp to = element(dtype, op.place);
      return is_boolean(dtype) ? v_.store_mask(to, r) : v_.store(dtype, to, r);
    }
    case LaneOp::Kind::compute: return write_compute(op.value);
    case LaneOp::Kind::check: return write_check(op.value);
  }
}

int LaneWriter::take(std::optional<Value> v) {
  std::optional<Registers::Move> moved;
  const int index = registers_.take(v, moved);
  if (moved) c_.vmovups(c_.ptr[spills_register + moved->spill * spill_bytes], v_.whole(moved->from));
  return index;
}

Vector LaneWriter::get(Value v) {
  const DType dtype = type_of(v);
  if (auto uniform = loop_.uniform_of.find(v); uniform != loop_.uniform_of.end())
    return get_uniform(v, uniform->second);
  if (const int known = registers_.find(v); known >= 0) return v_.as(dtype, known);
  const int spill = registers_.spill_of(v);
  const int index = take(v);
  c_.vmovups(v_.whole(index), c_.ptr[spills_register + spill * spill_bytes]);
  return v_.as(dtype, index);
}

Vector LaneWriter::get_uniform(Value v, uint32_t at) {
  const DType dtype = type_of(v);
  const Vector r = v_.as(dtype, take(std::nullopt));
  const Xbyak::RegExp from = uniforms_register + at * 16;
  if (is_boolean(dtype)) {
    v_.broadcast_mask(r, from);
  } else if (itemsize(dtype) == 8) {
    c_.vpbroadcastq(r, c_.ptr[from]);
  } else {
    c_.vpbroadcastd(r, c_.ptr[from]);
  }
  return r;
}

Xbyak::RegExp LaneWriter::element(DType dtype, uint32_t place) {
  const int scale = static_cast<int>(itemsize(dtype));
  if (auto known = pointers_.find(place); known != pointers_.end()) return known->second + lane_register * scale;
  c_.mov(c_.rax, c_.ptr[places_register + place * sizeof(Place)]);
  return c_.rax + lane_register * scale;
}

void LaneWriter::write_check(Value check) {
  const std::span<const Value> operands = kernel_.operands(check);
  switch (alarm_of(kernel_, kernel_.instructions[check], operands)) {
    case Alarm::never:
    case Alarm::unknown: return;
    case Alarm::not_finite: {
      // x - x is 0, or NaN when x is infinite or NaN.
      const DType dtype = type_of(operands[0]);
      const Vector x = get(operands[0]), difference = v_.scratch(dtype, 0);
      dtype == DType::float64 ? c_.vsubpd(difference, x, x) : c_.vsubps(difference, x, x);
      return v_.raise(difference, itemsize(dtype));
    }
    case Alarm::is_smallest: {
      const DType dtype = type_of(operands[0]);
      const Vector x = get(operands[0]), smallest = v_.scratch(dtype, 0);
      set_bits(smallest, dtype, static_cast<int>(itemsize(dtype)) * 8 - 1, 1);
      v_.compare_integers(Opcode::eq, dtype, smallest, x, smallest);
      return v_.raise_mask(smallest);
    }
    case Alarm::divisor: {
      const DType dtype = type_of(operands[2]);
      const Vector y = get(operands[2]), zero = v_.scratch(dtype, 0), minus_one = v_.scratch(dtype, 1);
      v_.zero(zero);
      v_.all_ones(minus_one);
      v_.compare_integers(Opcode::eq, dtype, zero, y, zero);
      v_.compare_integers(Opcode::eq, dtype, minus_one, y, minus_one);
      v_.bit_or(v_.whole_scratch(0), v_.whole_scratch(0), v_.whole_scratch(1));
      return v_.raise_mask(zero);
    }
  }
}

void LaneWriter::write_compute(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  std::vector<Vector> x;
  for (Value operand : operands) x.push_back(get(operand));
  // The code of an instruction writes its result last, so the result may use an operand's register.
  registers_.release_dead();
  const Vector r = v_.as(i.type, take(v));
  const DType dtype = type_of(operands[0]);
  if (i.op == Opcode::select) return v_.choose(i.type, r, x[0], x[1], x[2]);
  if (i.op == Opcode::cast) return write_cast(dtype, i.type, r, x[0]);
  if (is_boolean(dtype)) return write_boolean(i.op, r, x);
  if (is_integer(dtype)) return write_integer(i.op, dtype, r, x);
  write_float(i.op, dtype, r, x);
}

void LaneWriter::set_bits(Vector r, DType dtype, int low, int length) {
  v_.all_ones(r);
  const int bits = static_cast<int>(itemsize(dtype)) * 8;
  if (bits == 64) {
    c_.vpsrlq(r, r, static_cast<uint8_t>(bits - length));
    if (low) c_.vpsllq(r, r, static_cast<uint8_t>(low));
  } else {
    c_.vpsrld(r, r, static_cast<uint8_t>(bits - length));
    if (low) c_.vpslld(r, r, static_cast<uint8_t>(low));
  }
}

}  // namespace tessera::lanes
