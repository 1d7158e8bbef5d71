// Advanced indexing on a device: the indexed axes of the source become numbered rows.
#include <algorithm>

#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/index_fancy.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/engine/device/run/library_access.h"

namespace tessera::bind {

namespace {

/// A selection as a layout of rows: block axes with larger strides than the rows' come before them, the others behind.
struct Rows {
  RowLayout layout;
  std::vector<Array> indices;  // of one shape, one for each axis of layout.rows
  std::vector<int> order;      // the blocks' axes, the layout.before axes first
  size_t before = 0;           // the number of those axes
};

/// One index that applies to several rows only changes their offset.
bool is_reduced(const FancyAxis& axis, const FancySelection& selection) { return axis.single && selection.count > 1; }

Rows rows_of(const FancySelection& selection) {
  Rows rows;
  RowLayout& layout = rows.layout;
  layout.before.dtype = layout.rows.dtype = layout.behind.dtype = selection.inner.dtype;
  layout.rows.offset = selection.inner.offset;
  int64_t nearest = INT64_MAX;
  for (const FancyAxis& axis : selection.axes) {
    if (is_reduced(axis, selection)) {
      Array one = axis.numbers;
      const int64_t number = *reinterpret_cast<const int64_t*>(look_nearby(one));
      layout.rows.offset += wrap_index(number, axis.axis, axis.extent) * axis.stride;
      continue;
    }
    layout.rows.shape.push_back(axis.extent);
    layout.rows.strides.push_back(axis.stride);
    rows.indices.push_back(axis.numbers.with_view(View::contiguous(Dims{selection.count}, DType::int64)));
    rows.indices.back().view.offset = axis.numbers.view.offset;
    nearest = std::min(nearest, std::abs(axis.stride));
  }
  const View& inner = selection.inner;
  for (const bool behind : {false, true}) {
    View& part = behind ? layout.behind : layout.before;
    for (int axis = 0; axis < inner.ndim(); ++axis) {
      if ((std::abs(inner.strides[axis]) <= nearest) != behind) continue;
      part.shape.push_back(inner.shape[axis]);
      part.strides.push_back(inner.strides[axis]);
      rows.order.push_back(axis);
    }
    if (!behind) rows.before = rows.order.size();
  }
  return rows;
}

/// The axes of "fancy, then inner" in the order before, fancy, behind.
SmallVector<int, 8> memory_order(const Rows& rows, int fancy) {
  SmallVector<int, 8> axes;
  for (size_t k = 0; k < rows.before; ++k) axes.push_back(fancy + rows.order[k]);
  for (int k = 0; k < fancy; ++k) axes.push_back(k);
  for (size_t k = rows.before; k < rows.order.size(); ++k) axes.push_back(fancy + rows.order[k]);
  return axes;
}

/// Whether a device should run the selection and it is not empty.
bool is_for_device(const Array& array, const FancySelection& selection) {
  if (selection.count == 0 || selection.inner.size() == 0 || array.size() == 0) return false;
  for (const FancyAxis& axis : selection.axes)
    if (!is_reduced(axis, selection)) {
      const engine::CallCost cost =
          engine::cost_by_element("index", selection.count * selection.inner.size(), 4, 64, 1);
      return library_device(Engine::instance(), {&array, &axis.numbers}, cost) != nullptr;
    }
  return false;
}

std::optional<Array> numbers_of(const Array& array, const Rows& rows) {
  return device_rows(Engine::instance(), array, rows.layout.rows.shape, rows.indices);
}

}  // namespace

std::optional<Array> pick_on_device(const Array& source, const FancySelection& selection) {
  if (!is_for_device(source, selection)) return {};
  const Rows rows = rows_of(selection);
  const std::optional<Array> numbers = numbers_of(source, rows);
  if (!numbers) return {};
  std::optional<Array> picked = device_pick(Engine::instance(), source, rows.layout, *numbers);
  if (!picked) return {};
  Dims natural = selection.fancy_shape;
  for (int64_t extent : selection.inner.shape) natural.push_back(extent);
  const SmallVector<int, 8> order = memory_order(rows, static_cast<int>(selection.fancy_shape.size()));
  Dims shape;
  SmallVector<int, 8> inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k) shape.push_back(natural[order[k]]), inverse[order[k]] = static_cast<int>(k);
  picked->view = View::contiguous(shape, source.dtype()).transpose({inverse.data(), inverse.size()});
  return picked;
}

bool put_on_device(const Array& destination, const FancySelection& selection, const Array& value) {
  if (!is_for_device(destination, selection)) return false;
  const Rows rows = rows_of(selection);
  const std::optional<Array> numbers = numbers_of(destination, rows);
  if (!numbers) return false;
  Engine& engine = Engine::instance();
  if (value.size() == 1) return device_put(engine, destination, rows.layout, *numbers, value, 1);
  const SmallVector<int, 8> order = memory_order(rows, static_cast<int>(selection.fancy_shape.size()));
  const Array values = engine.contiguous(value.with_view(value.view.transpose({order.data(), order.size()})));
  return device_put(engine, destination, rows.layout, *numbers, values, selection.count);
}

}  // namespace tessera::bind
