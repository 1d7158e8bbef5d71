#include <algorithm>

#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/index/index.h"

namespace tessera::bind {

namespace {

struct Range {
  int64_t start;
  int64_t step;
  int64_t count;
};

/// A bound of a slice with step 1: None, or an int clipped to [0, extent]. False for anything else.
bool clip_bound(PyObject* bound, int64_t if_none, int64_t extent, int64_t& result) {
  if (bound == Py_None) {
    result = if_none;
    return true;
  }
  int64_t value;
  if (!PyLong_CheckExact(bound) || !read_int(bound, value)) return false;
  if (value < 0) value += extent;
  result = std::clamp<int64_t>(value, 0, extent);
  return true;
}

Range read_slice(PyObject* slice, int64_t extent) {
  auto* parts = reinterpret_cast<PySliceObject*>(slice);
  int64_t first, last;
  if (parts->step == Py_None && clip_bound(parts->start, 0, extent, first) &&
      clip_bound(parts->stop, extent, extent, last)) {
    return {first, 1, std::max<int64_t>(last - first, 0)};
  }
  Py_ssize_t start, stop, step;
  checked(PySlice_Unpack(slice, &start, &stop, &step));
  int64_t count = PySlice_AdjustIndices(extent, &start, &stop, step);
  return {start, step, count};
}

/// The number of axes that the items consume when they are only ints, slices, None and at most one ellipsis, and not
/// all ints; else -1.
int count_axes(PyObject* const* items, Py_ssize_t n) {
  int axes = 0;
  int ellipses = 0;
  bool only_ints = true;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = items[i];
    if (PyLong_CheckExact(item)) {
      ++axes;
      continue;
    }
    only_ints = false;
    if (PySlice_Check(item)) {
      ++axes;
    } else if (item == Py_Ellipsis) {
      ++ellipses;
    } else if (item != Py_None) {
      return -1;
    }
  }
  return ellipses > 1 ? -1 : only_ints && axes == 0 ? -1 : axes;
}

/// Ints and slices of step 1 on up to four axes, in one pass; false, with the view partly filled, for all other keys.
bool fill_plain(PyObject* const* items, size_t n, const View& view, View& out) {
  const size_t ndim = view.shape.size();
  if (n == 0 || n > ndim || ndim > 4) return false;
  int64_t* const shape = out.shape.data();
  int64_t* const strides = out.strides.data();
  const int64_t* const extents = view.shape.data();
  const int64_t* const steps = view.strides.data();
  int64_t offset = view.offset;
  size_t count = 0;
  for (size_t axis = 0; axis < ndim; ++axis) {
    const int64_t extent = extents[axis];
    const int64_t step = steps[axis];
    int64_t first = 0;
    int64_t last = extent;
    if (axis < n) {
      PyObject* item = items[axis];
      if (PySlice_Check(item)) {
        auto* parts = reinterpret_cast<PySliceObject*>(item);
        if (parts->step != Py_None || !clip_bound(parts->start, 0, extent, first) ||
            !clip_bound(parts->stop, extent, extent, last))
          return false;
      } else {
        if (!PyLong_CheckExact(item) || !read_int(item, first)) return false;
        if (first < 0) first += extent;
        if (static_cast<uint64_t>(first) >= static_cast<uint64_t>(extent)) return false;
        offset += first * step;
        continue;
      }
    }
    shape[count] = last > first ? last - first : 0;
    strides[count++] = step;
    if (last > first) offset += first * step;
  }
  out.shape.resize_for_overwrite(count);
  out.strides.resize_for_overwrite(count);
  out.offset = offset;
  return true;
}

/// Fills the shape, the strides and the offset; false when an int is out of range.
bool fill_view(PyObject* const* items, Py_ssize_t n, int skipped, const View& view, View& out) {
  const size_t most = view.shape.size() + static_cast<size_t>(n);
  out.shape.resize_for_overwrite(most);
  out.strides.resize_for_overwrite(most);
  int64_t* const shape = out.shape.data();
  int64_t* const strides = out.strides.data();
  const int64_t* const extents = view.shape.data();
  const int64_t* const steps = view.strides.data();
  size_t count = 0;
  auto append = [&](int64_t extent, int64_t stride) {
    shape[count] = extent;
    strides[count++] = stride;
  };
  int axis = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = items[i];
    if (PySlice_Check(item)) {
      const Range range = read_slice(item, extents[axis]);
      if (range.count > 0) out.offset += range.start * steps[axis];
      append(range.count, range.step * steps[axis++]);
    } else if (PyLong_CheckExact(item)) {
      int64_t at;
      if (!read_int(item, at)) return false;
      if (at < 0) at += extents[axis];
      if (at < 0 || at >= extents[axis]) return false;
      out.offset += at * steps[axis++];
    } else if (item == Py_None) {
      append(1, 0);
    } else {
      for (int end = axis + skipped; axis < end; ++axis) append(extents[axis], steps[axis]);
    }
  }
  for (; axis < view.ndim(); ++axis) append(extents[axis], steps[axis]);
  out.shape.resize_for_overwrite(count);
  out.strides.resize_for_overwrite(count);
  return true;
}

/// The items of an index key.
struct Key {
  PyObject* const* items;
  Py_ssize_t n;
  int skipped;  // axes that an ellipsis, or the end of the key, stands for

  /// False when the key has items that this file does not handle.
  bool read(PyObject* const& key, const View& view) {
    items = &key;
    n = 1;
    if (PyTuple_CheckExact(key)) {
      items = reinterpret_cast<PyTupleObject*>(key)->ob_item;
      n = PyTuple_GET_SIZE(key);
    }
    int axes = count_axes(items, n);
    skipped = view.ndim() - axes;
    return axes >= 0 && skipped >= 0 && view.ndim() + n <= max_ndim;
  }
};

}  // namespace

/// Fills all but the dtype of `out`, whose shape and strides are empty.
static bool fill(PyObject* key, const View& view, View& out) {
  const bool is_tuple = PyTuple_CheckExact(key);
  PyObject* const* items = is_tuple ? reinterpret_cast<PyTupleObject*>(key)->ob_item : &key;
  if (fill_plain(items, is_tuple ? static_cast<size_t>(PyTuple_GET_SIZE(key)) : 1, view, out)) [[likely]]
    return true;
  Key parts;
  out.offset = view.offset;
  return parts.read(key, view) && fill_view(parts.items, parts.n, parts.skipped, view, out);
}

bool try_quick_target(const View& view, PyObject* key, View& target) {
  target.dtype = view.dtype;
  return fill(key, view, target);
}

PyObject* try_quick_view(NdArray* self, PyObject* key) {
  if (Py_TYPE(reinterpret_cast<PyObject*>(self)) != ndarray_type) return nullptr;
  NdArray* result = begin_view(self);
  bool done = false;
  try {
    done = fill(key, self->array.view, result->array.view);
  } catch (...) {
    Py_DECREF(reinterpret_cast<PyObject*>(result));
    throw;
  }
  if (done) return reinterpret_cast<PyObject*>(result);
  Py_DECREF(reinterpret_cast<PyObject*>(result));
  return nullptr;
}

}  // namespace tessera::bind
