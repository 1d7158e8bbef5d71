// Conversions between what registers hold, and choices by masks.
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

using ir::Opcode;

void LaneWriter::write_select(DType dtype, Vector r, Vector mask, Vector x, Vector y) {
  if (is_narrow(dtype)) mask = narrow(mask, Registers::count);
  c_.vpblendvb(r, y, x, mask);
}

void LaneWriter::cast_from_boolean(DType to, Vector r, Vector mask) {
  if (is_narrow(to)) mask = narrow(mask, Registers::count);
  const Vector one = scratch(to, 1);
  is_integer(to) ? set_bits(one, to, 0, 1) : set_one(one, to);
  c_.vpand(r, mask, one);
}

void LaneWriter::cast_to_boolean(DType from, Vector r, Vector x) {
  const Vector zero = scratch(from, 0);
  c_.vpxor(zero, zero, zero);
  if (is_integer(from)) return compare_integers(Opcode::ne, from, r, x, zero);
  constexpr int not_equal = 0x04;
  compare_floats(not_equal, from, r, x, zero);
}

void LaneWriter::write_cast(DType from, DType to, Vector r, Vector x) {
  const Xbyak::Ymm wide_r(r.getIdx()), wide_x(x.getIdx());
  const Vector low_r(r.getIdx()), low_x(x.getIdx());
  if (from == to) return c_.vmovaps(r, x);
  if (is_boolean(from)) return cast_from_boolean(to, r, x);
  if (is_boolean(to)) return cast_to_boolean(from, r, x);
  if (from == DType::float32) return to == DType::float64 ? c_.vcvtps2pd(wide_r, low_x) : c_.vcvttps2dq(r, x);
  if (from == DType::float64) return to == DType::float32 ? c_.vcvtpd2ps(low_r, wide_x) : c_.vcvttpd2dq(low_r, wide_x);
  if (to == DType::float64) return c_.vcvtdq2pd(wide_r, low_x);
  if (to == DType::float32) return c_.vcvtdq2ps(r, x);
  if (itemsize(to) == 8) return from == DType::int32 ? c_.vpmovsxdq(wide_r, low_x) : c_.vpmovzxdq(wide_r, low_x);
  if (itemsize(from) == itemsize(to)) return c_.vmovaps(r, x);
  narrow(x, r.getIdx());
}

}  // namespace tessera::lanes
