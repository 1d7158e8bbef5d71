// An advanced index as a call of the routines gather or scatter.
#include <algorithm>

#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/index_fancy.h"
#include "tessera/library/host/gather.h"

namespace tessera::bind {

namespace {

/// The number of an index that applies to several blocks; counted from the front.
int64_t single_number(FancySelection& selection, const FancyAxis& axis) {
  Array one = axis.numbers;
  const int64_t given = *reinterpret_cast<const int64_t*>(read_nearby(one));
  const int64_t number = given < 0 ? given + axis.extent : given;
  if (number < 0 || number >= axis.extent) {
    // Axes before this one may have an index out of range, too, which is reported first.
    settle_fancy(selection);
    check_fancy(selection);
  }
  return number;
}

}  // namespace

IndexedRows::IndexedRows(const Array& array, FancySelection& selection, bool values) {
  operands.reserve(selection.axes.size() + 2);
  operands.resize(values ? 2 : 1);
  View rows{.offset = selection.inner.offset, .dtype = selection.inner.dtype};
  int64_t nearest = INT64_MAX;
  SmallVector<int64_t, 4> axes;
  for (const FancyAxis& axis : selection.axes) {
    if (axis.single && selection.count > 1) {
      rows.offset += single_number(selection, axis) * axis.stride;
      continue;
    }
    rows.shape.push_back(axis.extent);
    rows.strides.push_back(axis.stride);
    View view = View::contiguous(selection.fancy_shape, axis.numbers.dtype());
    view.offset = axis.numbers.view.offset;
    operands.push_back(axis.numbers.with_view(std::move(view)));
    axes.push_back(axis.axis);
    nearest = std::min(nearest, std::abs(axis.stride));
  }
  const View& inner = selection.inner;
  View whole{.offset = rows.offset, .dtype = rows.dtype};
  const auto append = [&](const View& from, int axis) {
    whole.shape.push_back(from.shape[axis]);
    whole.strides.push_back(from.strides[axis]);
  };
  for (const bool behind : {false, true}) {
    for (int axis = 0; axis < inner.ndim(); ++axis) {
      if ((std::abs(inner.strides[axis]) <= nearest) != behind) continue;
      append(inner, axis);
      order_.push_back(axis);
    }
    if (behind) continue;
    before_ = static_cast<int>(order_.size());
    for (int axis = 0; axis < rows.ndim(); ++axis) append(rows, axis);
  }
  operands[0] = array.with_view(std::move(whole));
  arguments = {before_, static_cast<int>(library::IndexKind::axes), static_cast<int>(library::IndexMode::raise)};
  for (const int64_t axis : axes) arguments.add(axis);
}

SmallVector<int, 8> IndexedRows::memory_order(int fancy) const {
  SmallVector<int, 8> axes;
  for (int k = 0; k < before_; ++k) axes.push_back(fancy + order_[k]);
  for (int k = 0; k < fancy; ++k) axes.push_back(k);
  for (size_t k = static_cast<size_t>(before_); k < order_.size(); ++k) axes.push_back(fancy + order_[k]);
  return axes;
}

View IndexedRows::from_memory_order(const View& view, int fancy) const {
  if (order_.empty()) return view;
  const SmallVector<int, 8> order = memory_order(fancy);
  SmallVector<int, 8> inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k) inverse[order[k]] = static_cast<int>(k);
  return view.transpose({inverse.data(), inverse.size()});
}

View IndexedRows::to_memory_order(const View& view, int fancy) const {
  if (order_.empty()) return view;
  const SmallVector<int, 8> order = memory_order(fancy);
  return view.transpose({order.data(), order.size()});
}

}  // namespace tessera::bind
