#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/index_fancy.h"
#include "tessera/bind/index/store.h"

namespace tessera::bind {

View in_result_order(const View& packed, const FancySelection& selection) {
  auto axes = selection.result_axes();
  if (std::is_sorted(axes.begin(), axes.end())) return packed;
  return packed.transpose({axes.data(), axes.size()});
}

namespace {

Dims joined(const Dims& a, const Dims& b) {
  Dims all = a;
  for (int64_t extent : b) all.push_back(extent);
  return all;
}

/// The inverse of in_result_order: a value of the result's shape with the index arrays' axes moved to the front.
View with_fancy_first(const View& view, const FancySelection& selection) {
  auto order = selection.result_axes();
  if (std::is_sorted(order.begin(), order.end())) return view;
  SmallVector<int, 8> inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k) inverse[order[k]] = static_cast<int>(k);
  return view.transpose({inverse.data(), inverse.size()});
}

}  // namespace

Array separate_value(const Array& destination, const Operand& value) {
  Engine& engine = Engine::instance();
  if (value.is_scalar()) return engine.full({}, value.scalar.cast_to(destination.dtype()));
  if (value.array.storage == destination.storage) return copy_array(value.array, destination.dtype(), Order::k);
  if (value.array.dtype() == destination.dtype()) return value.array;
  return copy_array(value.array, destination.dtype(), Order::k);
}

namespace {

/// Broadcasts a value to a result's shape, with the error message of an assignment.
View spread_value(const View& value, const Dims& shape) {
  View trimmed = value;
  while (trimmed.ndim() > static_cast<int>(shape.size()) && trimmed.shape[0] == 1) trimmed = trimmed.select(0, 0);
  try {
    return trimmed.broadcast_to(shape);
  } catch (const ShapeError&) {
    throw ValueError(
        format("shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
               shape_text(value.shape), shape_text(shape)));
  }
}

/// Whether the routines have nothing to do. Indices of empty blocks are checked.
bool is_empty(FancySelection& selection) {
  if (selection.count > 0 && selection.inner.size() == 0) {
    settle_fancy(selection);
    check_fancy(selection);
  }
  return selection.count == 0 || selection.inner.size() == 0;
}

}  // namespace

Array gather_fancy(const Array& source, const ParsedIndex& index) {
  static const ops::Routine& gather = Engine::routine("gather");
  if (const Array* mask = whole_mask(index, source.shape())) return gather_mask(source, *mask);
  FancySelection selection = select_fancy(index, source.view, true);
  if (is_empty(selection)) {
    const Array none = Engine::instance().empty(joined(selection.fancy_shape, selection.inner.shape), source.dtype());
    return none.with_view(in_result_order(none.view, selection));
  }
  const IndexedRows rows(source, selection, false);
  Array picked;
  Engine::instance().call(gather, rows.operands, rows.arguments, Context{.site = call_site()}, std::span(&picked, 1));
  deliver_reports();
  picked.view = rows.from_memory_order(picked.view, static_cast<int>(selection.fancy_shape.size()));
  return picked.with_view(in_result_order(picked.view, selection));
}

void scatter_fancy(const Array& destination, const ParsedIndex& index, const Operand& given) {
  static const ops::Routine& scatter = Engine::routine("scatter");
  if (const Array* mask = whole_mask(index, destination.shape())) return scatter_mask(destination, *mask, given);
  Array value = separate_value(destination, given);
  FancySelection selection = select_fancy(index, destination.view, false);
  const View packed = View::contiguous(joined(selection.fancy_shape, selection.inner.shape), destination.dtype());
  const View spread = spread_value(value.view, in_result_order(packed, selection).shape);
  if (is_empty(selection)) return;
  IndexedRows rows(destination, selection, true);
  if (value.size() > 1)
    value.view =
        rows.to_memory_order(with_fancy_first(spread, selection), static_cast<int>(selection.fancy_shape.size()));
  rows.operands[1] = std::move(value);
  Engine::instance().call(scatter, rows.operands, rows.arguments, Context{.site = call_site()}, {});
  deliver_reports();
}

}  // namespace tessera::bind
