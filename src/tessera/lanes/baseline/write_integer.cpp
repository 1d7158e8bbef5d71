// Integer and boolean opcodes.
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

using ir::Opcode;

void LaneWriter::compare_integers(Opcode op, DType dtype, Vector mask, Vector x, Vector y) {
  const Vector r = as(dtype, mask.getIdx());
  const bool is_wide = itemsize(dtype) == 8;
  const bool swapped = op == Opcode::lt || op == Opcode::ge;
  if (op == Opcode::eq || op == Opcode::ne) {
    is_wide ? c_.vpcmpeqq(r, x, y) : c_.vpcmpeqd(r, x, y);
  } else {
    const Vector larger = swapped ? y : x, smaller = swapped ? x : y;
    is_wide ? c_.vpcmpgtq(r, larger, smaller) : c_.vpcmpgtd(r, larger, smaller);
  }
  if (op == Opcode::ne || op == Opcode::le || op == Opcode::ge) {
    all_ones(scratch(dtype, 2));
    invert(r, scratch(dtype, 2));
  }
  widen_mask(r, dtype);
}

void LaneWriter::write_integer(Opcode op, DType dtype, Vector r, const std::vector<Vector>& x) {
  const bool is_wide = itemsize(dtype) == 8;
  const Vector other = scratch(dtype, 0);
  switch (op) {
    case Opcode::add: return is_wide ? c_.vpaddq(r, x[0], x[1]) : c_.vpaddd(r, x[0], x[1]);
    case Opcode::sub: return is_wide ? c_.vpsubq(r, x[0], x[1]) : c_.vpsubd(r, x[0], x[1]);
    case Opcode::mul: return c_.vpmulld(r, x[0], x[1]);
    case Opcode::min: return c_.vpminsd(r, x[0], x[1]);
    case Opcode::max: return c_.vpmaxsd(r, x[0], x[1]);
    case Opcode::abs: return c_.vpabsd(r, x[0]);
    case Opcode::bit_and: return c_.vpand(r, x[0], x[1]);
    case Opcode::bit_or: return c_.vpor(r, x[0], x[1]);
    case Opcode::bit_xor: return c_.vpxor(r, x[0], x[1]);
    case Opcode::neg:
      c_.vpxor(other, other, other);
      return is_wide ? c_.vpsubq(r, other, x[0]) : c_.vpsubd(r, other, x[0]);
    case Opcode::bit_not:
      all_ones(other);
      return c_.vpxor(r, x[0], other);
    default: return compare_integers(op, dtype, r, x[0], x[1]);
  }
}

void LaneWriter::write_boolean(Opcode op, Vector r, const std::vector<Vector>& x) {
  const Vector ones = whole_scratch(0);
  switch (op) {
    case Opcode::bit_and: return c_.vpand(r, x[0], x[1]);
    case Opcode::bit_or: return c_.vpor(r, x[0], x[1]);
    case Opcode::bit_xor:
    case Opcode::ne: return c_.vpxor(r, x[0], x[1]);
    default: break;
  }
  all_ones(ones);
  if (op == Opcode::eq) c_.vpxor(ones, ones, x[1]);
  c_.vpxor(r, x[0], ones);
}

}  // namespace tessera::lanes
