#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/dims.h"
#include "tessera/bind/index_fancy.h"
#include "tessera/bind/reports.h"
#include "tessera/bind/small_assign.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/library/host/gather.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::bind {

namespace {

constexpr int64_t bytes_a_thread = 1 << 18;

Dims joined(const Dims& a, const Dims& b) {
  Dims all = a;
  for (int64_t extent : b) all.push_back(extent);
  return all;
}

/// The view of a result whose memory holds the index arrays' axes first.
View in_result_order(const View& packed, const FancySelection& selection) {
  auto axes = selection.result_axes();
  if (std::is_sorted(axes.begin(), axes.end())) return packed;
  return packed.transpose({axes.data(), axes.size()});
}

/// The inverse: a value of the result's shape with the index arrays' axes first.
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

/// Broadcasts a value against a result's shape, in the words of an assignment.
View spread_value(const View& value, const Dims& shape) {
  View trimmed = value;
  while (trimmed.ndim() > static_cast<int>(shape.size()) && trimmed.shape[0] == 1) trimmed = trimmed.select(0, 0);
  try {
    return trimmed.broadcast_to(shape);
  } catch (const ShapeError&) {
    throw ValueError(format("shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
                            shape_text(value.shape), shape_text(shape)));
  }
}

/// The one index array that picks single elements lying side by side, the commonest case; else null.
const FancyAxis* sole_dense_axis(const FancySelection& selection) {
  if (selection.axes.size() != 1 || selection.inner.ndim() > 0) return nullptr;
  const FancyAxis& axis = selection.axes[0];
  return !axis.single && axis.stride == selection.inner.itemsize() ? &axis : nullptr;
}

/// One block: what the other items leave of the source, and the same packed.
library::PickBlock make_block(const FancySelection& selection) {
  View packed = View::contiguous(selection.inner.shape, selection.inner.dtype);
  return {selection.inner, packed, packed.size() * packed.itemsize()};
}

}  // namespace

namespace {

/// Nothing but arrays of integers, for the first axes: all of one shape; else none.
std::vector<Array> leading_indices(const Array& array, const ParsedIndex& index) {
  const size_t count = index.arrays.size();
  if (index.items.size() != count || static_cast<size_t>(array.ndim()) < count) return {};
  std::vector<Array> indices;
  Dims shape;
  try {
    for (const FancyItem& item : index.arrays) shape = broadcast_shapes("", shape, item.array.shape());
  } catch (const ShapeError&) {
    return {};  // select_fancy says so
  }
  for (const FancyItem& item : index.arrays) {
    if (item.is_mask) return {};
    indices.push_back(item.array.with_view(item.array.view.broadcast_to(shape)));
  }
  return indices;
}

/// The array's rows behind its first axes.
Array rows_of(const Array& array, size_t axes) {
  Dims shape{1};
  for (size_t k = 0; k < array.shape().size(); ++k) k < axes ? void(shape[0] *= array.shape()[k]) : shape.push_back(array.shape()[k]);
  const Array dense = Engine::instance().contiguous(array);
  return dense.with_view(*dense.view.try_reshape(shape));
}

/// Taken where the elements are.
std::optional<Array> gather_on_device(const Array& source, const ParsedIndex& index) {
  Engine& engine = Engine::instance();
  const std::vector<Array> indices = leading_indices(source, index);
  if (indices.empty()) return {};
  if (indices.size() == 1) return device_take(engine, source, indices[0], 0, engine::PickMode::raise);
  const std::optional<Array> rows = device_rows(engine, source, indices);
  if (!rows) return {};
  return device_take(engine, rows_of(source, indices.size()), *rows, 0, engine::PickMode::clip);
}

bool scatter_on_device(const Array& destination, const ParsedIndex& index, const Array& value) {
  Engine& engine = Engine::instance();
  const std::vector<Array> indices = leading_indices(destination, index);
  if (indices.empty()) return false;
  const std::optional<Array> rows = device_rows(engine, destination, indices);
  if (!rows) return false;
  const Dims inner(std::span(destination.shape()).subspan(indices.size()));
  View spread = spread_value(value.view, joined(rows->shape(), inner));
  if (value.size() == 1) {
    // One element serves all rows.
    spread = value.view;
    spread.shape = spread.strides = {};
    spread = spread.broadcast_to(inner);
  }
  return device_put(engine, destination, *rows, View::contiguous(inner, destination.dtype()).size(), engine.contiguous(value.with_view(spread)));
}

}  // namespace

Array gather_fancy(const Array& source, const ParsedIndex& index) {
  if (const Array* mask = whole_mask(index, source.shape())) return gather_mask(source, *mask);
  if (auto taken = gather_on_device(source, index)) return *taken;
  FancySelection selection = select_fancy(index, source.view, true);
  Array packed = Engine::instance().empty(joined(selection.fancy_shape, selection.inner.shape), source.dtype());
  const char* from = look(source) - source.view.offset + selection.inner.offset;
  char* to = Engine::instance().write(packed);
  const library::PickBlock block = make_block(selection);
  if (block.step == 0) check_fancy(selection);
  if (const FancyAxis* axis = sole_dense_axis(selection)) {
    const library::IndexAxis picks{axis->data, axis->extent, axis->stride, axis->axis};
    library::gather_elements(from, axis->stride, picks, selection.count, to);
    return packed.with_view(in_result_order(packed.view, selection));
  }
  auto piece = [&](int64_t begin, int64_t end) {
    for_each_offset(selection, begin, end, [&](int64_t first, std::span<const int64_t> offsets) {
      library::gather(from, offsets, block, to + first * block.step);
    });
  };
  if (block.step > 0) runtime::parallel_for(selection.count, std::max<int64_t>(1, bytes_a_thread / block.step), piece);
  return packed.with_view(in_result_order(packed.view, selection));
}

void scatter_fancy(const Array& destination, const ParsedIndex& index, const Operand& given) {
  if (const Array* mask = whole_mask(index, destination.shape())) return scatter_mask(destination, *mask, given);
  Array value = separate_value(destination, given);
  if (scatter_on_device(destination, index, value)) return;
  FancySelection selection = select_fancy(index, destination.view, false);
  check_fancy(selection);
  library::PickBlock block = make_block(selection);
  View packed = View::contiguous(joined(selection.fancy_shape, selection.inner.shape), destination.dtype());
  View spread = spread_value(value.view, in_result_order(packed, selection).shape);
  Array values = value;
  if (value.size() == 1) {
    // One element serves all: the block walks it in place.
    block.packed.strides = Dims(block.packed.shape.size(), 0);
    block.step = 0;
  } else {
    values = Engine::instance().contiguous(value.with_view(with_fancy_first(spread, selection)));
  }
  look(values);  // nothing runs between taking one pointer and the other
  char* to = look_to_write(destination) - destination.view.offset + selection.inner.offset;
  const char* from = look(values);
  if (packed.size() == 0) return;
  for_each_offset(selection, 0, selection.count, [&](int64_t first, std::span<const int64_t> offsets) {
    library::scatter(to, offsets, block, from + first * block.step);
  });
}

}  // namespace tessera::bind
