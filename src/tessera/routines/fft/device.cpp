// Transforms by the device's library. Lines along an axis that no single stride describes are made contiguous, and so
// are those of large arrays: transposing by copies before and after costs less than strided reads.
#include <bit>
#include <optional>

#include "tessera/profile/counters.h"
#include "tessera/routines/fft/fft.h"
#include "tessera/routines/fft/kernels.h"
#include "tessera/routines/transpose/transpose.h"

namespace tessera::routines {

namespace {

/// The ends of half a spectrum are real by definition: imaginary parts given there are ignored.
void clear_ends(Launcher& launcher, const Elements& x, int axis, int64_t points) {
  const DType real = real_dtype(x.dtype());
  int64_t outer = 1, inner = 1;
  for (int k = 0; k < x.view.ndim(); ++k)
    if (k != axis) (k < axis ? outer : inner) *= x.shape()[k];
  for (int64_t end : {int64_t{0}, points / 2}) {
    if (end != 0 && points % 2 != 0) continue;
    launcher.run({.name = format("clear_imaginary {}", name(real)),
                  .make = [real] { return clear_imaginary_kernel(real); },
                  .extents = {outer, inner},
                  .buffers = {x.data},
                  .scalars = {x.shape()[axis], inner, end}});
  }
}

/// Scales real and imaginary parts separately: a complex product would turn infinities into NaN.
void scale(Launcher& launcher, const Elements& x, double factor) {
  if (factor == 1.0) return;
  const DType real = real_dtype(x.dtype());
  launcher.run({.name = format("scale {}", name(real)),
                .make = [real] { return scale_kernel(real); },
                .extents = {x.size() * x.view.itemsize() / itemsize(real)},
                .buffers = {x.data},
                .scalars = {std::bit_cast<int64_t>(factor)}});
}

/// The operand as the library reads it: contiguous, padded, complex where the library has no real transform.
class Input {
 public:
  Input(Launcher& launcher, const Elements& given, const Transform& t, int axis) : elements_(given) {
    const bool widens = t.kind == FftKind::spectrum_forward || t.kind == FftKind::spectrum_backward;
    const Dims shape = t.padded(given.shape());
    const bool pads = shape != given.shape();
    // The library overwrites half spectra.
    if (!widens && !pads && given.view.is_c_contiguous() && t.kind != FftKind::real_backward) return;
    own_.emplace(launcher, shape, widens ? complex_dtype(given.dtype()) : given.dtype());
    elements_ = own_->elements;
    if (pads)
      launcher.device().stream().fill_zero(elements_.data,
                                           static_cast<size_t>(elements_.size() * elements_.view.itemsize()));
    Elements corner = elements_;
    corner.view.shape = given.shape();
    copy_elements(launcher, given, corner);
    if (t.kind == FftKind::real_backward) clear_ends(launcher, elements_, axis, t.points[0]);
  }
  library::Strided strided() const { return elements_.strided(); }

 private:
  Elements elements_;
  std::optional<NewElements> own_;
};

FftKind library_kind(FftKind kind) {
  return kind == FftKind::spectrum_forward    ? FftKind::forward
         : kind == FftKind::spectrum_backward ? FftKind::backward
                                              : kind;
}

void transform(Launcher& launcher, const Elements& a, const Transform& t, int axis, const Elements& out) {
  const Input input(launcher, a, t, axis);
  library::on_device::fft(launcher.device(), library_kind(t.kind), input.strided(), out.strided(), axis, t.axes);
  double factor = 1;
  for (int k = 0; k < t.axes; ++k) factor *= t.scales[k];
  scale(launcher, out, factor);
}

}  // namespace

void fft_on_device(DeviceCall& call) {
  constexpr int64_t most_calls = 16, large = 1 << 16;
  const Elements &a = call.operand(), &out = call.result();
  const Transform t(a.view, call.arguments);
  const int last = a.view.ndim() - 1;
  int64_t outer = 1;
  for (int k = 0; k < t.axis; ++k) outer *= a.shape()[k];
  if (t.axis == last || (outer <= most_calls && a.size() < large)) {
    transform(call.launcher, a, t, t.axis, out);
  } else {
    const auto moved = [&](const Elements& x) { return with_view(x, x.view.swap_axes(t.axis, last)); };
    const NewElements made(call.launcher, moved(out).shape(), t.to);
    transform(call.launcher, moved(a), t, last, made.elements);
    copy_elements(call.launcher, moved(made.elements), out);
  }
  profile::add(profile::Counter::device_library_calls);
}

}  // namespace tessera::routines
