// scan: cumulative sums and their like along an axis.
#include "tessera/routines/scan/scan.h"

#include <cstring>
#include <tuple>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/eager/reduction.h"
#include "tessera/eager/scan.h"
#include "tessera/library/host/copy.h"
#include "tessera/ops/eager_loop.h"
#include "tessera/ops/op.h"
#include "tessera/routines/list.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// The arguments are the library's operation, the axis and the type of the result.
struct Wanted {
  ScanKind kind;
  AxisLanes lanes;
  Wanted(const View& a, const ops::Arguments& arguments)
      : kind{static_cast<library::ScanOp>(arguments.integer(0)), a.dtype, arguments.dtype(2)},
        lanes(a, static_cast<int>(arguments.integer(1))) {}
};

using Stage = PartOfCall::Stage;

/// Whether the rows follow from a row of results before them.
bool has_row_before(const PartOfCall* part) { return part && part->stage == Stage::follows && part->totals; }

/// As if the row of results before stood before the first of the rows.
void scan_after_row(const CallBase& call, const Wanted& wanted) {
  const Elements &a = call.operand(), &out = call.result();
  const auto [outer, n, inner] = std::tuple(wanted.lanes.outer, wanted.lanes.n, wanted.lanes.inner);
  const auto row = static_cast<size_t>(inner * itemsize(out.dtype()));
  std::memcpy(out.data, a.data, row * static_cast<size_t>(n));
  std::vector<char> both(2 * row);
  std::memcpy(both.data(), call.part->totals, row);
  std::memcpy(both.data() + row, a.data, row);
  library::scan(wanted.kind.op, both.data(), out.dtype(), outer, 2, inner, both.data());
  std::memcpy(out.data, both.data() + row, row);
  library::scan(wanted.kind.op, out.data, out.dtype(), outer, n, inner, out.data);
}

void scan_after_row(DeviceCall& call, const Wanted& wanted) {
  const Elements &a = call.operand(), &out = call.result();
  const int64_t inner = wanted.lanes.inner, n = wanted.lanes.n;
  const auto row = static_cast<size_t>(inner * itemsize(out.dtype()));
  runtime::Stream& stream = call.launcher.device().stream();
  const Ref<runtime::Buffer> rows = call.launcher.allocate(n * inner, out.dtype()),
                             two = call.launcher.allocate(2 * inner, out.dtype()),
                             scanned = call.launcher.allocate(2 * inner, out.dtype());
  stream.copy(rows->data(), a.data, row * static_cast<size_t>(n));
  stream.copy(two->data(), call.part->totals, row);
  stream.copy(two->data() + row, a.data, row);
  scan_lanes(call.launcher, wanted.kind, {1, 2, inner}, two->data(), scanned->data());
  stream.copy(rows->data(), scanned->data() + row, row);
  scan_lanes(call.launcher, wanted.kind, wanted.lanes, rows->data(), out.data);
}

void scan_on_host(HostCall& call) {
  const Elements &a = call.operand(), &out = call.result();
  const Wanted wanted(a.view, call.arguments);
  const AxisLanes& lanes = wanted.lanes;
  if (has_row_before(call.part)) return scan_after_row(call, wanted);
  const PartOfCall* onward = call.part && call.part->stage != Stage::follows ? call.part : nullptr;
  const bool casts = a.dtype() != out.dtype();
  if (casts && !(onward && onward->stage == Stage::goes_on)) library::copy_view(a.data, a.view, out.data, out.view);
  if (onward) {
    const library::ScanRows rows{lanes.n, lanes.inner, onward->begin / library::scan_chunk};
    if (onward->stage == Stage::begins)
      library::scan_rows_apart(wanted.kind.op, casts ? out.data : a.data, out.dtype(), rows, onward->totals, out.data);
    else
      library::scan_onward(wanted.kind.op, out.dtype(), rows, onward->totals, out.data);
    return;
  }
  library::scan(wanted.kind.op, casts ? out.data : a.data, out.dtype(), lanes.outer, lanes.n, lanes.inner, out.data);
}

void scan_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const Wanted wanted(a.view, call.arguments);
  if (has_row_before(call.part)) return scan_after_row(call, wanted);
  if (call.part && call.part->stage != Stage::follows)
    return scan_onward(call.launcher, wanted.kind, wanted.lanes, a.data, call.result().data, *call.part);
  scan_lanes(call.launcher, wanted.kind, wanted.lanes, a.data, call.result().data);
}

/// Of sums and products of floats: those that the same steps one by one would have.
uint32_t scan_events(const CallBase& call, uint32_t watched) {
  const Elements &a = call.operand(), &out = call.result();
  const auto op = static_cast<library::ScanOp>(call.arguments.integer(0));
  const bool adds = op == library::ScanOp::add, is_exact = is_integer(out.dtype()) || is_boolean(out.dtype());
  if (is_exact || !(adds || op == library::ScanOp::multiply)) return 0;
  const ops::EagerLoop* loop =
      ops::EagerLoop::uniform(*ops::OpTable::standard().find(adds ? "add" : "multiply"), out.dtype());
  const eager::HostView result{out.data, out.view};
  if (!eager::needs_watching(*loop, result)) return 0;
  const bool casts = a.dtype() != out.dtype();
  std::vector<char> converted(casts ? static_cast<size_t>(out.size() * out.view.itemsize()) : 0);
  if (casts) library::copy_view(a.data, a.view, converted.data(), out.view);
  const eager::HostView source{casts ? converted.data() : a.data, casts ? out.view : a.view};
  const bool underflow = (watched & ir::event_underflow) != 0;
  uint32_t events = 0;
  if (has_row_before(call.part)) {  // the first step is from that row
    const auto row = static_cast<size_t>(a.view.size() / a.view.shape[0] * a.view.itemsize());
    std::vector<char> given(2 * row), made(2 * row);
    std::memcpy(given.data() + row, a.data, row);
    std::memcpy(made.data(), call.part->totals, row);
    std::memcpy(made.data() + row, out.data, row);
    View two = a.view;
    two.shape[0] = 2;
    events = eager::scan_events(*loop, {given.data(), two}, 0, {made.data(), two}, underflow);
  }
  return watched &
         (events | eager::scan_events(*loop, source, static_cast<int>(call.arguments.integer(1)), result, underflow));
}

void infer_scan(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View& a = call.operand(0);
  const int64_t op = call.arguments.integer(0), axis = call.arguments.integer(1), dtype = call.arguments.integer(2);
  require<ValueError>(op >= 0 && op <= static_cast<int>(library::ScanOp::logical_xor), "scan: no operation {}", op);
  require<AxisError>(axis >= 0 && axis < a.ndim(), "axis {} is out of bounds for {} dimensions", axis, a.ndim());
  require<ValueError>(dtype >= 0 && dtype < dtype_count, "scan: no dtype {}", dtype);
  const ScanKind kind = Wanted(a, call.arguments).kind;
  require<TypeError>(library::has_scan(kind.op, kind.dtype), "scan: no loop for dtype {}", kind.dtype);
  results[0] = {a.shape, kind.dtype};
}

/// Along the first axis rows go on from those before.
std::optional<Parts> scan_in_parts(const ops::CallView& call) {
  const View& a = call.operand(0);
  const Wanted wanted(a, call.arguments);
  if (call.arguments.integer(1) > 0) return Parts{.axes = {0}};
  if (!library::may_scan_onward(wanted.kind.op, wanted.kind.dtype, a.shape[0])) {
    // In one order: first to last, without chunks.
    const bool is_in_order = a.shape[0] <= library::scan_in_order || !library::scan_rounds(wanted.kind.op, a.dtype);
    return is_in_order && a.dtype == wanted.kind.dtype ? std::optional(Parts{.axes = {0}, .follows = true})
                                                       : std::nullopt;
  }
  return Parts{.axes = {0},
               .together = scan_rows_together(wanted.kind.dtype, wanted.lanes.inner),
               .total_nbytes = wanted.lanes.inner * itemsize(wanted.kind.dtype),
               .slabs_a_total = library::scan_chunk};
}

ops::Cost cost_of_scan(const ops::CallView& call) {
  const View& a = call.operand(0);
  const double moved = 2.0 * static_cast<double>(a.itemsize() + itemsize(call.arguments.dtype(2)));
  return ops::cost_by_element("scan", a.size(), 1, moved);
}

}  // namespace

void add_scan(Table& table) {
  using ops::ParameterKind;
  table.add({.routine = {.name = "scan",
                         .doc = "The elements combined with all before them along an axis.",
                         .parameters = {{"a"},
                                        {"operation", ParameterKind::integer},
                                        {"axis", ParameterKind::integer},
                                        {"dtype", ParameterKind::integer}},
                         .infer = infer_scan,
                         .cost = cost_of_scan},
             .on_host = scan_on_host,
             .on_device = scan_on_device,
             .suits_device =
                 [](const ops::CallView& call) {
                   return call.operand(0).size() > 0 && suits_device(Wanted(call.operand(0), call.arguments).kind);
                 },
             .events = scan_events,
             .events_name = "accumulate",
             .in_parts = scan_in_parts});
}

}  // namespace tessera::routines
