#include "tessera/bind/fft.h"

#include "tessera/bind/ndarray.h"
#include "tessera/bind/reports.h"
#include "tessera/engine/fft/fft.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// kind indexes FftKind; axis is normalised, `out` None or an array of the result's shape.
nb::object transform(nb::handle a, int kind, int64_t n, int axis, double scale, nb::handle out) {
  const Array& source = as_ndarray(a.ptr())->array;
  const Array* target = out.is_none() ? nullptr : &as_ndarray(out.ptr())->array;
  Array result = fft(Engine::instance(), static_cast<FftKind>(kind), source, n, axis, scale, target);
  deliver_reports();
  if (target) return nb::borrow(out);
  return nb::steal(wrap(std::move(result)));
}

}  // namespace

void bind_fft(nb::module_& module) {
  nb::module_ m = module.def_submodule("fft", "Fourier transforms.");
  m.def("transform", transform, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace tessera::bind
