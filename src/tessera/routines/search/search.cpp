// searchsorted: insertion indices of keys among sorted elements of the same dtype.
#include <cmath>

#include "tessera/base/error.h"
#include "tessera/library/host/search.h"
#include "tessera/routines/bins/bins.h"
#include "tessera/routines/list.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/table.h"
#include "tessera/routines/take/slabs.h"

namespace tessera::routines {

namespace {

/// Operands: elements, keys and, where the elements are not sorted, the indices (int64) that sort them. Argument:
/// whether to insert after equal elements.
void search_on_host(HostCall& call) {
  const Elements &sorted = call.operand(0), &keys = call.operand(1);
  const int64_t* order = call.operands.size() > 2 ? call.operand(2).as<int64_t>() : nullptr;
  library::search_sorted(sorted.data, sorted.size(), order, keys.data, keys.size(), keys.dtype(),
                         call.arguments.boolean(0), call.result().as<int64_t>());
}

void search(DeviceCall& call, const char* sorted) {
  const DType dtype = call.operand(0).dtype();
  const bool right = call.arguments.boolean(0);
  call.launcher.run({.name = format("search {} {}", name(dtype), right),
                     .make = [=] { return search_kernel(dtype, right); },
                     .extents = {call.operand(1).size()},
                     .buffers = {sorted, call.operand(1).data, call.result().data},
                     .scalars = {call.operand(0).size()}});
  call.launcher.flush();
}

void search_by_on_host(HostCall& call) {
  call.make_result(0, call.operand(1).shape(), DType::int64);
  search_on_host(call);
}

void search_by_on_device(DeviceCall& call) {
  const Elements &keys = call.operand(0), &order = call.operand(2);
  const int64_t n = keys.size();
  const library::Extremes span = find_extremes(call.launcher, DType::int64, n, order.data);
  require<ValueError>(span.low >= 0 && span.high < n, "Sorter index out of range.");
  call.make_result(0, call.operand(1).shape(), DType::int64);
  const Ref<runtime::Buffer> sorted = call.launcher.allocate(n, keys.dtype());
  take_slabs(call.launcher, {keys.dtype(), 1, n, n, 1}, keys.data, order.data, sorted->data());
  search(call, sorted->data());
}

bool search_suits_device(const ops::CallView& call) { return call.operand(0).size() > 0 && call.operand(1).size() > 0; }

void check_dtypes(const ops::CallView& call) {
  require<TypeError>(call.operand(0).dtype == call.operand(1).dtype,
                     "searchsorted: the operands' dtypes {} and {} differ", call.operand(0).dtype,
                     call.operand(1).dtype);
}

ops::Cost cost_of_searchsorted(const ops::CallView& call) {
  return cost_of_search("searchsorted", call.operand(1).size(), call.operand(0).size());
}

}  // namespace

ops::Cost cost_of_search(std::string_view op, int64_t wanted, int64_t sorted) {
  const double levels = std::log2(static_cast<double>(sorted) + 2);
  return ops::cost_by_element(op, wanted, 4 * levels, 16 + 16 * levels);
}

void add_search(Table& table) {
  table.add({.routine = {.name = "searchsorted",
                         .doc = "The indices at which keys are inserted into sorted elements.",
                         .parameters = {{"a"}, {"v"}, {"right", ops::ParameterKind::boolean, 0}},
                         .infer =
                             [](const ops::CallView& call, std::span<ops::ResultType> results) {
                               check_dtypes(call);
                               results[0] = {call.operand(1).shape, DType::int64};
                             },
                         .cost = cost_of_searchsorted},
             .on_host = search_on_host,
             .on_device = [](DeviceCall& call) { search(call, call.operand(0).data); },
             .suits_device = search_suits_device,
             .in_parts = [](const ops::CallView& call) -> std::optional<Parts> {
               if (call.operand(1).ndim() == 0) return {};
               return Parts{.axes = {Parts::whole, 0}};
             }});
  table.add({.routine = {.name = "searchsorted_by",
                         .doc = "The same for elements that are sorted by a list of indices.",
                         .parameters = {{"a"}, {"v"}, {"sorter"}, {"right", ops::ParameterKind::boolean, 0}},
                         .infer =
                             [](const ops::CallView& call, std::span<ops::ResultType>) {
                               check_dtypes(call);
                               require<TypeError>(call.operand(2).dtype == DType::int64,
                                                  "searchsorted: indices must be int64");
                               require<ValueError>(call.operand(2).size() == call.operand(0).size(),
                                                   "sorter.size must equal len(a)");
                             },
                         .cost = cost_of_searchsorted,
                         .time = ops::CallTime::at_call},
             .on_host = search_by_on_host,
             .on_device = search_by_on_device,
             .suits_device = search_suits_device});
}

}  // namespace tessera::routines
