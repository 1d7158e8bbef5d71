// argmax, argmin: the index of the first extreme along an axis, or of all elements.
#include <algorithm>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/host/arg_reduce.h"
#include "tessera/routines/axis_lanes.h"
#include "tessera/routines/extreme/kernels.h"
#include "tessera/routines/list.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// The argument is the axis; -1: one lane of all elements.
AxisLanes lanes_of(const View& a, const ops::Arguments& arguments) {
  const auto axis = static_cast<int>(arguments.integer(0));
  return axis < 0 ? AxisLanes(1, a.size(), 1) : AxisLanes(a, axis);
}

/// One search on a device: each lane is cut into slices.
struct Search {
  bool largest;
  DType dtype;
  AxisLanes lanes;
  int64_t slice, slices;

  Search(bool is_largest, const Elements& a, const AxisLanes& all, int multiprocessors)
      : largest(is_largest), dtype(a.dtype()), lanes(all) {
    constexpr int64_t elements_a_block = 1 << 14, rows_a_thread = 256, enough_threads = 1 << 20, slices_a_block = 8;
    // Enough slices per lane to keep the device busy; for rows, each multiprocessor runs three blocks, twice.
    const int64_t most = in_rows() ? lanes.n / elements_a_block : lanes.n / rows_a_thread;
    int64_t wanted = in_rows() ? 6 * multiprocessors / lanes.outer : enough_threads / (lanes.outer * lanes.inner);
    if (!in_rows() && wanted > slices_a_block) wanted -= wanted % slices_a_block;
    wanted = std::clamp<int64_t>(std::min(most, wanted), 1, in_rows() ? most_slices : 4096);
    slice = (lanes.n + wanted - 1) / wanted;
    slices = (lanes.n + slice - 1) / slice;
  }
  bool in_rows() const { return lanes.inner == 1; }
  bool is_short() const { return lanes.outer * slices <= int64_t{1} << 31; }
  std::function<ir::Kernel()> short_text(const std::function<ir::Kernel()>& make) const {
    return is_short() ? make : nullptr;
  }
};

void find_in_rows(Launcher& launcher, const Search& s, const char* x, const char* out) {
  const int64_t blocks = s.lanes.outer * s.slices, words = s.slices > 1 ? blocks : 0;
  const char* told = launcher.zeros(words + s.lanes.outer * (s.slices > 1));
  const auto kernel = [largest = s.largest, dtype = s.dtype](bool short_text) {
    return [=] { return extreme_rows_kernel(largest, dtype, short_text); };
  };
  launcher.run({.name = format("extreme {} {} {}", s.largest, name(s.dtype), s.is_short()),
                .make = kernel(false),
                .make_short_text = s.short_text(kernel(true)),
                .extents = {blocks, extreme_threads},
                .buffers = {x, out, told, told + 8 * words},
                .scalars = {s.lanes.n, s.slice, s.slices},
                .is_block = true});
}

/// `joins`: among the indices found in the slices.
void find_in_slices(Launcher& launcher, const Search& s, bool joins, std::vector<const char*> buffers) {
  const auto kernel = [largest = s.largest, dtype = s.dtype, joins](bool short_text) {
    return [=] { return extreme_columns_kernel(largest, dtype, joins, short_text); };
  };
  launcher.run({.name = format("extreme columns {} {} {} {}", s.largest, name(s.dtype), joins, s.is_short()),
                .make = kernel(false),
                .make_short_text = s.short_text(kernel(true)),
                .extents = {joins ? s.lanes.outer : s.lanes.outer * s.slices, s.lanes.inner},
                .buffers = std::move(buffers),
                .scalars = {s.lanes.n, s.lanes.inner, s.slice, s.slices}});
}

void find_in_columns(Launcher& launcher, const Search& s, const char* x, const char* out) {
  if (s.slices == 1) return find_in_slices(launcher, s, false, {x, out});
  launcher.gather();
  const Ref<runtime::Buffer> found = launcher.allocate(s.lanes.outer * s.slices * s.lanes.inner, DType::int64);
  find_in_slices(launcher, s, false, {x, found->data()});
  find_in_slices(launcher, s, true, {x, found->data(), out});
  launcher.flush();
}

/// Of a part, which is one lane or has its lanes beside each other: the index of each extreme, and the element there.
template <class Find, class Run>
void find_part(CallBase& call, const AxisLanes& lanes, Find&& find, Run&& run) {
  const Elements& a = call.operand();
  const int64_t results[] = {lanes.inner};
  call.make_result(0, results, DType::int64);
  call.make_result(1, results, a.dtype());
  find(call.result(0));
  const int64_t a_slab = lanes.n / a.shape()[0];  // indices
  run({.name = format("extreme elements {}", name(a.dtype())),
       .make = [dtype = a.dtype()] { return extreme_elements_kernel(dtype); },
       .extents = {lanes.inner},
       .buffers = {a.data, call.result(0).data, call.result(1).data},
       .scalars = {lanes.inner, call.part->begin * a_slab}});
}

KernelLaunch join_extremes(const CallBase& call, bool largest) {
  const Elements &indices = call.operand(0), &elements = call.operand(1), &out = call.result();
  return {.name = format("join extremes {} {}", largest, name(elements.dtype())),
          .make = [largest, dtype = elements.dtype()] { return join_extremes_kernel(largest, dtype); },
          .extents = {out.size()},
          .buffers = {indices.data, elements.data, out.data},
          .scalars = {out.size(), indices.size() / out.size()}};
}

bool is_join(const CallBase& call) { return call.part && call.part->stage == PartOfCall::Stage::join; }

template <bool largest>
void find_on_host(HostCall& call) {
  if (is_join(call)) return call.run(join_extremes(call, largest), call.operand().size());
  const Elements& a = call.operand();
  const AxisLanes lanes = lanes_of(a.view, call.arguments);
  const auto find = [&](const Elements& out) {
    library::arg_reduce(largest, a.data, a.dtype(), lanes.outer, lanes.n, lanes.inner, out.as<int64_t>());
  };
  if (!call.part) return find(call.result());
  find_part(call, lanes, find, [&](const KernelLaunch& launch) { call.run(launch, lanes.inner); });
}

template <bool largest>
void find_on_device(DeviceCall& call) {
  if (is_join(call)) return call.launcher.run(join_extremes(call, largest));
  const Elements& a = call.operand();
  const AxisLanes lanes = lanes_of(a.view, call.arguments);
  const Search search(largest, a, lanes, call.launcher.device().facts().multiprocessors);
  const auto find = [&](const Elements& out) {
    (search.in_rows() ? find_in_rows : find_in_columns)(call.launcher, search, a.data, out.data);
  };
  if (!call.part) return find(call.result());
  find_part(call, lanes, find, [&](KernelLaunch launch) { call.launcher.run(std::move(launch)); });
}

/// Along the first axis, or over all elements, the extremes of the parts are compared.
std::optional<Parts> extreme_in_parts(const ops::CallView& call) {
  if (call.operand(0).ndim() == 0) return {};
  if (call.arguments.integer(0) > 0) return Parts{.axes = {0}};
  return Parts{.axes = {0}, .partials = 2};
}

bool extreme_suits_device(const ops::CallView& call) {
  return !is_complex(call.operand(0).dtype) && call.operand(0).size() > 0;
}

template <bool largest>
constexpr std::string_view routine_name = largest ? "argmax" : "argmin";

template <bool largest>
void infer_extreme(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View& a = call.operand(0);
  const int64_t axis = call.arguments.integer(0);
  require<AxisError>(axis >= -1 && axis < a.ndim(), "axis {} is out of bounds for array of dimension {}", axis,
                     a.ndim());
  require<ValueError>(lanes_of(a, call.arguments).n > 0, "attempt to get {} of an empty sequence",
                      routine_name<largest>);
  results[0].dtype = DType::int64;
  if (axis < 0) return;
  results[0].shape = a.shape;
  results[0].shape.erase(static_cast<size_t>(axis));
}

template <bool largest>
ops::Cost cost_of_extreme(const ops::CallView& call) {
  const View& a = call.operand(0);
  return ops::cost_by_element(routine_name<largest>, a.size(), 0.3, static_cast<double>(a.itemsize()));
}

template <bool largest>
void add(Table& table, std::string_view doc) {
  table.add({.routine = {.name = routine_name<largest>,
                         .doc = doc,
                         .parameters = {{"a"}, {"axis", ops::ParameterKind::integer, -1}},
                         .infer = infer_extreme<largest>,
                         .cost = cost_of_extreme<largest>},
             .on_host = find_on_host<largest>,
             .on_device = find_on_device<largest>,
             .suits_device = extreme_suits_device,
             .in_parts = extreme_in_parts});
}

}  // namespace

void add_extreme(Table& table) {
  add<true>(table, "The index of the first largest element along an axis; the first NaN is the largest.");
  add<false>(table, "The index of the first smallest element along an axis; the first NaN is the smallest.");
}

}  // namespace tessera::routines
