// searchsorted: insertion indices of keys among sorted elements of the same dtype.
#include <cmath>

#include "tessera/base/error.h"
#include "tessera/library/host/search.h"
#include "tessera/routines/list.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// Operands: sorted elements and keys. Argument: whether to insert after equal elements.
void search_on_host(HostCall& call) {
  const Elements &sorted = call.operand(0), &keys = call.operand(1);
  library::search_sorted(sorted.data, sorted.size(), nullptr, keys.data, keys.size(), keys.dtype(),
                         call.arguments.boolean(0), call.result().as<int64_t>());
}

/// The same among elements that the indices in operand 2 (int64) sort; one that is out of range is an error.
void search_by_order_on_host(HostCall& call) {
  const Elements &elements = call.operand(0), &keys = call.operand(1);
  call.make_result(0, keys.shape(), DType::int64);
  library::search_sorted(elements.data, elements.size(), call.operand(2).as<int64_t>(), keys.data, keys.size(),
                         keys.dtype(), call.arguments.boolean(0), call.result().as<int64_t>());
}

void search_on_device(DeviceCall& call) {
  const DType dtype = call.operand(0).dtype();
  const bool right = call.arguments.boolean(0);
  call.launcher.run({.name = format("search {} {}", name(dtype), right),
                     .make = [=] { return search_kernel(dtype, right); },
                     .extents = {call.operand(1).size()},
                     .buffers = {call.operand(0).data, call.operand(1).data, call.result().data},
                     .scalars = {call.operand(0).size()}});
}

bool suits_device(const ops::CallView& call) { return call.operand(0).size() > 0 && call.operand(1).size() > 0; }

void infer(const ops::CallView& call, std::span<ops::ResultType> results) {
  results[0] = {call.operand(1).shape, DType::int64};
}

ops::Cost cost(const ops::CallView& call) {
  return cost_of_search("searchsorted", call.operand(1).size(), call.operand(0).size());
}

}  // namespace

ops::Cost cost_of_search(std::string_view op, int64_t wanted, int64_t sorted) {
  const double levels = std::log2(static_cast<double>(sorted) + 2);
  return ops::cost_by_element(op, wanted, 4 * levels, 16 + 16 * levels);
}

void add_search(Table& table) {
  const ops::Parameter right{"right", ops::ParameterKind::boolean, 0};
  table.add({.routine = {.name = "searchsorted",
                         .doc = "The indices at which keys are inserted into sorted elements.",
                         .parameters = {{"a"}, {"v"}, right},
                         .infer = infer,
                         .cost = cost},
             .on_host = search_on_host,
             .on_device = search_on_device,
             .suits_device = suits_device});
  table.add({.routine = {.name = "searchsorted_by_order",
                         .doc = "The same among elements that the indices `sorter` sort.",
                         .parameters = {{"a"}, {"v"}, {"sorter"}, right},
                         .infer = infer,
                         .cost = cost,
                         .time = ops::CallTime::at_call},
             .on_host = search_by_order_on_host});
}

}  // namespace tessera::routines
