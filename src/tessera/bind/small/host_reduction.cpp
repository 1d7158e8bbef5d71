#include "tessera/bind/small/host_reduction.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/convert/convert_rows.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/small/finite.h"
#include "tessera/bind/small/reduction_events.h"
#include "tessera/library/host/scan.h"

namespace tessera::bind {

namespace {

constexpr int64_t tree_limit = 8192;  // elements of one tree sum

/// acc = op(acc, x) where the mask is true, else acc; writes the results to `next`.
uint32_t run_masked(const EagerLoop& loop, int64_t size, const RowWalk& rows, char* const* pointers) {
  uint32_t events = 0;
  rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t n) {
    constexpr int64_t none[3] = {};
    for (int64_t i = 0; i < n; ++i) {
      char* one[] = {at[0] + i * steps[0], at[1] + i * steps[1], at[2] + i * steps[2]};
      if (at[3][i * steps[3]]) {
        loop.run(one, none, 1);
        events |= loop.events(one, none, 1);
      } else {
        std::memcpy(one[2], one[0], size);
      }
    }
  });
  return events;
}

/// Advances an index over `extents` in C order; false after the last one.
bool advance(Dims& index, const Dims& extents) {
  for (size_t axis = extents.size(); axis-- > 0;) {
    if (++index[axis] < extents[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

void report(uint32_t events, const char* method) {
  if (events) handle_events(events, method, error_state());
}

char* start_of(const Array& array) { return const_cast<char*>(Engine::instance().read(array)); }

/// Whether a packed result may show that floating-point events occurred.
bool needs_watching(const EagerLoop& loop, const Array& result) {
  if (loop.errors() == ir::ErrorRule::none) return false;
  if (is_integer(result.dtype())) return true;
  return !all_finite(result.dtype(), start_of(result), result.size());
}

/// The floating-point events of the slices that reduce_slices reduced.
uint32_t events_of_slices(const Array& source, std::span<const int64_t> starts, int axis, const Array& result) {
  std::array<int, 1> axes{axis};
  View from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  std::array<Dims, 2> strides{to.strides, from.strides};
  RowWalk rows(from.shape, strides);
  const int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis];
  uint32_t events = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t end = i + 1 < starts.size() ? starts[i + 1] : source.shape()[axis];
    char* pointers[] = {start_of(result) + static_cast<int64_t>(i) * y_step, start_of(source) + starts[i] * x_step};
    rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t n) {
      for (int64_t k = 0; k < n; ++k) {
        events |= reduction_events(source.dtype(), at[0] + k * steps[0], at[1] + k * steps[1], x_step,
                                   std::max<int64_t>(1, end - starts[i]));
      }
    });
  }
  return events;
}

/// The reduction in place: fast, but events can be found only from the result.
void reduce_unwatched(const EagerLoop& loop, const Array& source, std::span<const int> axes, bool started,
                      Array& result) {
  View kept = without_axes(source.view, axes);
  const Dims& packed = result.view.strides;
  std::array<Dims, 3> strides{packed, kept.strides, packed};
  RowWalk rows(kept.shape, strides);
  char* base = start_of(source);
  char* total = Engine::instance().write(result);
  Dims extents, index(axes.size());
  for (int axis : axes) extents.push_back(source.shape()[axis]);
  do {
    int64_t offset = 0;
    for (size_t k = 0; k < axes.size(); ++k) offset += index[k] * source.view.strides[axes[k]];
    if (started) {
      char* pointers[] = {total, base + offset, total};
      loop.run_unwatched(rows, pointers);
    } else {
      convert_rows(kept.shape, {source.dtype(), base + offset, kept.strides}, {source.dtype(), total, packed});
      started = true;
    }
  } while (advance(index, extents));
}

/// The reduction with two alternating accumulators, so that events are found from the operands of each step; `where`
/// may be null.
uint32_t reduce_watched(const EagerLoop& loop, const Array& source, std::span<const int> axes, bool started,
                        const Operand* where, Array& result) {
  Engine& engine = Engine::instance();
  DType type = source.dtype();
  View kept = without_axes(source.view, axes);
  Array mask = !where ? Array{} : where->is_scalar() ? engine.full({}, where->scalar) : where->array;
  if (mask) mask.view = mask.view.broadcast_to(source.shape());
  View mask_kept = mask ? without_axes(mask.view, axes) : kept;
  Array other = engine.empty(kept.shape, type, Order::k, &result.view);
  const Dims& packed = result.view.strides;
  std::array<Dims, 4> strides{packed, kept.strides, packed, mask_kept.strides};
  RowWalk rows(kept.shape, std::span<const Dims>(strides).first(mask ? 4 : 3));
  char* base = start_of(source);
  char* mask_base = mask ? start_of(mask) : nullptr;
  char* total = engine.write(result);
  char* next = engine.write(other);
  Dims extents, index(axes.size());
  for (int axis : axes) extents.push_back(source.shape()[axis]);
  uint32_t events = 0;
  do {
    int64_t offset = 0, mask_offset = 0;
    for (size_t k = 0; k < axes.size(); ++k) {
      offset += index[k] * source.view.strides[axes[k]];
      if (mask) mask_offset += index[k] * mask.view.strides[axes[k]];
    }
    if (!started) {
      convert_rows(kept.shape, {type, base + offset, kept.strides}, {type, total, packed});
      started = true;
      continue;
    }
    char* pointers[] = {total, base + offset, next, mask_base + mask_offset};
    events |= mask ? run_masked(loop, itemsize(type), rows, pointers) : loop.run(rows, pointers);
    std::swap(total, next);
    std::swap(result, other);
  } while (advance(index, extents));
  return events;
}

/// total += the tree sum of n elements, `step` bytes apart, at every index of the rows.
void add_trees(const EagerLoop& loop, ir::ReduceLoop tree, const RowWalk& rows, char* const* pointers, int64_t step,
               int64_t n) {
  constexpr int64_t none[3] = {};
  rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      char* total = at[0] + i * steps[0];
      for (int64_t k = 0; k < n; k += tree_limit) {
        alignas(16) char sum[16];
        tree(at[1] + i * steps[1] + k * step, step, std::min(tree_limit, n - k), sum);
        char* one[] = {total, sum, total};
        loop.run(one, none, 1);
      }
    }
  });
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
  return library::scan(*scan, start_of(source), source.dtype(), outer, source.shape()[axis], inner,
                       Engine::instance().write(result));
}

/// The scan by the routine, which takes dense arrays of types that it has loops for; else nothing.
std::optional<Array> call_scan(const ops::Op& op, const Array& source, int axis, DType dtype) {
  const auto scan = library::scan_from_name(op.name);
  if (!scan || source.size() == 0 || !source.view.is_c_contiguous() || !library::has_scan(*scan, dtype)) return {};
  return Engine::instance().call("scan", {source}, {static_cast<int>(*scan), axis, dtype}, current_context());
}

}  // namespace

const ops::Signature& reduction_signature(const ops::Op& op, DType source, std::optional<DType> dtype,
                                          std::optional<DType> out) {
  bool sums = op.name == "add" || op.name == "multiply";
  DType first = dtype ? *dtype : out ? *out : source;
  DType second = dtype ? *dtype : source;
  if (!dtype && !out && sums && (is_boolean(source) || is_integer(source)) && itemsize(source) < 8) {
    first = second = is_unsigned_integer(source) ? DType::uint64 : DType::int64;
  }
  auto reductions = [](const ops::Signature& s) { return s.in[0] == s.in[1] && s.in[0] == s.out[0]; };
  if (first == second) {
    const EagerLoop* loop = EagerLoop::uniform(op, first);
    if (loop && reductions(loop->signature())) return loop->signature();
  }
  std::array<ops::OperandType, 2> types{{{first}, {second}}};
  const ops::Signature& chosen = ops::resolve(op, types);
  if (reductions(chosen)) return chosen;
  // The logical ops reduce the truth values of their operands; comparisons reduce only booleans.
  bool any_type = op.reduce.has_value() && (!dtype || dtype == DType::boolean);
  for (const ops::Signature& s : op.signatures) {
    if (reductions(s) && (any_type || source == s.in[0])) return s;
  }
  throw TypeError(format("No loop matching the specified signature and casting was found for ufunc {}", op.name));
}

Array reduce_axes(const ops::Op& op, const ops::Signature& signature, const Array& source, std::span<const int> axes,
                  const std::optional<Scalar>& initial, const std::optional<Operand>& where) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  Engine& engine = Engine::instance();
  const View kept = without_axes(source.view, axes);
  auto begin = [&] {
    Array total = engine.empty(kept.shape, signature.in[0], Order::k, &kept);
    if (initial) engine.assign(total, Operand(*initial), {});
    return total;
  };
  Array result = begin();
  if (source.size() == 0) return result;
  if (!where) reduce_unwatched(loop, source, axes, initial.has_value(), result);
  if (where || needs_watching(loop, result)) {
    result = begin();
    report(reduce_watched(loop, source, axes, initial.has_value(), where ? &*where : nullptr, result), "reduce");
  }
  return result;
}

Array scan_axis(const ops::Op& op, const ops::Signature& signature, const Array& source, int axis) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  if (auto done = call_scan(op, source, axis, signature.in[0])) {
    // What a device makes is not waited for.
    if (loop.errors() != ir::ErrorRule::none && !Engine::instance().device_of(*done))
      report_running(loop, source, axis, *done);
    return *std::move(done);
  }
  Array result = Engine::instance().empty(source.shape(), signature.in[0], Order::k, &source.view);
  if (source.size() == 0) return result;
  std::array<int, 1> axes{axis};
  View from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  std::array<Dims, 3> strides{to.strides, from.strides, to.strides};
  RowWalk rows(from.shape, strides);
  char* x = start_of(source);
  char* y = Engine::instance().write(result);
  int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis], n = source.shape()[axis];
  if (try_scan(op, source, axis, result)) {
    x = start_of(source);
    y = Engine::instance().write(result);
  } else {
    convert_rows(from.shape, {source.dtype(), x, from.strides}, {source.dtype(), y, to.strides});
    for (int64_t k = 1; k < n; ++k) {
      char* pointers[] = {y + (k - 1) * y_step, x + k * x_step, y + k * y_step};
      loop.run_unwatched(rows, pointers);
    }
  }
  report_running(loop, source, axis, result);
  return result;
}

void report_running(const EagerLoop& loop, const Array& source, int axis, const Array& result) {
  if (source.size() == 0 || !needs_watching(loop, result)) return;
  std::array<int, 1> axes{axis};
  View from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  std::array<Dims, 3> strides{to.strides, from.strides, to.strides};
  RowWalk rows(from.shape, strides);
  char* x = start_of(source);
  char* y = start_of(result);
  const int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis];
  uint32_t events = 0;
  for (int64_t k = 1; k < source.shape()[axis]; ++k) {
    char* pointers[] = {y + (k - 1) * y_step, x + k * x_step, y + k * y_step};
    events |= loop.find_events(rows, pointers);
  }
  report(events, "accumulate");
}

Array reduce_slices(const ops::Op& op, const ops::Signature& signature, const Array& source,
                    std::span<const int64_t> starts, int axis) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  std::array<int, 1> axes{axis};
  Dims shape = source.shape();
  shape[axis] = static_cast<int64_t>(starts.size());
  DType type = signature.in[0];
  Array result = Engine::instance().empty(shape, type);
  if (result.size() == 0) return result;
  View from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  std::array<Dims, 3> strides{to.strides, from.strides, to.strides};
  RowWalk rows(from.shape, strides);
  char* x = start_of(source);
  char* y = Engine::instance().write(result);
  int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis], length = source.shape()[axis];
  bool sums = op.name == "add" && (is_floating(type) || is_complex(type));
  ir::ReduceLoop tree = sums ? ir::find_reduce_loop(ir::ReduceKind::add, ir::ReduceOrder::pairwise, type) : nullptr;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t begin = starts[i], end = i + 1 < starts.size() ? starts[i + 1] : length;
    char* total = y + static_cast<int64_t>(i) * y_step;
    char* first = x + begin * x_step;
    convert_rows(from.shape, {type, first, from.strides}, {type, total, to.strides});
    char* pointers[] = {total, first + x_step, total};
    if (tree && end > begin + 1) {
      add_trees(loop, tree, rows, pointers, x_step, end - begin - 1);
      continue;
    }
    for (int64_t k = begin + 1; k < end; ++k, pointers[1] += x_step) loop.run_unwatched(rows, pointers);
  }
  if (!is_integer(type) && needs_watching(loop, result))
    report(events_of_slices(source, starts, axis, result), "reduceat");
  return result;
}

void report_total(const Array& source, const Array& total) {
  if (all_finite(total.dtype(), start_of(total), total.size())) [[likely]]
    return;
  const Array packed = Engine::instance().contiguous(source);
  report(reduction_events(total.dtype(), start_of(total), start_of(packed), packed.view.itemsize(), packed.size()),
         "reduce");
}

}  // namespace tessera::bind
