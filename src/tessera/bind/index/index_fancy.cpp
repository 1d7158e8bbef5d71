#include "tessera/bind/index/index_fancy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/store.h"

namespace tessera::bind {

namespace {

std::string joined_shapes(std::span<const Array> arrays) {
  std::string text;
  for (const Array& array : arrays) {
    text += "(";
    for (int axis = 0; axis < array.ndim(); ++axis) text += (axis ? "," : "") + std::to_string(array.shape()[axis]);
    text += array.ndim() == 1 ? ",) " : ") ";
  }
  return text;
}

Dims broadcast_indices(std::span<const Array> arrays) {
  Dims shape;
  for (const Array& array : arrays) {
    int ndim = std::max<int>(static_cast<int>(shape.size()), array.ndim());
    while (static_cast<int>(shape.size()) < ndim) shape.insert(0, 1);
    for (int k = 0; k < array.ndim(); ++k) {
      int64_t& extent = shape[ndim - array.ndim() + k];
      int64_t given = array.shape()[k];
      if (extent != given && extent != 1 && given != 1) {
        throw IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes " +
                         joined_shapes(arrays));
      }
      if (extent == 1) extent = given;
    }
  }
  return shape;
}

/// Visits the items once and splits the source's axes into indexed ones and those that the result keeps.
class Splitter {
 public:
  Splitter(const ParsedIndex& index, const View& view, bool in_memory_order)
      : index_(index), view_(view), in_memory_order_(in_memory_order) {
    selection_.inner.dtype = view.dtype;
    selection_.inner.offset = view.offset;
  }

  FancySelection run() {
    for (const IndexItem& item : index_.items) add(item);
    keep(view_.ndim() - axis_);
    finish();
    return std::move(selection_);
  }

 private:
  void add(const IndexItem& item) {
    switch (item.kind) {
      case IndexItem::integer: return add_index(scalar_index(wrap_index(item.value, axis_, view_.shape[axis_])));
      case IndexItem::slice: return add_slice(item.object);
      case IndexItem::ellipsis:
        in_run_ = false;  // separates advanced items even when it stands for no axis
        return keep(view_.ndim() - index_.consumed);
      case IndexItem::new_axis: return append(1, 0);
      case IndexItem::fancy: return add_fancy(index_.arrays[item.value]);
    }
  }

  void append(int64_t extent, int64_t stride) {
    selection_.inner.shape.push_back(extent);
    selection_.inner.strides.push_back(stride);
    in_run_ = false;
  }

  void keep(int count) {
    for (; count > 0; --count, ++axis_) append(view_.shape[axis_], view_.strides[axis_]);
  }

  void add_slice(PyObject* slice) {
    Py_ssize_t start, stop, step;
    checked(PySlice_Unpack(slice, &start, &stop, &step));
    Py_ssize_t count = PySlice_AdjustIndices(view_.shape[axis_], &start, &stop, step);
    if (count > 0) selection_.inner.offset += start * view_.strides[axis_];
    append(count, view_.strides[axis_] * step);
    ++axis_;
  }

  static Array scalar_index(int64_t value) { return Engine::instance().full({}, Scalar::of_int(DType::int64, value)); }

  /// The shape of adjacent advanced items replaces their axes in the result; that of separated ones comes first.
  void enter_run() {
    if (!in_run_ && !arrays_.empty()) separated_ = true;
    if (arrays_.empty()) position_ = selection_.inner.ndim();
    in_run_ = true;
  }

  void add_index(Array array) {
    enter_run();
    selection_.axes.push_back({{}, nullptr, false, view_.shape[axis_], view_.strides[axis_], axis_});
    arrays_.push_back(std::move(array));
    ++axis_;
  }

  void add_fancy(const FancyItem& item) {
    if (!item.is_mask) {
      return add_index(item.array);
    }
    const Dims& shape = item.array.shape();
    if (shape.empty()) return add_mask_0d(item.array);
    for (size_t k = 0; k < shape.size(); ++k) {
      // NumPy accepts a mask axis without elements.
      require<IndexError>(shape[k] == 0 || shape[k] == view_.shape[axis_ + k],
                          "boolean index did not match indexed array along axis {}; size of axis is {} but size of "
                          "corresponding boolean axis is {}",
                          axis_ + k, view_.shape[axis_ + k], shape[k]);
    }
    for (Array& positions : positions_of_true(item.array)) add_index(std::move(positions));
  }

  /// a[True] adds an axis of 1, a[False] one of 0; neither consumes an axis.
  void add_mask_0d(const Array& mask) {
    enter_run();
    std::array<int64_t, 1> shape{*synchronise(mask) ? 1 : 0};
    selection_.axes.push_back({{}, nullptr, false, 1, 0, axis_});
    arrays_.push_back(Engine::instance().full(shape, Scalar::of_int(DType::int64, 0)));
  }

  /// For single elements, the index arrays are visited and the result is laid out in the memory order of the first
  /// index array that has all axes.
  void order_axes() {
    Dims& shape = selection_.fancy_shape;
    const int ndim = static_cast<int>(shape.size());
    SmallVector<int, 8>& order = selection_.order;
    for (int k = 0; k < ndim; ++k) order.push_back(k);
    if (!in_memory_order_ || selection_.inner.ndim() > 0 || ndim < 2) return;
    auto full = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& a) { return a.shape() == shape; });
    if (full == arrays_.end()) return;
    for (const Array& array : arrays_) {
      if (array.shape() == shape && array.view.is_c_contiguous()) return;
    }
    Dims strides = full->view.strides;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return std::abs(strides[a]) > std::abs(strides[b]); });
    if (std::is_sorted(order.begin(), order.end())) return;
    for (Array& array : arrays_) {
      if (array.size() != 1) array.view = array.view.broadcast_to(shape).transpose({order.data(), order.size()});
    }
    const Dims natural = shape;
    for (int k = 0; k < ndim; ++k) shape[k] = natural[order[k]];
  }

  /// Blocks are laid out in the memory order of the source.
  void order_inner_axes() {
    SmallVector<int, 8>& order = selection_.inner_order;
    View& inner = selection_.inner;
    for (int k = 0; k < inner.ndim(); ++k) order.push_back(k);
    if (!in_memory_order_ || inner.ndim() < 2) return;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return std::abs(inner.strides[a]) > std::abs(inner.strides[b]); });
    inner = inner.transpose({order.data(), order.size()});
  }

  void finish() {
    for (Array& array : arrays_)
      if (arrays_.size() > 1 && array.dtype() != DType::int64) array = copy_array(array, DType::int64, Order::k);
    selection_.fancy_shape = broadcast_indices(arrays_);
    order_axes();
    order_inner_axes();
    selection_.position = separated_ ? 0 : position_;
    for (int64_t extent : selection_.fancy_shape) selection_.count *= extent;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      FancyAxis& axis = selection_.axes[k];
      axis.single = arrays_[k].size() == 1;
      bool full = axis.single || arrays_[k].size() == selection_.count;
      View spread = full ? arrays_[k].view : arrays_[k].view.broadcast_to(selection_.fancy_shape);
      axis.numbers = Engine::instance().contiguous(arrays_[k].with_view(spread));
    }
    require<IndexError>(selection_.result_ndim() <= max_ndim,
                        "number of dimensions must be within [0, {}], indexing result would have {}", max_ndim,
                        selection_.result_ndim());
  }

  const ParsedIndex& index_;
  const View& view_;
  bool in_memory_order_;
  FancySelection selection_;
  std::vector<Array> arrays_;
  int axis_ = 0;
  int position_ = 0;
  bool in_run_ = false;
  bool separated_ = false;
};

}  // namespace

SmallVector<int, 8> FancySelection::result_axes() const {
  int fancy = static_cast<int>(fancy_shape.size());
  auto place = [](const SmallVector<int, 8>& of, int axis) {
    return static_cast<int>(std::find(of.begin(), of.end(), axis) - of.begin());
  };
  SmallVector<int, 8> axes;
  for (int k = 0; k < position; ++k) axes.push_back(fancy + place(inner_order, k));
  for (int k = 0; k < fancy; ++k) axes.push_back(place(order, k));
  for (int k = position; k < inner.ndim(); ++k) axes.push_back(fancy + place(inner_order, k));
  return axes;
}

FancySelection select_fancy(const ParsedIndex& index, const View& view, bool in_memory_order) {
  return Splitter(index, view, in_memory_order).run();
}

void settle_fancy(FancySelection& selection) {
  // All arrays must be synchronised before the first pointer is taken.
  for (FancyAxis& axis : selection.axes) {
    axis.numbers = Engine::instance().contiguous(axis.numbers, DType::int64);
    synchronise(axis.numbers);
  }
  for (FancyAxis& axis : selection.axes) axis.data = reinterpret_cast<const int64_t*>(synchronise(axis.numbers));
}

void check_fancy(const FancySelection& selection) {
  if (selection.count == 0) return;
  for (const FancyAxis& axis : selection.axes) {
    int64_t n = axis.single ? 1 : selection.count;
    for (int64_t i = 0; i < n; ++i) wrap_index(axis.data[i], axis.axis, axis.extent);
  }
}

}  // namespace tessera::bind
