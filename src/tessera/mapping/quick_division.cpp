#include "tessera/mapping/quick_division.h"

#include <algorithm>
#include <limits>

#include "tessera/ir/opcode.h"

namespace tessera::mapping {

using ir::Opcode;
using ir::Value;

namespace {

/// Bounds on the upper halves of doubles, which are ordered as the magnitudes are; the same bounds as in the assembler
/// of PTX.
constexpr int64_t least_numerator = 0x03600000, least_normal = 0x00100000, infinity = 0x7f800000, exponent_at = 20;

bool is_shared(const ir::Kernel& kernel, Value v) {
  const Opcode op = kernel.instructions[v].op;
  return op == Opcode::scalar || op == Opcode::constant;
}

}  // namespace

bool QuickDivisions::takes(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  const bool leaves_rest = i.op == Opcode::rem || i.op == Opcode::floor_div || i.op == Opcode::floor_mod;
  const bool is_quick =
      i.type == DType::float64 ? leaves_rest || i.op == Opcode::div : leaves_rest && i.type == DType::float32;
  return is_quick && !(is_shared(kernel, kernel.operands(v)[0]) && is_shared(kernel, kernel.operands(v)[1]));
}

bool QuickDivisions::has_some(const ir::Kernel& kernel) {
  return std::ranges::any_of(kernel.regions[0].body, [&](Value v) { return takes(kernel, v); });
}

QuickDivisions::QuickDivisions(GridBuilder& to, const ir::Kernel& kernel) : to_(to), kernel_(kernel) { prepare(); }

std::optional<Value> QuickDivisions::divide(Value v, Value x, Value y) {
  if (!takes(kernel_, v)) return {};
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.op != Opcode::div) return divide_with_rest(i.op, x, y);
  const auto shared = shared_.find(kernel_.operands(v)[1]);
  return quotient(x, y, shared == shared_.end() ? nullptr : &shared->second);
}

Value QuickDivisions::upper_magnitude(Value x) {
  const Value bits = to_.bitcast(x, DType::uint64), half = to_.constant(Scalar::of_int(DType::uint64, 32));
  return to_.bit_and(to_.word(to_.binary(Opcode::shift_right, bits, half)), to_.number(0x7fffffff));
}

/// Newton steps from the hardware's approximation give the correctly rounded reciprocal.
QuickDivisions::Divisor QuickDivisions::make_divisor(Value x) {
  const Value negative = to_.neg(x), one = real(1);
  const Value bits = to_.bitcast(to_.unary(Opcode::guess_reciprocal, x), DType::uint64);
  const Value guess = to_.bitcast(to_.bit_or(bits, to_.one_like(bits)), DType::float64);
  const Value error = to_.fma(guess, negative, one);
  const Value y = to_.fma(guess, to_.fma(error, error, error), guess);
  const Value upper = upper_magnitude(x);
  const Value normal = to_.sub(upper, to_.number(least_normal));
  return {.reciprocal = to_.fma(y, to_.fma(y, negative, one), y),
          .divides = to_.lt(normal, to_.number(infinity - least_normal)),
          .exponent = to_.cast(to_.binary(Opcode::shift_right, upper, to_.number(exponent_at)), DType::int32)};
}

/// Prepares the divisors that all lanes share, and one range of quotients that are right for each of them: quotients
/// that are normal numbers, of numerators whose remainders are normal numbers, too.
void QuickDivisions::prepare() {
  // Biased exponents. The numerator's is the sum of the divisor's and the quotient's, minus 1023 or 1022.
  constexpr int64_t least_sum = (least_numerator >> exponent_at) + 1023 + 3, end = infinity >> exponent_at;
  Value least = signed_word(2);
  for (Value v : kernel_.regions[0].body) {
    if (kernel_.instructions[v].op != Opcode::div || !takes(kernel_, v)) continue;
    const Value by = kernel_.operands(v)[1];
    if (!is_shared(kernel_, by) || shared_.contains(by)) continue;
    const ir::Instruction& i = kernel_.instructions[by];
    const Value x = i.op == Opcode::scalar ? to_.scalar(i.imm) : to_.constant(kernel_.constants[i.imm]);
    const Divisor& divisor = shared_[by] = make_divisor(x);
    note(divisor.divides);
    least = to_.max(least, to_.sub(signed_word(least_sum), divisor.exponent));
  }
  none_divides_ = too_hard_;
  if (shared_.empty()) return;
  const Value count = to_.max(signed_word(0), to_.sub(signed_word(end), least)), at = to_.number(exponent_at);
  least_quotient_ = to_.binary(Opcode::shift_left, to_.word(least), at);
  quotients_ = to_.binary(Opcode::shift_left, to_.word(count), at);
}

/// The product of numerator and reciprocal, corrected by the exact remainder.
Value QuickDivisions::correct(Value x, Value y, Value reciprocal, Value product) {
  return to_.fma(reciprocal, to_.fma(product, to_.neg(y), x), product);
}

/// For a numerator of 0 the product is taken uncorrected: the correction would lose the sign of -0.
Value QuickDivisions::quotient(Value x, Value y, const Divisor* shared) {
  const Divisor divisor = shared ? *shared : make_divisor(y);
  const Value product = to_.mul(x, divisor.reciprocal), quotient = correct(x, y, divisor.reciprocal, product);
  const Value is_zero = to_.eq(x, real(0));
  const Value least = shared ? least_quotient_ : to_.number(least_normal + 1);
  const Value count = shared ? quotients_ : to_.number(infinity - least_normal - 1);
  Value is_right = to_.lt(to_.sub(upper_magnitude(quotient), least), count);
  if (!shared) is_right = to_.bit_and(is_right, to_.ge(upper_magnitude(x), to_.number(least_numerator)));
  is_right = to_.bit_or(is_right, is_zero);
  if (!shared) is_right = to_.bit_and(is_right, divisor.divides);
  note(is_right);
  return to_.select(is_zero, product, quotient);
}

/// As ir/math/rounding.h divides quickly: of doubles whose divisor is far from the limits of the range, and of floats
/// in double, where no quotient below 2^29 rounds up to an integer.
QuickDivisions::Whole QuickDivisions::divide_magnitudes(Value x, Value y) {
  const DType type = to_.type(x);
  x = to_.cast(to_.abs(x), DType::float64), y = to_.cast(to_.abs(y), DType::float64);
  const Value reciprocal = make_divisor(y).reciprocal;
  const Value ratio = correct(x, y, reciprocal, to_.mul(x, reciprocal));
  const Value whole = to_.unary(Opcode::trunc, ratio), rest = to_.fma(to_.neg(whole), y, x);
  const bool is_single = type == DType::float32;
  const Value least = real(is_single ? 0 : 0x1p-900),
              most = real(is_single ? std::numeric_limits<double>::infinity() : 0x1p900);
  const Value in_range = to_.bit_and(to_.gt(y, least), to_.lt(y, most));
  note(to_.bit_and(in_range, to_.lt(ratio, real(is_single ? 0x1p21 : 0x1p50))));
  if (is_single) return {to_.cast(whole, type), to_.cast(rest, type)};
  const Value is_above = to_.lt(rest, real(0));
  return {to_.select(is_above, to_.sub(whole, real(1)), whole), to_.select(is_above, to_.add(rest, y), rest)};
}

Value QuickDivisions::divide_with_rest(Opcode op, Value x, Value y) {
  const Whole whole = divide_magnitudes(x, y);
  if (op == Opcode::rem) return to_.binary(Opcode::copysign, whole.remainder, x);
  const DType type = to_.type(x), bits = type == DType::float32 ? DType::uint32 : DType::uint64;
  const Value differ = to_.ne(to_.unary(Opcode::sign_bit, x), to_.unary(Opcode::sign_bit, y));
  const Value carries = to_.bit_and(differ, to_.ne(whole.remainder, to_.zero_like(whole.remainder)));
  if (op == Opcode::floor_mod) {
    const Value rest = to_.select(carries, to_.sub(to_.abs(y), whole.remainder), whole.remainder);
    return to_.binary(Opcode::copysign, rest, y);
  }
  const Value up = to_.add(whole.quotient, to_.one_like(whole.quotient));
  const Value magnitude = to_.bitcast(to_.select(carries, up, whole.quotient), bits);
  const Value sign = to_.bitcast(to_.constant(type, -0.0), bits);
  const Value signs = to_.bit_and(to_.bit_xor(to_.bitcast(x, bits), to_.bitcast(y, bits)), sign);
  return to_.bitcast(to_.bit_or(magnitude, signs), type);
}

void QuickDivisions::note(Value is_right) {
  const Value is_hard = to_.bit_not(is_right);
  too_hard_ = too_hard_ == ir::no_value ? is_hard : to_.bit_or(too_hard_, is_hard);
}

}  // namespace tessera::mapping
