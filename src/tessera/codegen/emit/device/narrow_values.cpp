// Values of four narrow lanes at a time, in the representation that each use needs: as words, as pairs of 16-bit
// numbers, or lane by lane.
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

constexpr uint32_t low_bytes = 0x00ff00ff;
constexpr uint32_t most_half = 0xffff;

bool is_division(Opcode op) {
  return op == Opcode::div || op == Opcode::rem || op == Opcode::floor_div || op == Opcode::floor_mod;
}

}  // namespace

/// Makes the group's words, with its elements packed.
void Narrow::make_words(Group& group) {
  if (group.words[0]) return;
  if (group.halves[0]) {
    group.words[0] = permute(group.halves[0], group.halves[1], 0x6240);
    return;
  }
  std::array<llvm::Value*, group_lanes> wide{};
  for (int j = 0; j < group_lanes; ++j) wide[j] = b_.CreateZExt(group.lanes[j], b_.getInt32Ty());
  if (mapping_.narrow == 2) {
    for (int k = 0; k < 2; ++k) group.words[k] = permute(wide[2 * k], wide[2 * k + 1], 0x5410);
    return;
  }
  group.words[0] = permute(permute(wide[0], wide[1], 0x0040), permute(wide[2], wide[3], 0x0040), 0x5410);
}

/// Makes the group's values lane by lane, with the types that ordinary code has.
void Narrow::make_lanes(Group& group, DType dtype) {
  if (group.lanes[0]) return;
  make_words(group);
  for (int j = 0; j < group_lanes; ++j) {
    const int at = j * mapping_.narrow;
    llvm::Value* shifted = b_.CreateLShr(group.words[at / 4], static_cast<uint64_t>(8 * (at % 4)));
    llvm::Value* value = b_.CreateTrunc(shifted, memory_type(context_, dtype));
    group.lanes[j] = is_boolean(dtype) ? b_.CreateIsNotNull(value) : value;
  }
}

/// Makes the pairs of 16-bit numbers, bytes 0 and 2 and bytes 1 and 3, with values of at most `most`.
void Narrow::make_halves(Group& group, uint32_t most) {
  if (!group.halves[0]) {
    make_words(group);
    group.halves = {b_.CreateAnd(group.words[0], low_bytes), permute(group.words[0], b_.getInt32(0), 0x4341)};
    group.most = 255;
  }
  if (group.most <= most) return;
  for (llvm::Value*& half : group.halves) half = b_.CreateAnd(half, low_bytes);
  group.most = 255;
}

namespace {

/// Whether the opcode on these byte types is computed on pairs of 16-bit numbers.
bool has_halves(const ir::Instruction& i, DType from) {
  const auto is_byte = [](DType dtype) { return dtype == DType::int8 || dtype == DType::uint8; };
  if (!is_byte(i.type) || !is_byte(from)) return false;
  switch (i.op) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::neg:
    case Opcode::cast:
    case Opcode::mul:
    case Opcode::floor_div:
    case Opcode::floor_mod: return true;
    default: return false;
  }
}

}  // namespace

/// A number that all lanes share, as an unsigned byte.
llvm::Value* Narrow::shared_byte(Value v) {
  return e_.frame.at_level(dependence_.level(v), [&] { return b_.CreateZExt(get_one(v), b_.getInt32Ty()); });
}

Narrow::Group Narrow::halves_of(std::vector<Group>& values, Value v, uint32_t most) {
  if (dependence_.varies(v)) {
    make_halves(values[v], most);
    return values[v];
  }
  llvm::Value* byte = shared_byte(v);
  llvm::Value* both =
      e_.frame.at_level(dependence_.level(v), [&] { return b_.CreateMul(byte, b_.getInt32(0x00010001)); });
  Group group;
  group.halves = {both, both};
  group.most = 255;
  return group;
}

/// u / d of bytes by one multiplication: the product of u and 2^24 / d rounded up has the quotient in its highest byte.
/// Signed bytes are first made non-negative by adding a multiple of d, and the quotient is corrected by the
/// corresponding multiple of 2^24.
Narrow::Reciprocal Narrow::reciprocal_of(Value divisor) {
  const auto [known, is_new] = reciprocals_.try_emplace(divisor);
  if (!is_new) return known->second;
  e_.frame.at_level(dependence_.level(divisor), [&] {
    const bool is_signed = is_signed_integer(type_of(divisor));
    llvm::Value* d = b_.CreateIntCast(get_one(divisor), b_.getInt32Ty(), is_signed);
    llvm::Value* negative = b_.CreateICmpSLT(d, b_.getInt32(0));
    llvm::Value* size = b_.CreateSelect(negative, b_.CreateNeg(d), d);
    size = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, size, b_.getInt32(1));  // 0 never divides here
    llvm::Value* factor = b_.CreateAdd(b_.CreateUDiv(b_.getInt32(1 << 24), size), b_.getInt32(1));
    llvm::Value* start = b_.getInt32(0);
    if (is_signed) {
      // (u - 128) / d with u = x + 128, or (128 - u) / -d.
      llvm::Value* moves = b_.CreateUDiv(b_.CreateAdd(size, b_.getInt32(127)), size);
      llvm::Value* by = b_.CreateMul(moves, size);
      llvm::Value* from =
          b_.CreateSelect(negative, b_.CreateAdd(by, b_.getInt32(128)), b_.CreateSub(by, b_.getInt32(128)));
      start = b_.CreateSub(b_.CreateMul(from, factor), b_.CreateShl(moves, 24));
      factor = b_.CreateSelect(negative, b_.CreateNeg(factor), factor);
    }
    reciprocals_[divisor] = {factor, start};
    return factor;
  });
  return reciprocals_[divisor];
}

Narrow::Group Narrow::emit_quotients(std::vector<Group>& values, Value x, Value divisor) {
  const Reciprocal reciprocal = reciprocal_of(divisor);
  const bool is_signed = is_signed_integer(type_of(x));
  make_halves(values[x], is_signed ? most_half - 128 : 255);
  std::array<llvm::Value*, group_lanes> products{};
  for (int side = 0; side < 2; ++side) {
    llvm::Value* half = values[x].halves[side];
    if (is_signed) half = b_.CreateAnd(b_.CreateAdd(half, b_.getInt32(0x00800080)), low_bytes);
    for (int k = 0; k < 2; ++k) {
      llvm::Value* u = k ? b_.CreateLShr(half, 16) : b_.CreateAnd(half, 0xffff);
      products[side + 2 * k] = b_.CreateAdd(b_.CreateMul(u, reciprocal.factor), reciprocal.start);
    }
  }
  Group group;
  group.words[0] =
      permute(permute(products[0], products[1], 0x0073), permute(products[2], products[3], 0x0073), 0x5410);
  return group;
}

Narrow::Group Narrow::emit_halves(std::vector<Group>& values, Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const Value x = kernel_.operands(v)[0], y = kernel_.operands(v).back();
  const auto each = [&](const Group& a, const Group& b, uint32_t most, const auto& combine) {
    Group group;
    for (int side = 0; side < 2; ++side) group.halves[side] = combine(a.halves[side], b.halves[side]);
    group.most = most;
    return group;
  };
  switch (i.op) {
    case Opcode::add: {
      const Group a = halves_of(values, x, most_half / 2), c = halves_of(values, y, most_half / 2);
      return each(a, c, a.most + c.most, [&](llvm::Value* p, llvm::Value* q) { return b_.CreateAdd(p, q); });
    }
    case Opcode::neg:
    case Opcode::sub: {
      // Adding a multiple of 256 keeps the upper number from borrowing from the lower one's half.
      const Group c = halves_of(values, y, most_half / 4);
      const uint32_t above = (c.most + 255) / 256 * 256;
      llvm::Value* lent = b_.getInt32(above << 16 | above);
      const Group a = i.op == Opcode::neg ? Group{} : halves_of(values, x, most_half / 2);
      return each(a, c, a.most + above,
                  [&](llvm::Value* p, llvm::Value* q) { return b_.CreateSub(p ? b_.CreateAdd(p, lent) : lent, q); });
    }
    case Opcode::mul: {
      const Group a = halves_of(values, dependence_.varies(x) ? x : y, 255);
      llvm::Value* factor = shared_byte(dependence_.varies(x) ? y : x);
      return each(a, a, 255 * 255, [&](llvm::Value* p, llvm::Value*) { return b_.CreateMul(p, factor); });
    }
    case Opcode::floor_div: return emit_quotients(values, x, y);
    case Opcode::floor_mod: {
      Group quotients = emit_quotients(values, x, y);
      make_halves(quotients, 255);
      const Group a = halves_of(values, x, 255);
      llvm::Value* factor = shared_byte(y);
      constexpr uint32_t above = 0xff00;  // no less than any product
      return each(a, quotients, 255 + above, [&](llvm::Value* p, llvm::Value* q) {
        return b_.CreateSub(b_.CreateAdd(p, b_.getInt32(above << 16 | above)), b_.CreateMul(q, factor));
      });
    }
    default: return values[x];  // a cast between byte types
  }
}

void Narrow::emit_group_value(std::vector<Group>& values, Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.op == Opcode::store || i.op == Opcode::check || e_.grid.is_run_access(v)) return;
  if (!dependence_.varies(v)) return;
  const std::span<const Value> operands = kernel_.operands(v);
  if (i.op == Opcode::index) {
    for (int j = 0; j < group_lanes; ++j)
      values[v].lanes[j] = b_.CreateAdd(group_first_, b_.getInt64(static_cast<uint64_t>(j)));
    return;
  }
  const bool shares_second = operands.size() == 2 && !dependence_.varies(operands[1]);
  const bool shares_one = operands.size() == 2 && dependence_.varies(operands[0]) != dependence_.varies(operands[1]);
  const bool fits = i.op == Opcode::mul ? shares_one : !is_division(i.op) || shares_second;
  if (!operands.empty() && has_halves(i, type_of(operands[0])) && fits) {
    values[v] = emit_halves(values, v);
    return;
  }
  for (Value operand : operands)
    if (dependence_.varies(operand)) make_lanes(values[operand], type_of(operand));
  for (int j = 0; j < group_lanes; ++j) {
    w_.axis_index.back() = b_.CreateAdd(group_first_, b_.getInt64(static_cast<uint64_t>(j)));
    for (Value operand : operands)
      if (dependence_.varies(operand)) set(operand, {values[operand].lanes[j]});
    values[v].lanes[j] = e_.values.emit_pure(v).first;
  }
}

}  // namespace tessera::codegen
