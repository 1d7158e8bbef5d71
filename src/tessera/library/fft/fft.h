/// Fourier transforms along one axis of strided arrays.
#pragma once

#include "tessera/library/blas/batch.h"

namespace tessera::library {

enum class FftKind : uint8_t {
  forward,           // complex to complex, exp(-i...)
  backward,          // complex to complex, exp(+i...)
  real_forward,      // n reals to n / 2 + 1 complex numbers
  real_backward,     // n / 2 + 1 complex numbers to n reals
  spectrum_forward,  // n reals to all n complex numbers
  spectrum_backward,
};

/// out = scale * transform of in along axis; both of one precision, float32 or float64 and their complex types. The
/// extents other than axis agree; lines are distributed over the cores. out must not overlap in.
void fft(FftKind kind, const Strided& in, const Strided& out, int axis, double scale);

}  // namespace tessera::library
