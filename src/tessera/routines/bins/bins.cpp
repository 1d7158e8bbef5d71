// bounds, bincount: the extremes of integers, and how often each integer occurs.
#include "tessera/routines/bins/bins.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/ops/op.h"
#include "tessera/routines/at/at.h"
#include "tessera/routines/bins/count.h"
#include "tessera/routines/bins/kernels.h"
#include "tessera/routines/list.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

Ref<runtime::Buffer> queue_extremes(Launcher& launcher, DType dtype, int64_t n, const char* x) {
  const BinChunks chunks(n);
  const int64_t start[] = {INT64_MAX, INT64_MIN};
  Ref<runtime::Buffer> found = launcher.allocate(2, DType::int64);
  launcher.device().stream().copy_in(found->data(), reinterpret_cast<const char*>(start), sizeof start);
  launcher.run({.name = format("bounds {}", name(dtype)),
                .make = [=] { return bounds_kernel(dtype); },
                .extents = chunks.extents(),
                .buffers = {x, found->data()},
                .scalars = {n, chunks.size},
                .is_block = true});
  launcher.flush();
  return found;
}

void bounds_on_host(HostCall& call) {
  const Elements& x = call.operand();
  const library::Extremes found = library::find_extremes(x.data, x.dtype(), x.size());
  call.result().as<int64_t>()[0] = found.low;
  call.result().as<int64_t>()[1] = found.high;
}

void bounds_on_device(DeviceCall& call) {
  const Elements& x = call.operand();
  const Ref<runtime::Buffer> found = queue_extremes(call.launcher, x.dtype(), x.size(), x.data);
  call.launcher.device().stream().copy(call.result().data, found->data(), 16);
}

/// The number of bins for values between the extremes; the argument is the least number.
int64_t bin_count(const CallBase& call, const library::Extremes& span) {
  require<ValueError>(span.low >= 0, "'list' argument must have no negative elements");
  return std::max(call.arguments.integer(0), std::min(span.high, INT64_MAX - 1) + 1);
}

/// Operands: integers (int64) and, optionally, their weights (float64).
void bincount_on_host(HostCall& call) {
  const Elements& x = call.operand();
  library::Extremes span{0, -1};
  if (x.size() > 0) span = library::find_extremes(x.data, DType::int64, x.size());
  const int64_t bins[] = {bin_count(call, span)};
  const bool is_weighted = call.operands.size() > 1;
  call.make_result(0, bins, is_weighted ? DType::float64 : DType::int64);
  const Elements& out = call.result();
  std::fill_n(out.data, bins[0] * 8, 0);
  if (is_weighted)
    library::weigh_bins(x.as<int64_t>(), call.operand(1).as<double>(), x.size(), out.as<double>(), bins[0]);
  else
    library::count_bins(x.as<int64_t>(), x.size(), out.as<int64_t>(), bins[0]);
}

/// In the order of the elements, as on the host.
void add_weights(DeviceCall& call) {
  static const ops::Op& add = *ops::OpTable::standard().find("add");
  const ops::OperandType types[] = {{DType::float64}, {DType::float64}};
  const Elements &x = call.operand(0), &weights = call.operand(1);
  const Ref<runtime::Buffer> events = call.launcher.allocate(1, DType::int32);  // NumPy's loop does not check them
  apply_at(call.launcher, {add, ops::resolve(add, types)}, call.result(), {x.data, x.size(), weights.data, 1, 0},
           events->data());
}

/// The extremes of the first operand, which are kept.
library::Extremes extremes_of(DeviceCall& call) {
  constexpr std::string_view what = "extremes";
  if (const Kept* known = call.launcher.find_kept(0, what)) return {known->numbers[0], known->numbers[1]};
  const Elements& x = call.operand();
  const library::Extremes found = find_extremes(call.launcher, DType::int64, x.size(), x.data);
  call.launcher.keep(0, what, {.numbers = {found.low, found.high}});
  return found;
}

void bincount_on_device(DeviceCall& call) {
  const Elements& x = call.operand();
  const int64_t bins[] = {bin_count(call, extremes_of(call))};
  const bool is_weighted = call.operands.size() > 1;
  call.make_result(0, bins, is_weighted ? DType::float64 : DType::int64);
  const char* out = call.result().data;
  call.launcher.device().stream().fill_zero(call.result().data, static_cast<size_t>(8 * bins[0]));
  if (is_weighted) return add_weights(call);
  count_bins(call.launcher, x.data, x.size(), out, bins[0]);
}

ops::Cost cost_of_bincount(const ops::CallView& call) {
  const int64_t size = call.operand(0).size();
  return call.operands.size() > 1 ? ops::cost_by_element("bincount of weights", size, 3, 600, 2, 30)
                                  : ops::cost_by_element("bincount", size, 2, 60, 1);
}

}  // namespace

library::Extremes find_extremes(Launcher& launcher, DType dtype, int64_t n, const char* x) {
  const Ref<runtime::Buffer> found = queue_extremes(launcher, dtype, n, x);
  library::Extremes extremes{};
  launcher.fetch(&extremes, found->data(), sizeof extremes);
  return extremes;
}

void add_bins(Table& table) {
  table.add({.routine = {.name = "bounds",
                         .doc = "The least and the largest of some integers.",
                         .parameters = {{"values"}},
                         .infer =
                             [](const ops::CallView& call, std::span<ops::ResultType> results) {
                               const DType dtype = call.operand(0).dtype;
                               require<TypeError>(is_integer(dtype) || is_boolean(dtype),
                                                  "bounds: integers are needed");
                               results[0] = {Dims{2}, DType::int64};
                             },
                         .cost =
                             [](const ops::CallView& call) {
                               return ops::cost_by_element("bounds", call.operand(0).size(), 0.5, 8, 1);
                             }},
             .on_host = bounds_on_host,
             .on_device = bounds_on_device,
             .suits_device = [](const ops::CallView& call) { return call.operand(0).size() > 0; }});
  table.add(
      {.routine = {.name = "bincount",
                   .doc = "How often each integer from 0 on occurs, or the sum of its weights.",
                   .parameters = {{"x"},
                                  {"weights", ops::ParameterKind::arrays},
                                  {"minlength", ops::ParameterKind::integer, 0}},
                   .infer =
                       [](const ops::CallView& call, std::span<ops::ResultType>) {
                         require<TypeError>(call.operand(0).dtype == DType::int64, "bincount: x must be int64");
                         require<ValueError>(call.operands.size() <= 2, "bincount: {} arrays of weights, one at most",
                                             call.operands.size() - 1);
                         for (const View* weights : call.operands.subspan(1)) {
                           require<TypeError>(weights->dtype == DType::float64, "bincount: weights must be float64");
                           require<ValueError>(weights->size() == call.operand(0).size(),
                                               "The weights and list don't have the same length.");
                         }
                       },
                   .cost = cost_of_bincount,
                   .time = ops::CallTime::at_call},
       .on_host = bincount_on_host,
       .on_device = bincount_on_device,
       .suits_device = [](const ops::CallView& call) { return call.operand(0).size() > 0; },
       .in_parts = [](const ops::CallView& call) -> std::optional<Parts> {
         if (call.operands.size() > 1 || call.operand(0).ndim() != 1) return {};  // weights are added in one order
         return Parts{.axes = {0}, .is_sum = true, .may_fail_apart = true};
       }});
}

}  // namespace tessera::routines
