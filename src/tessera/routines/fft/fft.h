/// Fourier transforms: what the descriptor and both implementations share.
#pragma once

#include "tessera/library/fft/fft.h"
#include "tessera/routines/calls.h"

namespace tessera::routines {

using library::FftKind;

inline constexpr int most_fft_axes = 3;

/// A call: its arguments are the kind and the axis, the number of points and the scale, and the same two numbers for
/// each axis before it that is transformed, too. The operand has the points that are read along the axis, and at most
/// those of the others along these: it is padded with zeros there.
struct Transform {
  FftKind kind;
  int axis, axes;
  int64_t points[most_fft_axes];
  double scales[most_fft_axes];
  DType from, to;

  Transform(const View& a, const ops::Arguments& arguments);
  int64_t points_in() const { return kind == FftKind::real_backward ? points[0] / 2 + 1 : points[0]; }
  int64_t points_out() const { return kind == FftKind::real_forward ? points[0] / 2 + 1 : points[0]; }
  /// The operand's shape after padding, and the result's.
  Dims padded(Dims shape) const;
  Dims result(Dims shape) const;
};

void fft_on_device(DeviceCall& call);

}  // namespace tessera::routines
