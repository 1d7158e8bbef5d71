// sort, argsort, lexsort: rows along the last axis, stably, with NaN last.
#include <cmath>

#include "tessera/base/error.h"
#include "tessera/library/host/sort.h"
#include "tessera/routines/list.h"
#include "tessera/routines/sort/sort.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

void sort_on_host(HostCall& call);
void argsort_on_host(HostCall& call);
void lexsort_on_host(HostCall& call);
void sort_on_device(DeviceCall& call);
void argsort_on_device(DeviceCall& call);
void lexsort_on_device(DeviceCall& call);

ops::Cost cost_of_sort(std::string_view op, const View& rows, bool places) {
  const double size = rows.itemsize(), moved = size + (places ? 8 : 0);
  const double levels = std::log2(static_cast<double>(rows.ndim() ? rows.shape.back() : 1) + 2);
  return ops::cost_by_element(op, rows.size(), (places ? 3.0 : 0.6) * levels, 6 * size * moved, 0,
                              2 + static_cast<int>(size));
}

bool has_short_rows(const ops::CallView& call) {
  constexpr int64_t most = int64_t{1} << 32;
  const View& rows = call.operand(0);
  return rows.ndim() > 0 && rows.size() > 0 && rows.shape.back() < most;
}

namespace {

void infer_elements(const ops::CallView& call, std::span<ops::ResultType> results) {
  results[0] = {call.operand(0).shape, call.operand(0).dtype};
}

void infer_order(const ops::CallView& call, std::span<ops::ResultType> results) {
  require<TypeError>(!call.operands.empty(), "need sequence of keys with len > 0 in lexsort");
  for (const View* key : call.operands)
    require<ValueError>(key->shape == call.operand(0).shape, "all keys need to be the same shape");
  results[0] = {call.operand(0).shape, DType::int64};
}

/// Rows along the last axis are sorted apart.
std::optional<Parts> sort_in_parts(const ops::CallView& call) {
  if (call.operand(0).ndim() < 2) return {};
  Parts parts;
  for (size_t k = 0; k < call.operands.size(); ++k) parts.axes.push_back(0);
  return parts;
}

}  // namespace

void add_sort(Table& table) {
  table.add({.routine = {.name = "sort",
                         .doc = "The elements along the last axis in ascending order, equal ones in their old order.",
                         .parameters = {{"a"}},
                         .infer = infer_elements,
                         .cost = [](const ops::CallView& c) { return cost_of_sort("sort", c.operand(0), false); }},
             .on_host = sort_on_host,
             .on_device = sort_on_device,
             .suits_device = has_short_rows,
             .in_parts = sort_in_parts});
  table.add({.routine = {.name = "argsort",
                         .doc = "The indices that sort along the last axis.",
                         .parameters = {{"a"}},
                         .infer = infer_order,
                         .cost = [](const ops::CallView& c) { return cost_of_sort("argsort", c.operand(0), true); }},
             .on_host = argsort_on_host,
             .on_device = argsort_on_device,
             .suits_device = has_short_rows,
             .in_parts = sort_in_parts});
  table.add({.routine = {.name = "lexsort",
                         .doc = "The indices that sort along the last axis by several keys, the last one first.",
                         .parameters = {{"keys", ops::ParameterKind::arrays}},
                         .infer = infer_order,
                         .cost =
                             [](const ops::CallView& c) {
                               ops::Cost cost = cost_of_sort("lexsort", c.operand(0), true);
                               cost.host_steps *= static_cast<double>(c.operands.size());
                               cost.device_bytes *= static_cast<double>(c.operands.size());
                               return cost;
                             }},
             .on_host = lexsort_on_host,
             .on_device = lexsort_on_device,
             .suits_device = has_short_rows,
             .in_parts = sort_in_parts});
}

}  // namespace tessera::routines
