#include "tessera/bind/function/fft.h"

#include <nanobind/stl/vector.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/engine/fft/fft.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// `kind` indexes FftKind; axis is normalised; `out` is None or an array of the result's shape.
nb::object transform(nb::handle a, int kind, int64_t n, int axis, double scale, nb::handle out) {
  const Array& source = as_ndarray(a.ptr())->array;
  const Array* target = out.is_none() ? nullptr : &as_ndarray(out.ptr())->array;
  Array result = fft(Engine::instance(), static_cast<FftKind>(kind), source, n, axis, scale, target);
  deliver_reports();
  if (target) return nb::borrow(out);
  return nb::steal(wrap(std::move(result)));
}

/// The same over the last axes, one for each length; None where the caller must transform one axis after the other.
nb::object transform_at_once(nb::handle a, int kind, const std::vector<int64_t>& lengths, double scale,
                             nb::handle out) {
  Array result;
  const Array* target = out.is_none() ? nullptr : &as_ndarray(out.ptr())->array;
  if (!try_fft_at_once(Engine::instance(), static_cast<FftKind>(kind), as_ndarray(a.ptr())->array, lengths, scale,
                       target, result))
    return nb::none();
  deliver_reports();
  if (target) return nb::borrow(out);
  return nb::steal(wrap(std::move(result)));
}

}  // namespace

void bind_fft(nb::module_& module) {
  nb::module_ m = module.def_submodule("fft", "Fourier transforms.");
  m.def("transform", transform, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("transform_at_once", transform_at_once, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none() = nb::none());
}

}  // namespace tessera::bind
