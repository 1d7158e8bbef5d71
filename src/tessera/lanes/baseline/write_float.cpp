// Floating-point opcodes as instructions of both widths.
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

using ir::Opcode;

namespace {

// Predicates of vcmpps and vcmppd: quiet, with NaN unequal to everything.
enum Compare : uint8_t { equal = 0x00, unordered = 0x03, not_equal = 0x04, less = 0x11, less_equal = 0x12,
                         greater_equal = 0x1D, greater = 0x1E };
// Immediates of vroundps and vroundpd, which raise nothing.
enum Round : uint8_t { to_even = 0x8, down = 0x9, up = 0xA, to_zero = 0xB };

}  // namespace

void LaneWriter::compare_floats(int predicate, DType dtype, Vector mask, Vector x, Vector y) {
  const Vector r = as(dtype, mask.getIdx());
  if (dtype == DType::float64) {
    c_.vcmppd(r, x, y, static_cast<uint8_t>(predicate));
  } else {
    c_.vcmpps(r, x, y, static_cast<uint8_t>(predicate));
  }
  widen_mask(r, dtype);
}

void LaneWriter::set_infinity(Vector r, DType dtype) {
  dtype == DType::float64 ? set_bits(r, dtype, 52, 11) : set_bits(r, dtype, 23, 8);
}

void LaneWriter::set_one(Vector r, DType dtype) {
  dtype == DType::float64 ? set_bits(r, dtype, 52, 10) : set_bits(r, dtype, 23, 7);
}

/// The machine's own give the second operand when one is NaN or both are 0: both orders together say the rest.
void LaneWriter::write_extreme(bool largest, DType dtype, Vector r, Vector x, Vector y) {
  const Vector forth = scratch(dtype, 0), back = scratch(dtype, 1), sum = scratch(dtype, 2);
  if (dtype == DType::float64) {
    largest ? c_.vmaxpd(forth, x, y) : c_.vminpd(forth, x, y);
    largest ? c_.vmaxpd(back, y, x) : c_.vminpd(back, y, x);
    c_.vaddpd(sum, x, y);
    largest ? c_.vandpd(forth, forth, back) : c_.vorpd(forth, forth, back);
    c_.vcmppd(back, x, y, unordered);
    c_.vblendvpd(r, forth, sum, back);
  } else {
    largest ? c_.vmaxps(forth, x, y) : c_.vminps(forth, x, y);
    largest ? c_.vmaxps(back, y, x) : c_.vminps(back, y, x);
    c_.vaddps(sum, x, y);
    largest ? c_.vandps(forth, forth, back) : c_.vorps(forth, forth, back);
    c_.vcmpps(back, x, y, unordered);
    c_.vblendvps(r, forth, sum, back);
  }
}

void LaneWriter::write_predicate(Opcode op, DType dtype, Vector r, Vector x) {
  const Vector magnitude = scratch(dtype, 0), infinity = scratch(dtype, 1);
  const bool is_double = dtype == DType::float64;
  switch (op) {
    case Opcode::is_nan: return compare_floats(unordered, dtype, r, x, x);
    case Opcode::sign_bit:
      c_.vpxor(magnitude, magnitude, magnitude);
      return compare_integers(Opcode::lt, is_double ? DType::int64 : DType::int32, r, x, magnitude);
    default: break;
  }
  set_bits(magnitude, dtype, 0, is_double ? 63 : 31);
  c_.vandps(magnitude, magnitude, x);
  set_infinity(infinity, dtype);
  compare_floats(op == Opcode::is_inf ? equal : less, dtype, r, magnitude, infinity);
}

void LaneWriter::write_float(Opcode op, DType dtype, Vector r, const std::vector<Vector>& x) {
  const bool is_double = dtype == DType::float64;
  const int bits = is_double ? 64 : 32;
  const auto round = [&](Round how) { is_double ? c_.vroundpd(r, x[0], how) : c_.vroundps(r, x[0], how); };
  const Vector mask = scratch(dtype, 0), other = scratch(dtype, 1);
  switch (op) {
    case Opcode::add: return is_double ? c_.vaddpd(r, x[0], x[1]) : c_.vaddps(r, x[0], x[1]);
    case Opcode::sub: return is_double ? c_.vsubpd(r, x[0], x[1]) : c_.vsubps(r, x[0], x[1]);
    case Opcode::mul: return is_double ? c_.vmulpd(r, x[0], x[1]) : c_.vmulps(r, x[0], x[1]);
    case Opcode::div: return is_double ? c_.vdivpd(r, x[0], x[1]) : c_.vdivps(r, x[0], x[1]);
    case Opcode::sqrt: return is_double ? c_.vsqrtpd(r, x[0]) : c_.vsqrtps(r, x[0]);
    case Opcode::min: return write_extreme(false, dtype, r, x[0], x[1]);
    case Opcode::max: return write_extreme(true, dtype, r, x[0], x[1]);
    case Opcode::floor: return round(down);
    case Opcode::ceil: return round(up);
    case Opcode::trunc: return round(to_zero);
    case Opcode::rint: return round(to_even);
    case Opcode::eq: return compare_floats(equal, dtype, r, x[0], x[1]);
    case Opcode::ne: return compare_floats(not_equal, dtype, r, x[0], x[1]);
    case Opcode::lt: return compare_floats(less, dtype, r, x[0], x[1]);
    case Opcode::le: return compare_floats(less_equal, dtype, r, x[0], x[1]);
    case Opcode::gt: return compare_floats(greater, dtype, r, x[0], x[1]);
    case Opcode::ge: return compare_floats(greater_equal, dtype, r, x[0], x[1]);
    case Opcode::neg:
      set_bits(mask, dtype, bits - 1, 1);
      return c_.vxorps(r, x[0], mask);
    case Opcode::abs:
      set_bits(mask, dtype, 0, bits - 1);
      return c_.vandps(r, x[0], mask);
    case Opcode::copysign:
      set_bits(mask, dtype, bits - 1, 1);
      c_.vandnps(other, mask, x[0]);
      c_.vandps(mask, mask, x[1]);
      return c_.vorps(r, mask, other);
    case Opcode::fma:
      c_.vmovaps(mask, x[0]);
      is_double ? c_.vfmadd213pd(mask, x[1], x[2]) : c_.vfmadd213ps(mask, x[1], x[2]);
      return c_.vmovaps(r, mask);
    default: return write_predicate(op, dtype, r, x[0]);
  }
}

}  // namespace tessera::lanes
