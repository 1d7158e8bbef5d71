#include "tessera/eager/small_reduce.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/base/mutex.h"
#include "tessera/eager/convert_rows.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/reduction.h"
#include "tessera/eager/reduction_events.h"
#include "tessera/layout/axis_order.h"
#include "tessera/layout/row_walk.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::eager {

namespace {

constexpr int64_t elements_a_thread = 1 << 17;

/// A dense copy of the source in the loop's type.
std::optional<Array> converted(const Array& source, DType type) {
  if (!can_convert(source.dtype(), type)) return {};
  Array copy = make_array(layout_like(source.shape(), type, source.view));
  convert_rows(source.shape(), {source.dtype(), first_element(source), source.view.strides},
               {type, first_element(copy), copy.view.strides});
  return copy;
}

/// Reduces each row of `length` elements to one element; the rows start at the elements of `kept`.
Reduced reduce_rows(const ops::Op& op, ir::ReduceKind kind, ir::ReduceLoop reduction, const Array& source,
                    const View& kept, int64_t length, int64_t step) {
  DType type = source.dtype();
  bool tree = kind == ir::ReduceKind::add && (is_floating(type) || is_complex(type));
  Array result = make_array(layout_like(kept.shape, type, kept));
  int64_t size = itemsize(type);
  uint32_t events = 0;
  std::array<char*, 2> pointers{first_element(source), first_element(result)};
  std::array<Dims, 2> strides{kept.strides, result.view.strides};
  walk_rows(kept.shape, pointers, strides, [&](char* const* at, const int64_t* steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      char* row = at[0] + i * steps[0];
      char* out = at[1] + i * steps[1];
      if (tree) {
        reduction(row, step, length, out);
      } else {
        std::copy_n(row, size, out);
        reduction(row + step, step, length - 1, out);
      }
      if (op.errors != ir::ErrorRule::none) events |= reduction_events(type, out, row, step, length);
    }
  });
  return {std::move(result), events};
}

/// Joins the initial value with every result.
Reduced begun_with(const ops::Op& op, const ops::Signature& signature, const Scalar& initial, const Reduced& result,
                   bool underflow) {
  const ops::EagerLoop& loop = ops::EagerLoop::of(op, signature);
  const View& view = result.array.view;
  Array joined = make_array(layout_like(view.shape, view.dtype, view));
  std::array<char*, 3> pointers{const_cast<char*>(reinterpret_cast<const char*>(initial.bytes)),
                                first_element(result.array), first_element(joined)};
  std::array<Dims, 3> strides{Dims(view.shape.size()), view.strides, joined.view.strides};
  const uint32_t events = loop.run(RowWalk(view.shape, strides), pointers.data(), underflow);
  return {std::move(joined), result.events | events};
}

/// The axes from the outermost in memory to the innermost, those of one element first; along which nothing advances,
/// they stay where they are.
SmallVector<int, 8> axes_in_memory(const View& view) {
  SmallVector<int, 8> order;
  for (const bool is_one : {true, false})
    for (int axis = 0; axis < view.ndim(); ++axis)
      if ((view.shape[static_cast<size_t>(axis)] == 1) == is_one) order.push_back(axis);
  const auto stride = [&](size_t at) { return std::abs(view.strides[static_cast<size_t>(order[at])]); };
  const auto is_long = [&](size_t at) { return view.shape[static_cast<size_t>(order[at])] > 1; };
  for (size_t from = 1; from < order.size(); ++from)
    for (size_t at = from; at > 0 && is_long(at - 1) && stride(at) > stride(at - 1) && stride(at - 1) > 0; --at)
      std::swap(order[at], order[at - 1]);
  return order;
}

/// The reduction over axes of which the last one is the innermost in memory.
std::optional<Reduced> reduce_in_order(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                       std::span<const int> axes, const std::optional<Scalar>& initial,
                                       bool underflow) {
  DType type = signature.in[0];
  int ndim = source.ndim();
  if (ndim == 0 && !initial) {  // the reduction of one element is the element
    auto element = converted(source, type);
    return element ? std::optional(Reduced{*std::move(element)}) : std::nullopt;
  }
  if (ndim == 0 || axes.empty()) return {};
  auto kind = ops::reduce_kind_of(op, type);
  bool all = static_cast<int>(axes.size()) == ndim && (ndim == 1 || source.view.is_c_contiguous());
  bool last = axes.size() == 1 && axes[0] == ndim - 1;
  bool columns = axes.back() != ndim - 1;
  if (!all && !last && !columns) return {};
  Array typed = source;
  if (source.dtype() != type) {
    auto copy = converted(source, type);
    if (!copy) return {};
    typed = *std::move(copy);
  }
  Reduced result;
  const View kept = without_axes(typed.view, axes);
  if (columns || !kind) {
    result.array = make_array(layout_like(kept.shape, type, kept));
    result.events = reduce_axes(ops::EagerLoop::of(op, signature), elements_of(typed), axes, nullptr, nullptr,
                                elements_of(result.array), underflow);
  } else {
    bool tree = *kind == ir::ReduceKind::add && (is_floating(type) || is_complex(type));
    ir::ReduceLoop reduction =
        ir::find_reduce_loop(*kind, tree ? ir::ReduceOrder::pairwise : ir::ReduceOrder::sequential, type);
    if (!reduction) return {};
    int64_t length = all ? source.size() : source.shape()[ndim - 1];
    // An axis of one element may have any stride, even in contiguous arrays.
    int64_t step = all && ndim > 1 ? itemsize(type) : typed.view.strides[ndim - 1];
    result = reduce_rows(op, *kind, reduction, typed, kept, length, step);
  }
  if (initial) return begun_with(op, signature, *initial, result, underflow);
  return result;
}

}  // namespace

std::optional<Reduced> try_reduce(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                  std::span<const int> axes, const std::optional<Scalar>& initial, bool underflow) {
  if (!readable(source) || source.size() > reduce_limit) return {};
  const SmallVector<int, 8> order = axes_in_memory(source.view);
  if (std::ranges::is_sorted(order)) return reduce_in_order(op, signature, source, axes, initial, underflow);
  if (axes.size() > 1) return {};  // the engine knows their order
  // Results are those of the order in memory, as the engine's and NumPy's.
  const Array sorted{source.storage, source.view.transpose(order)};
  SmallVector<int, 8> sorted_axes, left(order.size() - axes.size());
  for (size_t at = 0, place = 0; at < order.size(); ++at) {
    if (std::ranges::find(axes, order[at]) != axes.end()) {
      sorted_axes.push_back(static_cast<int>(at));
      continue;
    }
    // Where the axis is in the result.
    const auto before = std::ranges::count_if(axes, [&](int axis) { return axis < order[at]; });
    left[static_cast<size_t>(order[at] - before)] = static_cast<int>(place++);
  }
  std::optional<Reduced> reduced = reduce_in_order(op, signature, sorted, sorted_axes, initial, underflow);
  if (reduced) reduced->array.view = reduced->array.view.transpose(left);
  return reduced;
}

void reduce_whole(ir::ReduceLoop reduction, const char* data, int64_t size, int64_t n, char* total) {
  std::copy_n(data, size, total);
  if (n <= elements_a_thread) return reduction(data, size, n, total);
  Mutex joining;
  auto body = [&](int64_t begin, int64_t end) {
    alignas(16) char part[16];
    std::copy_n(data + begin * size, size, part);
    reduction(data + begin * size, size, end - begin, part);
    std::lock_guard lock(joining);
    reduction(part, size, 1, total);
  };
  runtime::parallel_for(n, elements_a_thread, body);
}

}  // namespace tessera::eager
