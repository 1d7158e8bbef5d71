// partition, argpartition, order_places: rows along the last axis, reordered so that the elements at given indices are
// those that a sort would put there.
#include <optional>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/host/sort.h"
#include "tessera/routines/list.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/sort/sort.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// The arguments are the indices, ascending and distinct.
void partition_on_host(HostCall& call) {
  const Elements& a = call.operand();
  const SortRows rows(a.view);
  library::partition_rows(a.data, rows.dtype, rows.rows, rows.n, call.arguments.from(0), call.result().data);
}

void argpartition_on_host(HostCall& call) {
  const Elements& a = call.operand();
  const SortRows rows(a.view);
  library::argpartition_rows(a.data, rows.dtype, rows.rows, rows.n, call.arguments.from(0),
                             call.result().as<int64_t>());
}

/// The order of the elements by the part of their row in which they belong.
Ref<runtime::Buffer> order_by_parts(Launcher& launcher, const SortRows& rows, std::span<const int64_t> at,
                                    const char* x, const char* sorted) {
  const Ref<runtime::Buffer> pivots = launcher.allocate(static_cast<int64_t>(at.size()), DType::int64);
  launcher.device().stream().copy_in(pivots->data(), reinterpret_cast<const char*>(at.data()), at.size_bytes());
  const Ref<runtime::Buffer> parts = launcher.allocate(rows.size(), DType::uint8);
  launcher.run({.name = format("parts {}", name(rows.dtype)),
                .make = [dtype = rows.dtype] { return parts_kernel(dtype); },
                .extents = {rows.size()},
                .buffers = {x, sorted, pivots->data(), parts->data()},
                .scalars = {rows.n, static_cast<int64_t>(at.size())}});
  launcher.flush();
  Ref<runtime::Buffer> order = launcher.allocate(rows.size(), DType::int64);
  argsort_rows(launcher, {DType::uint8, rows.rows, rows.n}, parts->data(), order->data());
  launcher.flush();
  return order;
}

/// Where the host partitions by sorting, so does the device; otherwise it partitions to the same order as the host.
void partition_on_device(DeviceCall& call, bool places) {
  Launcher& launcher = call.launcher;
  const SortRows rows(call.operand().view);
  const std::span<const int64_t> at = call.arguments.from(0);
  const char *x = call.operand().data, *out = call.result().data;
  const bool sorts = library::parts_by_sort(rows.dtype, rows.n, at);
  if (sorts && places) return argsort_rows(launcher, rows, x, call.result().data);
  if (sorts) return sort_rows(launcher, rows, x, call.result().data);
  const Ref<runtime::Buffer> sorted = launcher.allocate(rows.size(), rows.dtype);
  Ref<runtime::Buffer> order;
  if (places) {
    order = launcher.allocate(rows.size(), DType::int64);
    argsort_rows(launcher, rows, x, order->data());
    gather_rows(launcher, rows, x, order->data(), sorted->data());
  } else {
    sort_rows(launcher, rows, x, sorted->data());
  }
  launcher.flush();
  const Ref<runtime::Buffer> by_parts = order_by_parts(launcher, rows, at, x, sorted->data());
  std::vector<const char*> buffers{x, sorted->data(), by_parts->data()};
  if (places) buffers.push_back(order->data());
  buffers.push_back(out);
  launcher.run({.name = format("parted {} {}", name(rows.dtype), places),
                .make = [dtype = rows.dtype, places] { return parted_kernel(dtype, places); },
                .extents = {rows.size()},
                .buffers = std::move(buffers),
                .scalars = {rows.n}});
  launcher.flush();
}

/// A device sorts as fast as it partitions.
void order_places_on_device(DeviceCall& call) {
  sort_rows(call.launcher, SortRows(call.operand().view), call.operand().data, call.result().data);
}

void check_places(const ops::CallView& call) {
  const View& rows = call.operand(0);
  require<ValueError>(rows.ndim() > 0, "partition: an array without axes has no rows");
  int64_t before = -1;
  for (int64_t place : call.arguments.from(0)) {
    require<ValueError>(place > before && place < rows.shape.back(),
                        "partition: kth {} after {} in rows of {}: they must ascend within the row", place, before,
                        rows.shape.back());
    before = place;
  }
}

void infer_partition(const ops::CallView& call, std::span<ops::ResultType> results) {
  check_places(call);
  results[0] = {call.operand(0).shape, call.operand(0).dtype};
}

void infer_argpartition(const ops::CallView& call, std::span<ops::ResultType> results) {
  check_places(call);
  results[0] = {call.operand(0).shape, DType::int64};
}

ops::Cost cost_of_partition(std::string_view op, const View& rows) {
  const auto size = static_cast<double>(rows.itemsize());
  return ops::cost_by_element(op, rows.size(), 12, 300 + 12 * size * size, 0, 20);
}

std::optional<Parts> rows_apart(const ops::CallView& call) { return by_rows_if(call.operand(0).ndim() > 1); }

/// The device computes the places that a list names; an empty one is left to the host.
bool partition_suits_device(const ops::CallView& call) { return call.arguments.size() > 0 && has_short_rows(call); }

}  // namespace

void add_partition(Table& table) {
  table.add({.routine = {.name = "partition",
                         .doc = "The elements along the last axis with those of the given indices in sorted position.",
                         .parameters = {{"a"}, {"kth", ops::ParameterKind::integers}},
                         .infer = infer_partition,
                         .cost = [](const ops::CallView& c) { return cost_of_partition("partition", c.operand(0)); }},
             .on_host = partition_on_host,
             .on_device = [](DeviceCall& call) { partition_on_device(call, false); },
             .suits_device = partition_suits_device,
             .in_parts = rows_apart});
  table.add(
      {.routine = {.name = "argpartition",
                   .doc = "The indices that partition along the last axis.",
                   .parameters = {{"a"}, {"kth", ops::ParameterKind::integers}},
                   .infer = infer_argpartition,
                   .cost = [](const ops::CallView& c) { return cost_of_partition("argpartition", c.operand(0)); }},
       .on_host = argpartition_on_host,
       .on_device = [](DeviceCall& call) { partition_on_device(call, true); },
       .suits_device = partition_suits_device,
       .in_parts = rows_apart});
  table.add({.routine = {.name = "order_places",
                         .doc = "As partition, with the other elements anywhere.",
                         .parameters = {{"a"}, {"kth", ops::ParameterKind::integers}},
                         .infer = infer_partition,
                         .cost = [](const ops::CallView& c) { return cost_of_sort("sort", c.operand(0), false); }},
             .on_host = partition_on_host,
             .on_device = order_places_on_device,
             .suits_device = has_short_rows,
             .in_parts = rows_apart});
}

}  // namespace tessera::routines
