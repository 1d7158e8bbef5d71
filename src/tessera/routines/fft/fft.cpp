// fft: transforms along one axis or several adjacent ones.
#include "tessera/routines/fft/fft.h"

#include "tessera/base/error.h"
#include "tessera/routines/host_operand.h"
#include "tessera/routines/list.h"
#include "tessera/routines/table.h"
#include "tessera/routines/vendor_costs.h"

namespace tessera::routines {

namespace {

bool is_single(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 || dtype == DType::complex64;
}

int axis_count(const ops::Arguments& arguments) { return std::min(arguments.size() / 2 - 1, most_fft_axes); }

}  // namespace

Transform::Transform(const View& a, const ops::Arguments& arguments)
    : kind{static_cast<FftKind>(arguments.integer(0))},
      axis(static_cast<int>(arguments.integer(1))),
      axes(axis_count(arguments)) {
  for (int k = 0; k < axes; ++k) {
    points[k] = arguments.integer(2 + 2 * k);
    scales[k] = arguments.real(3 + 2 * k);
  }
  const DType real = is_single(a.dtype) ? DType::float32 : DType::float64;
  if (!is_complex(a.dtype)) {
    if (kind == FftKind::forward) kind = FftKind::spectrum_forward;
    if (kind == FftKind::backward) kind = FftKind::spectrum_backward;
  }
  const bool from_real = kind != FftKind::forward && kind != FftKind::backward && kind != FftKind::real_backward;
  from = from_real ? real : complex_dtype(real);
  to = kind == FftKind::real_backward ? real : complex_dtype(real);
}

Dims Transform::padded(Dims shape) const {
  for (int k = 1; k < axes; ++k) shape[axis - k] = points[k];
  return shape;
}

Dims Transform::result(Dims shape) const {
  shape = padded(std::move(shape));
  shape[axis] = points_out();
  return shape;
}

namespace {

/// The elements with zeros up to `extent` along the axis, in new memory.
Elements pad(const Elements& a, int axis, int64_t extent, std::unique_ptr<char[]>& memory) {
  Dims shape = a.shape();
  shape[axis] = extent;
  View view = View::contiguous(shape, a.dtype());
  memory = std::make_unique<char[]>(static_cast<size_t>(view.size() * view.itemsize()));
  View corner = view;
  corner.shape[axis] = a.shape()[axis];
  library::copy_view(a.data, a.view, memory.get(), corner);
  return {memory.get(), std::move(view)};
}

/// The last axis is transformed first: the others then have as few lines as the operand.
void fft_on_host(HostCall& call) {
  const Transform t(call.operand().view, call.arguments);
  const HostOperand operand(call.operand(), t.from);
  Elements input = operand.elements();
  std::unique_ptr<char[]> made, padded;
  for (int k = 0; k < t.axes; ++k) {
    const int axis = t.axis - k;
    const bool is_last = k + 1 == t.axes;
    const FftKind kind = k == 0                                                                ? t.kind
                         : t.kind == FftKind::backward || t.kind == FftKind::spectrum_backward ? FftKind::backward
                                                                                               : FftKind::forward;
    if (k > 0 && input.shape()[axis] != t.points[k]) input = pad(input, axis, t.points[k], padded);
    Dims shape = input.shape();
    if (k == 0) shape[axis] = t.points_out();
    Elements output = call.result();
    std::unique_ptr<char[]> memory;
    if (!is_last) {
      const View view = View::contiguous(shape, t.to);
      memory = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(view.size() * view.itemsize()));
      output = {memory.get(), view};
    }
    library::fft(kind, input.strided(), output.strided(), axis, t.scales[k]);
    made = std::move(memory);
    input = output;
  }
}

DType transform_dtype(const ops::CallView& call, int) { return Transform(call.operand(0), call.arguments).from; }

void infer_transform(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View& a = call.operand(0);
  const int64_t kind = call.arguments.integer(0), axis = call.arguments.integer(1), axes = axis_count(call.arguments);
  require<ValueError>(kind >= 0 && kind <= static_cast<int>(FftKind::spectrum_backward), "fft: no kind {}", kind);
  require<AxisError>(axis >= 0 && axis < a.ndim(), "axis {} is out of bounds for {} dimensions", axis, a.ndim());
  require<ValueError>(
      axes == 1 || (axes <= a.ndim() && axis == a.ndim() - 1 && kind != static_cast<int>(FftKind::real_backward)),
      "fft: {} axes at once", axes);
  const Transform t(a, call.arguments);
  for (int k = 0; k < t.axes; ++k) {
    const int64_t n = t.points[k], have = a.shape[t.axis - k];
    require<ValueError>(n >= 1, "Invalid number of FFT data points ({}) specified.", n);
    require<ShapeError>(k == 0 ? have == t.points_in() : have <= n, "fft: {} elements for {} points", have, n);
  }
  require<TypeError>(!is_complex(a.dtype) || is_complex(t.from), "fft: no transform of this kind for {}", a.dtype);
  results[0] = {t.result(a.shape), t.to};
}

/// Along axes behind the first.
std::optional<Parts> transform_in_parts(const ops::CallView& call) {
  const Transform t(call.operand(0), call.arguments);
  if (t.axis - t.axes + 1 <= 0) return {};
  return Parts{.axes = {0}, .slabs_a_call = slabs_a_call(call.operand(0).shape[0], 1)};
}

ops::Cost cost_of_transform(const ops::CallView& call) {
  const View& a = call.operand(0);
  const Transform t(a, call.arguments);
  double points = 1;
  for (int k = 0; k < t.axes; ++k) points *= static_cast<double>(t.points[k]);
  return cost_of_fft(a.size(), points, t.axes, is_single(a.dtype) ? 8 : 16);
}

}  // namespace

void add_fft(Table& table) {
  using ops::ParameterKind;
  table.add({.routine = {.name = "fft",
                         .doc = "Fourier transforms of n points along an axis, times a scale.",
                         .parameters = {{"a"},
                                        {"kind", ParameterKind::integer},
                                        {"axis", ParameterKind::integer},
                                        {"n", ParameterKind::integer},
                                        {"scale", ParameterKind::real, 1}},
                         .infer = infer_transform,
                         .cost = cost_of_transform,
                         .time = ops::CallTime::when_settled,
                         .vendor_bits = true},
             .on_host = fft_on_host,
             .on_device = fft_on_device,
             .suits_device =
                 [](const ops::CallView& call) {
                   return call.operand(0).size() > 0 && call.operand(0).dtype == transform_dtype(call, 0);
                 },
             .operand_dtype = transform_dtype,
             .in_parts = transform_in_parts,
             .takes_views = Entry::all_operands});
}

}  // namespace tessera::routines
