// interp: piecewise linear interpolation.
#include "tessera/base/error.h"
#include "tessera/library/host/search.h"
#include "tessera/routines/list.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// The result on one side of all points: the call's argument, or the height of the outermost point.
struct Outside {
  bool is_given;
  double parts[2];
  Outside(const ops::Arguments& arguments, int side)
      : is_given(arguments.boolean(3 * side)), parts{arguments.real(3 * side + 1), arguments.real(3 * side + 2)} {}
};

void interpolate_on_host(HostCall& call) {
  const Elements &x = call.operand(0), &xp = call.operand(1), &fp = call.operand(2);
  const Outside left(call.arguments, 0), right(call.arguments, 1);
  const int64_t parts = is_complex(fp.dtype()) ? 2 : 1;
  const double* heights = fp.as<double>();
  library::interpolate(
      x.as<double>(), x.size(), xp.as<double>(), heights, xp.size(), left.is_given ? left.parts : heights,
      right.is_given ? right.parts : heights + (fp.size() - 1) * parts, parts == 2, call.result().as<double>());
}

void interpolate_on_device(DeviceCall& call) {
  const Elements &x = call.operand(0), &xp = call.operand(1), &fp = call.operand(2);
  const auto size = static_cast<size_t>(itemsize(fp.dtype()));
  const Ref<runtime::Buffer> ends = call.launcher.allocate(2, fp.dtype());
  runtime::Stream& stream = call.launcher.device().stream();
  for (int side = 0; side < 2; ++side) {
    const Outside outside(call.arguments, side);
    char* to = ends->data() + static_cast<size_t>(side) * size;
    if (outside.is_given)
      stream.copy_in(to, reinterpret_cast<const char*>(outside.parts), size);
    else
      stream.copy(to, fp.data + static_cast<size_t>(side) * (static_cast<size_t>(fp.size()) - 1) * size, size);
  }
  const int parts = is_complex(fp.dtype()) ? 2 : 1;
  call.launcher.run({.name = format("interpolate {}", parts),
                     .make = [=] { return interpolate_kernel(parts); },
                     .extents = {x.size()},
                     .buffers = {x.data, xp.data, fp.data, ends->data(), call.result().data},
                     .scalars = {xp.size()}});
  call.launcher.flush();
}

}  // namespace

void add_interpolate(Table& table) {
  using enum ops::ParameterKind;
  table.add(
      {.routine = {.name = "interp",
                   .doc = "Piecewise linear interpolation through points of ascending xp and heights fp; x and xp "
                          "are float64, fp float64 or complex128.",
                   .parameters = {{"x"},
                                  {"xp"},
                                  {"fp"},
                                  {"has_left", boolean, 0},
                                  {"left", real, 0},
                                  {"left_imag", real, 0},
                                  {"has_right", boolean, 0},
                                  {"right", real, 0},
                                  {"right_imag", real, 0}},
                   .infer =
                       [](const ops::CallView& call, std::span<ops::ResultType> results) {
                         const View &x = call.operand(0), &xp = call.operand(1), &fp = call.operand(2);
                         require<TypeError>(x.dtype == DType::float64 && xp.dtype == DType::float64 &&
                                                (fp.dtype == DType::float64 || fp.dtype == DType::complex128),
                                            "interp: x and xp must be float64, fp float64 or complex128");
                         require<ValueError>(xp.size() > 0, "array of sample points is empty");
                         require<ValueError>(xp.size() == fp.size(), "fp and xp are not of the same length.");
                         results[0] = {call.operand(0).shape, call.operand(2).dtype};
                       },
                   .cost =
                       [](const ops::CallView& call) {
                         return cost_of_search("interp", call.operand(0).size(), call.operand(1).size());
                       }},
       .on_host = interpolate_on_host,
       .on_device = interpolate_on_device,
       .suits_device = [](const ops::CallView& call) { return call.operand(0).size() > 0; },
       .in_parts = [](const ops::CallView& call) -> std::optional<Parts> {
         if (call.operand(0).ndim() == 0) return {};
         return Parts{.axes = {0, Parts::whole, Parts::whole}};
       }});
}

}  // namespace tessera::routines
