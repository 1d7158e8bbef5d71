// correlate: sums of products of a sequence with taps that slide along it, both of the result's dtype.
#include "tessera/library/host/correlate.h"
#include "tessera/base/error.h"
#include "tessera/routines/list.h"
#include "tessera/routines/product/kernels.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// The first argument is how far the taps begin before the sequence; the second one, how many results there are.
void correlate_on_host(HostCall& call) {
  const Elements &a = call.operand(0), &taps = call.operand(1), &out = call.result();
  library::correlate(a.data, a.size(), taps.data, taps.size(), call.arguments.integer(0), out.size(), a.dtype(),
                     out.data);
}

void correlate_on_device(DeviceCall& call) {
  const Elements &a = call.operand(0), &taps = call.operand(1), &out = call.result();
  call.launcher.run({.name = format("correlate {}", name(a.dtype())),
                     .make = [dtype = a.dtype()] { return correlate_kernel(dtype); },
                     .extents = {out.size()},
                     .buffers = {a.data, taps.data, out.data},
                     .scalars = {a.size(), taps.size(), call.arguments.integer(0)}});
}

bool correlate_suits_device(const ops::CallView& call) {
  const DType dtype = call.operand(0).dtype;
  return is_integer(dtype) || dtype == DType::float32 || dtype == DType::float64;
}

ops::Cost cost_of_correlate(const ops::CallView& call) {
  const auto taps = static_cast<double>(call.operand(1).size());
  return ops::cost_by_element("correlate", call.arguments.integer(1), 0.3 * taps, 16 + 2 * taps);
}

}  // namespace

void add_correlate(Table& table) {
  table.add(
      {.routine =
           {.name = "correlate",
            .doc = "Sums of products of a sequence with taps that slide along it.",
            .parameters = {{"a"}, {"v"}, {"left", ops::ParameterKind::integer}, {"count", ops::ParameterKind::integer}},
            .infer =
                [](const ops::CallView& call, std::span<ops::ResultType> results) {
                  require<TypeError>(call.operand(0).dtype == call.operand(1).dtype,
                                     "correlate: the operands' dtypes {} and {} differ", call.operand(0).dtype,
                                     call.operand(1).dtype);
                  require<ValueError>(call.arguments.integer(0) >= 0 && call.arguments.integer(1) >= 0,
                                      "correlate: left and count must not be negative");
                  require<ValueError>(call.operand(1).size() > 0 && call.arguments.integer(0) < call.operand(1).size(),
                                      "correlate: {} taps cannot begin {} before the sequence", call.operand(1).size(),
                                      call.arguments.integer(0));
                  results[0] = {Dims{call.arguments.integer(1)}, call.operand(0).dtype};
                },
            .cost = cost_of_correlate},
       .on_host = correlate_on_host,
       .on_device = correlate_on_device,
       .suits_device = correlate_suits_device});
}

}  // namespace tessera::routines
