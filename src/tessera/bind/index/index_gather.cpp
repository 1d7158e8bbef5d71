#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/index_fancy.h"
#include "tessera/bind/index/store.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/library/host/gather.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::bind {

View in_result_order(const View& packed, const FancySelection& selection) {
  auto axes = selection.result_axes();
  if (std::is_sorted(axes.begin(), axes.end())) return packed;
  return packed.transpose({axes.data(), axes.size()});
}

namespace {

constexpr int64_t bytes_a_thread = 1 << 18;

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

/// The index array when there is only one and it selects adjacent single elements, the most common case; else null.
const FancyAxis* sole_dense_axis(const FancySelection& selection) {
  if (selection.axes.size() != 1 || selection.inner.ndim() > 0) return nullptr;
  const FancyAxis& axis = selection.axes[0];
  return !axis.single && axis.stride == selection.inner.itemsize() ? &axis : nullptr;
}

/// The index array of an index that consists of one integer array; else null.
const Array* sole_indices(const ParsedIndex& index) {
  return index.items.size() == 1 && index.arrays.size() == 1 && !index.arrays[0].is_mask ? &index.arrays[0].array
                                                                                         : nullptr;
}

/// One block: the view that the other items keep of the source, and the same packed.
library::PickBlock make_block(const FancySelection& selection) {
  View packed = View::contiguous(selection.inner.shape, selection.inner.dtype);
  return {selection.inner, packed, packed.size() * packed.itemsize()};
}

}  // namespace

Array gather_fancy(const Array& source, const ParsedIndex& index) {
  const engine::PlacedCall call;
  if (const Array* mask = whole_mask(index, source.shape())) return gather_mask(source, *mask);
  if (const Array* indices = sole_indices(index)) {
    if (auto taken = device_take(Engine::instance(), source, *indices, 0, routines::PickMode::raise)) return *taken;
  }
  FancySelection selection = select_fancy(index, source.view, true);
  if (auto picked = pick_on_device(source, selection))
    return picked->with_view(in_result_order(picked->view, selection));
  settle_fancy(selection);
  Array packed = Engine::instance().empty(joined(selection.fancy_shape, selection.inner.shape), source.dtype());
  const char* from = synchronise(source) - source.view.offset + selection.inner.offset;
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
  const engine::PlacedCall call;
  if (const Array* mask = whole_mask(index, destination.shape())) return scatter_mask(destination, *mask, given);
  Array value = separate_value(destination, given);
  FancySelection selection = select_fancy(index, destination.view, false);
  const View packed = View::contiguous(joined(selection.fancy_shape, selection.inner.shape), destination.dtype());
  const View spread = spread_value(value.view, in_result_order(packed, selection).shape);
  if (put_on_device(destination, selection,
                    value.size() == 1 ? value : value.with_view(with_fancy_first(spread, selection))))
    return;
  settle_fancy(selection);
  check_fancy(selection);
  library::PickBlock block = make_block(selection);
  Array values = value;
  if (value.size() == 1) {
    // One element is broadcast to the whole block.
    block.packed.strides = Dims(block.packed.shape.size(), 0);
    block.step = 0;
  } else {
    values = Engine::instance().contiguous(value.with_view(with_fancy_first(spread, selection)));
  }
  synchronise(values);  // nothing may run between taking the two pointers
  char* to = synchronise_to_write(destination) - destination.view.offset + selection.inner.offset;
  const char* from = synchronise(values);
  if (packed.size() == 0) return;
  for_each_offset(selection, 0, selection.count, [&](int64_t first, std::span<const int64_t> offsets) {
    library::scatter(to, offsets, block, from + first * block.step);
  });
}

}  // namespace tessera::bind
