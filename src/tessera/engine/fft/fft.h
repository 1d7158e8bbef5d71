/// Fourier transforms of arrays along one axis.
#pragma once

#include "tessera/engine/engine.h"
#include "tessera/library/fft/fft.h"

namespace tessera {

using library::FftKind;

/// The transform of n points (a cropped or padded with zeros to what it needs), times scale, in single precision where
/// the input is single or half and in double elsewhere. real_backward takes n / 2 + 1 points. With `out` the result is
/// written there and `out` returned.
Array fft(Engine& engine, FftKind kind, const Array& a, int64_t n, int axis, double scale, const Array* out = nullptr);

}  // namespace tessera
