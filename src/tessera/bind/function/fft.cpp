#include "tessera/bind/function/fft.h"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/store.h"
#include "tessera/library/fft/fft.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// The first `count` elements along `axis`, padded with zeros where there are fewer.
Array fit(const Array& a, int axis, int64_t count) {
  const int64_t have = a.shape()[static_cast<size_t>(axis)];
  if (have >= count) return a.with_view(a.view.slice(axis, 0, 1, count));
  Dims shape = a.shape();
  shape[static_cast<size_t>(axis)] = count;
  Array padded = Engine::instance().full(shape, Scalar::of_int(a.dtype(), 0));
  Engine::instance().assign(padded.with_view(padded.view.slice(axis, 0, 1, have)), a, {});
  return padded;
}

/// The transform along `axis` and those before it, with points and scales of the last axis first. Elements beyond the
/// points are cut off; the last axis is padded here, where that fuses, and the others by the routine.
Array transform(const Array& a, library::FftKind kind, int axis, std::span<const int64_t> points,
                std::span<const double> scales) {
  static const ops::Routine& routine = Engine::routine("fft");
  require<ValueError>(points[0] >= 1, "Invalid number of FFT data points ({}) specified.", points[0]);
  Array operand = fit(a, axis, kind == library::FftKind::real_backward ? points[0] / 2 + 1 : points[0]);
  for (size_t k = 1; k < points.size(); ++k) {
    const int before = axis - static_cast<int>(k);
    operand = fit(operand, before, std::min(points[k], operand.shape()[static_cast<size_t>(before)]));
  }
  ops::Arguments arguments{static_cast<int>(kind), axis};
  for (size_t k = 0; k < points.size(); ++k) {
    arguments.add(points[k]);
    arguments.add(scales[k]);
  }
  Array result;
  Engine::instance().call(routine, std::span(&operand, 1), arguments, current_context(), std::span(&result, 1));
  return result;
}

/// `out` is None or an array of the result's shape.
nb::object delivered(Array result, nb::handle out) {
  if (!out.is_none()) {
    const Array& target = as_ndarray(out.ptr())->array;
    if (!try_small_assign(target, result)) Engine::instance().assign(target, result, {});
  }
  deliver_reports();
  return out.is_none() ? nb::steal(wrap(std::move(result))) : nb::borrow(out);
}

/// `kind` indexes FftKind; axis is normalised.
nb::object transform_one(nb::handle a, int kind, int64_t n, int axis, double scale, nb::handle out) {
  const Array& source = as_ndarray(a.ptr())->array;
  return delivered(transform(source, static_cast<library::FftKind>(kind), axis, std::span(&n, 1), std::span(&scale, 1)),
                   out);
}

/// The same over the last axes, up to three, one for each length. Does not support the transform to real numbers.
nb::object transform_at_once(nb::handle a, int kind, std::vector<int64_t> lengths, std::vector<double> scales,
                             nb::handle out) {
  const Array& source = as_ndarray(a.ptr())->array;
  std::reverse(lengths.begin(), lengths.end());
  std::reverse(scales.begin(), scales.end());
  return delivered(transform(source, static_cast<library::FftKind>(kind), source.ndim() - 1, lengths, scales), out);
}

}  // namespace

void bind_fft(nb::module_& module) {
  nb::module_ m = module.def_submodule("fft", "Fourier transforms.");
  m.def("transform", transform_one, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("transform_at_once", transform_at_once, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none() = nb::none());
}

}  // namespace tessera::bind
