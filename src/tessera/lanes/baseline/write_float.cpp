// Floating-point opcodes as instructions.
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

using ir::Opcode;

void LaneWriter::set_infinity(Vector r, DType dtype) {
  dtype == DType::float64 ? set_bits(r, dtype, 52, 11) : set_bits(r, dtype, 23, 8);
}

void LaneWriter::set_one(Vector r, DType dtype) {
  dtype == DType::float64 ? set_bits(r, dtype, 52, 10) : set_bits(r, dtype, 23, 7);
}

/// The hardware instructions return the second operand when one is NaN or both are 0: the results of both operand
/// orders together give the right one.
void LaneWriter::write_extreme(bool largest, DType dtype, Vector r, Vector x, Vector y) {
  const Vector forth = v_.scratch(dtype, 0), back = v_.scratch(dtype, 1), sum = v_.scratch(dtype, 2);
  if (dtype == DType::float64) {
    largest ? c_.vmaxpd(forth, x, y) : c_.vminpd(forth, x, y);
    largest ? c_.vmaxpd(back, y, x) : c_.vminpd(back, y, x);
    c_.vaddpd(sum, x, y);
  } else {
    largest ? c_.vmaxps(forth, x, y) : c_.vminps(forth, x, y);
    largest ? c_.vmaxps(back, y, x) : c_.vminps(back, y, x);
    c_.vaddps(sum, x, y);
  }
  largest ? v_.bit_and(forth, forth, back) : v_.bit_or(forth, forth, back);
  v_.choose_unordered(dtype, r, x, y, sum, forth);
}

void LaneWriter::write_predicate(Opcode op, DType dtype, Vector r, Vector x) {
  const Vector magnitude = v_.scratch(dtype, 0), infinity = v_.scratch(dtype, 1);
  const bool is_double = dtype == DType::float64;
  switch (op) {
    case Opcode::is_nan: return v_.compare_floats(Compare::unordered, dtype, r, x, x);
    case Opcode::sign_bit:
      v_.zero(magnitude);
      return v_.compare_integers(Opcode::lt, is_double ? DType::int64 : DType::int32, r, x, magnitude);
    default: break;
  }
  set_bits(magnitude, dtype, 0, is_double ? 63 : 31);
  v_.bit_and(magnitude, magnitude, x);
  set_infinity(infinity, dtype);
  v_.compare_floats(op == Opcode::is_inf ? Compare::equal : Compare::less, dtype, r, magnitude, infinity);
}

void LaneWriter::write_float(Opcode op, DType dtype, Vector r, const std::vector<Vector>& x) {
  const bool is_double = dtype == DType::float64;
  const int bits = is_double ? 64 : 32;
  const auto round = [&](Round how) { v_.round(how, dtype, r, x[0]); };
  const auto compare = [&](Compare how) { v_.compare_floats(how, dtype, r, x[0], x[1]); };
  const Vector mask = v_.scratch(dtype, 0), other = v_.scratch(dtype, 1);
  switch (op) {
    case Opcode::add: return is_double ? c_.vaddpd(r, x[0], x[1]) : c_.vaddps(r, x[0], x[1]);
    case Opcode::sub: return is_double ? c_.vsubpd(r, x[0], x[1]) : c_.vsubps(r, x[0], x[1]);
    case Opcode::mul: return is_double ? c_.vmulpd(r, x[0], x[1]) : c_.vmulps(r, x[0], x[1]);
    case Opcode::div: return is_double ? c_.vdivpd(r, x[0], x[1]) : c_.vdivps(r, x[0], x[1]);
    case Opcode::sqrt: return is_double ? c_.vsqrtpd(r, x[0]) : c_.vsqrtps(r, x[0]);
    case Opcode::min: return write_extreme(false, dtype, r, x[0], x[1]);
    case Opcode::max: return write_extreme(true, dtype, r, x[0], x[1]);
    case Opcode::floor: return round(Round::down);
    case Opcode::ceil: return round(Round::up);
    case Opcode::trunc: return round(Round::to_zero);
    case Opcode::rint: return round(Round::to_even);
    case Opcode::eq: return compare(Compare::equal);
    case Opcode::ne: return compare(Compare::not_equal);
    case Opcode::lt: return compare(Compare::less);
    case Opcode::le: return compare(Compare::less_equal);
    case Opcode::gt: return compare(Compare::greater);
    case Opcode::ge: return compare(Compare::greater_equal);
    case Opcode::neg: set_bits(mask, dtype, bits - 1, 1); return v_.bit_xor(r, x[0], mask);
    case Opcode::abs: set_bits(mask, dtype, 0, bits - 1); return v_.bit_and(r, x[0], mask);
    case Opcode::copysign:
      set_bits(mask, dtype, bits - 1, 1);
      v_.bit_without(other, mask, x[0]);
      v_.bit_and(mask, mask, x[1]);
      return v_.bit_or(r, mask, other);
    case Opcode::fma:
      c_.vmovaps(mask, x[0]);
      is_double ? c_.vfmadd213pd(mask, x[1], x[2]) : c_.vfmadd213ps(mask, x[1], x[2]);
      return c_.vmovaps(r, mask);
    default: return write_predicate(op, dtype, r, x[0]);
  }
}

}  // namespace tessera::lanes
