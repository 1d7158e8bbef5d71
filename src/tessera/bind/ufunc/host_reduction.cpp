#include "tessera/bind/ufunc/host_reduction.h"

#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/reduction.h"
#include "tessera/eager/reduction_events.h"
#include "tessera/eager/scan.h"
#include "tessera/eager/small_reduce.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::bind {

namespace {

using eager::HostView;
using ops::EagerLoop;

/// The array's elements, settled on the host.
HostView settled(const Array& array) { return {const_cast<char*>(Engine::instance().read(array)), array.view}; }
HostView settled_for_writing(const Array& array) { return {Engine::instance().write(array), array.view}; }

bool is_extreme(ir::ReduceKind kind) {
  return kind == ir::ReduceKind::min || kind == ir::ReduceKind::max || kind == ir::ReduceKind::min_num ||
         kind == ir::ReduceKind::max_num;
}

/// The smallest or largest element of all of a large contiguous array of floats.
std::optional<Array> try_whole_extreme(const ops::Op& op, DType type, const Array& source, size_t axes) {
  const auto kind = ops::reduce_kind_of(op, type);
  if (!kind || !is_extreme(*kind) || axes != source.shape().size() || source.dtype() != type || !is_floating(type) ||
      !source.view.is_c_contiguous() || source.size() <= eager::reduce_limit)
    return {};
  const ir::ReduceLoop reduction = ir::find_reduce_loop(*kind, ir::ReduceOrder::sequential, type);
  if (!reduction) return {};
  const int64_t n = source.size();
  const char* data = eager::first_element(source);
  Array result = Engine::instance().empty({}, type);
  char* total = Engine::instance().write(result);
  without_gil(n, [&] { eager::reduce_whole(reduction, data, itemsize(type), n, total); });
  return result;
}

bool try_scan(const ops::Op& op, const Array& source, int axis, Array& result) {
  auto scan = library::scan_from_name(op.name);
  if (!scan) return false;
  if (!source.view.is_c_contiguous()) {
    // A long sum is computed in chunks, whatever its layout.
    if (!library::scan_rounds(*scan, source.dtype()) || source.shape()[axis] <= library::scan_in_order) return false;
    Array packed = Engine::instance().empty(source.shape(), source.dtype());
    if (!try_scan(op, Engine::instance().contiguous(source), axis, packed)) return false;
    Engine::instance().assign(result, packed, {});
    return true;
  }
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < source.ndim(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : source.shape()[i];
  return library::scan(*scan, Engine::instance().read(source), source.dtype(), outer, source.shape()[axis], inner,
                       Engine::instance().write(result));
}

/// Handles the events of such a scan, however it was computed.
void report_running(const EagerLoop& loop, const Array& source, int axis, const Array& result) {
  if (source.size() == 0 || loop.errors() == ir::ErrorRule::none) return;
  const HostView computed = settled(result);
  if (!eager::needs_watching(loop, computed)) return;
  handle_events(eager::scan_events(loop, settled(source), axis, computed, watches_underflow()), "accumulate");
}

/// The scan by the routine, which takes dense arrays of types that it has loops for; else nothing.
std::optional<Array> call_scan(const ops::Op& op, const Array& source, int axis, DType dtype) {
  const auto scan = library::scan_from_name(op.name);
  if (!scan || source.size() == 0 || !source.view.is_c_contiguous() || !library::has_scan(*scan, dtype)) return {};
  return scan_by_routine(*scan, source, axis, dtype);
}

}  // namespace

std::optional<Array> try_reduce_at_once(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                        std::span<const int> axes, const std::optional<Scalar>& initial) {
  if (!Engine::instance().at_once(source)) return {};
  if (!initial) {
    if (auto extreme = try_whole_extreme(op, signature.in[0], source, axes.size())) return extreme;
  }
  auto reduced = eager::try_reduce(op, signature, source, axes, initial, watches_underflow());
  if (!reduced) return {};
  handle_events(reduced->events, "reduce");
  return std::move(reduced->array);
}

Array reduce_axes(const ops::Op& op, const ops::Signature& signature, const Array& source, std::span<const int> axes,
                  const std::optional<Scalar>& initial, const std::optional<Operand>& where) {
  Engine& engine = Engine::instance();
  const View kept = without_axes(source.view, axes);
  const Array result = engine.empty(kept.shape, signature.in[0], Order::k, &kept);
  Array mask = !where ? Array{} : where->is_scalar() ? engine.full({}, where->scalar) : where->array;
  if (mask) mask.view = mask.view.broadcast_to(source.shape());
  const HostView from = settled(source), to = settled_for_writing(result);
  const HostView chosen{mask ? settled(mask).data : nullptr, mask.view};
  const uint32_t events = eager::reduce_axes(EagerLoop::of(op, signature), from, axes, initial ? &*initial : nullptr,
                                             mask ? &chosen : nullptr, to, watches_underflow());
  handle_events(events, "reduce");
  return result;
}

Array scan_axis(const ops::Op& op, const ops::Signature& signature, const Array& source, int axis) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  if (auto done = call_scan(op, source, axis, signature.in[0])) return *std::move(done);
  Array result = Engine::instance().empty(source.shape(), signature.in[0], Order::k, &source.view);
  if (source.size() == 0) return result;
  if (!try_scan(op, source, axis, result)) eager::scan_axis(loop, settled(source), axis, settled_for_writing(result));
  report_running(loop, source, axis, result);
  return result;
}

Array scan_by_routine(library::ScanOp op, const Array& source, int axis, DType dtype) {
  static const ops::Routine& routine = Engine::routine("scan");
  const Context context = current_context();
  const bool waits = may_wait(context.errors);
  if (!waits) deliver_reports();
  Array result =
      Engine::instance().call_for_one(routine, std::span(&source, 1), {static_cast<int>(op), axis, dtype}, context);
  waits ? deliver_reports() : finish_events(context.errors);
  return result;
}

Array reduce_slices(const ops::Op& op, const ops::Signature& signature, const Array& source,
                    std::span<const int64_t> starts, int axis) {
  Dims shape = source.shape();
  shape[axis] = static_cast<int64_t>(starts.size());
  const Array result = Engine::instance().empty(shape, signature.in[0]);
  if (result.size() == 0) return result;
  const HostView from = settled(source), to = settled_for_writing(result);
  handle_events(eager::reduce_slices(op, EagerLoop::of(op, signature), from, starts, axis, to), "reduceat");
  return result;
}

void report_total(const Array& source, const Array& total) {
  const char* result = Engine::instance().read(total);
  if (eager::all_finite(total.dtype(), result, total.size())) [[likely]]
    return;
  const Array packed = Engine::instance().contiguous(source);
  const char* data = Engine::instance().read(packed);
  handle_events(eager::reduction_events(total.dtype(), result, data, packed.view.itemsize(), packed.size()), "reduce");
}

}  // namespace tessera::bind
