// Integer and boolean opcodes.
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

using ir::Opcode;

void LaneWriter::write_integer(Opcode op, DType dtype, Vector r, const std::vector<Vector>& x) {
  const bool is_wide = itemsize(dtype) == 8;
  const Vector other = v_.scratch(dtype, 0);
  switch (op) {
    case Opcode::add: return is_wide ? c_.vpaddq(r, x[0], x[1]) : c_.vpaddd(r, x[0], x[1]);
    case Opcode::sub: return is_wide ? c_.vpsubq(r, x[0], x[1]) : c_.vpsubd(r, x[0], x[1]);
    case Opcode::mul: return c_.vpmulld(r, x[0], x[1]);
    case Opcode::min: return c_.vpminsd(r, x[0], x[1]);
    case Opcode::max: return c_.vpmaxsd(r, x[0], x[1]);
    case Opcode::abs: return c_.vpabsd(r, x[0]);
    case Opcode::bit_and: return v_.bit_and(r, x[0], x[1]);
    case Opcode::bit_or: return v_.bit_or(r, x[0], x[1]);
    case Opcode::bit_xor: return v_.bit_xor(r, x[0], x[1]);
    case Opcode::neg: v_.zero(other); return is_wide ? c_.vpsubq(r, other, x[0]) : c_.vpsubd(r, other, x[0]);
    case Opcode::bit_not: v_.all_ones(other); return v_.bit_xor(r, x[0], other);
    default: return v_.compare_integers(op, dtype, r, x[0], x[1]);
  }
}

void LaneWriter::write_boolean(Opcode op, Vector r, const std::vector<Vector>& x) {
  const Vector ones = v_.whole_scratch(0);
  switch (op) {
    case Opcode::bit_and: return v_.bit_and(r, x[0], x[1]);
    case Opcode::bit_or: return v_.bit_or(r, x[0], x[1]);
    case Opcode::bit_xor:
    case Opcode::ne: return v_.bit_xor(r, x[0], x[1]);
    default: break;
  }
  v_.all_ones(ones);
  if (op == Opcode::eq) v_.bit_xor(ones, ones, x[1]);
  v_.bit_xor(r, x[0], ones);
}

}  // namespace tessera::lanes
