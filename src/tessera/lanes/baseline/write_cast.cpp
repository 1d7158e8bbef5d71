// Conversions between the types that registers hold, and selects by masks.
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

using ir::Opcode;

void LaneWriter::cast_from_boolean(DType to, Vector r, Vector mask) {
  const Vector one = v_.scratch(to, 1);
  is_integer(to) ? set_bits(one, to, 0, 1) : set_one(one, to);
  v_.keep(to, r, mask, one);
}

void LaneWriter::cast_to_boolean(DType from, Vector r, Vector x) {
  const Vector none = v_.scratch(from, 0);
  v_.zero(none);
  if (is_integer(from)) return v_.compare_integers(Opcode::ne, from, r, x, none);
  v_.compare_floats(Compare::not_equal, from, r, x, none);
}

void LaneWriter::write_cast(DType from, DType to, Vector r, Vector x) {
  if (from == to) return c_.vmovaps(r, x);
  if (is_boolean(from)) return cast_from_boolean(to, r, x);
  if (is_boolean(to)) return cast_to_boolean(from, r, x);
  if (from == DType::float32) return to == DType::float64 ? c_.vcvtps2pd(r, x) : c_.vcvttps2dq(r, x);
  if (from == DType::float64) return to == DType::float32 ? c_.vcvtpd2ps(r, x) : c_.vcvttpd2dq(r, x);
  if (to == DType::float64) return c_.vcvtdq2pd(r, x);
  if (to == DType::float32) return c_.vcvtdq2ps(r, x);
  if (itemsize(to) == 8) return from == DType::int32 ? c_.vpmovsxdq(r, x) : c_.vpmovzxdq(r, x);
  if (itemsize(from) == itemsize(to)) return c_.vmovaps(r, x);
  v_.narrow(r, x);
}

}  // namespace tessera::lanes
