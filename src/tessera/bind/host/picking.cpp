#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/library/host/copy.h"
#include "tessera/library/host/gather.h"

namespace tessera::bind {

namespace {

using library::IndexAxis;
using library::IndexMode;
using library::PickBlock;

IndexMode to_mode(PyObject* mode) {
  if (is_none(mode)) return IndexMode::raise;
  if (PyUnicode_Check(mode)) {
    std::string_view text = PyUnicode_AsUTF8(mode);
    if (text == "raise") return IndexMode::raise;
    if (text == "wrap") return IndexMode::wrap;
    if (text == "clip") return IndexMode::clip;
    throw ValueError(format("clipmode must be one of 'clip', 'raise', or 'wrap' (got '{}')", text));
  }
  int64_t number = to_int(mode);
  require<ValueError>(number >= 0 && number <= 2, "integer clipmode must be 0, 1, or 2, not {}", number);
  return number == 0 ? IndexMode::clip : number == 1 ? IndexMode::wrap : IndexMode::raise;
}

routines::PickMode device_mode(IndexMode mode) {
  return mode == IndexMode::raise  ? routines::PickMode::raise
         : mode == IndexMode::wrap ? routines::PickMode::wrap
                                   : routines::PickMode::clip;
}

View without_axis(const View& view, int axis) {
  View block = view;
  block.shape.erase(axis);
  block.strides.erase(axis);
  return block;
}

/// The product of the extents from axis on.
int64_t product_after(const Dims& shape, size_t axis) {
  int64_t size = 1;
  for (size_t k = axis; k < shape.size(); ++k) size *= shape[k];
  return size;
}

/// a.take(indices, axis): a new array.
Array take_along(const Array& array, const Array& indices, int axis, IndexMode mode) {
  Dims shape;
  for (int k = 0; k < axis; ++k) shape.push_back(array.shape()[k]);
  for (int64_t extent : indices.shape()) shape.push_back(extent);
  for (int k = axis + 1; k < array.ndim(); ++k) shape.push_back(array.shape()[k]);
  int64_t size = checked_size(shape, array.view.itemsize());
  if (auto taken = device_take(Engine::instance(), array, indices, axis, device_mode(mode))) return *taken;
  Packed where(indices, DType::int64);
  IndexAxis one{where.as<int64_t>(), array.shape()[axis], array.view.strides[axis], axis};
  require<IndexError>(one.extent > 0 || size == 0, "cannot do a non-empty take from an empty axes.");
  Fresh out = fresh(shape, array.dtype());
  bool dense = array.ndim() == 1 && (array.view.strides[0] == array.view.itemsize() || one.extent == 1);
  if (dense && mode == IndexMode::raise) {
    Packed from(array);  // read in place, as it is dense
    without_gil(where.size(),
                [&] { library::gather_elements(from.data(), array.view.itemsize(), one, where.size(), out.data); });
    return out.array;
  }
  std::vector<int64_t> offsets = library::pick_offsets(std::span(&one, 1), size || one.extent ? where.size() : 0, mode);
  PickBlock block;
  block.view = without_axis(array.view, axis);
  block.packed = block.view;
  int lead = axis, index_ndim = indices.ndim();
  for (int k = 0; k < block.packed.ndim(); ++k)
    block.packed.strides[k] = out.array.view.strides[k < lead ? k : k + index_ndim];
  block.step = product_after(shape, axis + index_ndim) * array.view.itemsize();
  library::gather(Engine::instance().read(array), offsets, block, out.data);
  return out.array;
}

/// Writes into `out` by the rule of the installed NumPy: since 2.5 elements may be cast to types of the same kind, and,
/// with a warning, to any type.
PyObject* deliver_taken(Array taken, PyObject* out) {
  constexpr int version_2_5 = 0x16;
  if (PyArray_RUNTIME_VERSION < version_2_5 || is_none(out) || !is_ndarray(out))
    return deliver("take", std::move(taken), out);
  if (!can_cast(taken.dtype(), as_ndarray(out)->array.dtype(), Casting::same_kind)) {
    checked(PyErr_WarnEx(PyExc_DeprecationWarning,
                         "Implicit casting of output to a different kind is deprecated. In a future version, this will "
                         "result in an error. "
                         "(Deprecated NumPy 2.5)",
                         1));
  }
  return deliver_cast("take", std::move(taken), out);
}

PyObject* take(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("take", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    PyObject* indices_object = arguments.needed(1, "indices");
    PyObject* axis_object = arguments.at(2, "axis");
    PyObject* out = arguments.at(3, "out");
    PyObject* mode = arguments.at(4, "mode");
    arguments.finish(5);
    Array indices = index_array(indices_object);
    if (is_none(axis_object) || array.ndim() == 0) array = flattened(array);
    int axis = to_axis(axis_object, array.ndim(), 0);
    return deliver_taken(take_along(array, indices, axis, to_mode(mode)), out);
  });
}

/// Byte offsets of flat (C order) positions in a strided view.
std::vector<int64_t> flat_offsets(const View& view, const int64_t* positions, int64_t count, IndexMode mode) {
  int64_t size = view.size();
  IndexAxis flat{positions, size, 1, 0};
  std::vector<int64_t> offsets = library::pick_offsets(std::span(&flat, 1), count, mode);
  for (int64_t& offset : offsets) {
    int64_t rest = offset;
    offset = 0;
    for (int axis = view.ndim() - 1; axis >= 0; --axis) {
      offset += rest % view.shape[axis] * view.strides[axis];
      rest /= view.shape[axis];
    }
  }
  return offsets;
}

/// The array of an argument that is written in place.
const Array& writable_array(const char* function, PyObject* object) {
  if (!is_ndarray(object)) throw ForeignArgument{};
  if (!as_ndarray(object)->writeable)
    warn_or_refuse(as_ndarray(object), format("{}: output array is read-only", function));
  return as_ndarray(object)->array;
}

/// The values to write into the array, dense and of its type: a copy where they share its storage.
Array values_beside(const Array& array, const Array& values) {
  Engine& engine = Engine::instance();
  return values.storage == array.storage ? engine.copy(values, array.dtype(), Order::c)
                                         : engine.contiguous(values, array.dtype());
}

/// The layout in which every element is a row of its own.
RowLayout single_elements(const View& view) {
  RowLayout layout{.rows = view};
  layout.before.dtype = layout.behind.dtype = view.dtype;
  return layout;
}

/// Writes elements at C-order positions on the array's device; false when the host should.
bool put_on_device(const Array& array, const Array& indices, const Array& values, IndexMode mode) {
  Engine& engine = Engine::instance();
  const int64_t size = array.size();
  const std::optional<Array> rows =
      device_rows(engine, array, std::span(&size, 1), std::span(&indices, 1), device_mode(mode));
  return rows &&
         device_put(engine, array, single_elements(array.view), *rows, values_beside(array, values), values.size());
}

PyObject* put(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("put", args, nargs, names, [](Arguments& arguments) {
    const Array& array = writable_array("put", arguments.needed(0, "a"));
    Array indices = index_array(arguments.needed(1, "ind"));
    Array values = needed_array(arguments.needed(2, "v"), array.dtype());
    IndexMode mode = to_mode(arguments.at(3, "mode"));
    arguments.finish(4);
    if (values.size() == 0 || indices.size() == 0) return Py_NewRef(Py_None);
    if (put_on_device(array, indices, values, mode)) return Py_NewRef(Py_None);
    Packed where(indices, DType::int64), given(values, array.dtype());
    require<IndexError>(array.size() > 0, "cannot replace elements of an empty array");
    std::vector<int64_t> offsets = flat_offsets(array.view, where.as<int64_t>(), where.size(), mode);
    PickBlock block;
    block.view.dtype = block.packed.dtype = array.dtype();
    char* to = Engine::instance().write(array);
    int64_t itemsize = array.view.itemsize();
    // The values are repeated as often as needed.
    for (int64_t first = 0; first < where.size(); first += given.size()) {
      auto some = std::span<const int64_t>(offsets).subspan(first, std::min(given.size(), where.size() - first));
      block.step = given.size() == 1 ? 0 : itemsize;
      if (given.size() == 1) some = offsets;
      library::scatter(to, some, block, given.data());
      if (given.size() == 1) break;
    }
    return Py_NewRef(Py_None);
  });
}

/// An array and the integer array that indexes one of its axes, both with that axis last and broadcast elsewhere.
struct AlongAxis {
  View view, index_view;
  int axis;
  AlongAxis(const Array& array, const Array& indices, int axis_number) : axis(axis_number) {
    require<ValueError>(array.ndim() == indices.ndim(), "`indices` and `arr` must have the same number of dimensions");
    Dims around_array = array.shape(), around_indices = indices.shape();
    around_array[axis] = around_indices[axis] = 1;
    Dims shape = broadcast_shapes("", around_array, around_indices);
    Dims wide = shape;
    wide[axis] = array.shape()[axis];
    view = axis_last(array.view.broadcast_to(wide), axis);
    wide[axis] = indices.shape()[axis];
    index_view = axis_last(indices.view.broadcast_to(wide), axis);
  }
  std::optional<Array> take_on_device(const Array& array, const Array& indices) const {
    Engine& engine = Engine::instance();
    const Array moved = array.with_view(view);
    const std::optional<Array> rows = device_rows_along(engine, moved, indices.with_view(index_view));
    if (!rows) return {};
    std::optional<Array> picked = device_pick(engine, moved, single_elements(view), *rows);
    if (picked) picked->view = View::contiguous(index_view.shape, view.dtype);
    return picked;
  }
  bool put_on_device(const Array& array, const Array& indices, const Array& values) const {
    Engine& engine = Engine::instance();
    const Array moved = array.with_view(view);
    if (moved.size() != array.size()) return false;  // broadcast: one element appears in several rows
    const std::optional<Array> rows = device_rows_along(engine, moved, indices.with_view(index_view));
    return rows && device_put(engine, moved, single_elements(view), *rows, values_beside(array, values), values.size());
  }
  /// Byte offsets of all selected elements: the row's offset plus the offset of the index along the axis.
  std::vector<int64_t> offsets(const int64_t* indices) const {
    int last = view.ndim() - 1;
    int64_t n = index_view.shape[last], rows = n ? index_view.size() / n : 0;
    IndexAxis one{indices, view.shape[last], view.strides[last], axis};
    std::vector<int64_t> result = library::pick_offsets(std::span(&one, 1), rows * n);
    SmallVector<int64_t, 4> at(last, 0);
    int64_t row_offset = 0;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t k = 0; k < n; ++k) result[row * n + k] += row_offset;
      for (int k = last - 1; k >= 0; --k) {
        row_offset += view.strides[k];
        if (++at[k] < view.shape[k]) break;
        row_offset -= at[k] * view.strides[k];
        at[k] = 0;
      }
    }
    return result;
  }
};

Array integer_indices(PyObject* object) {
  Array indices = needed_array(object);
  require<IndexError>(is_integer(indices.dtype()), "`indices` must be an integer array");
  return indices;
}

PickBlock one_element(DType dtype) {
  PickBlock block;
  block.view.dtype = block.packed.dtype = dtype;
  block.step = itemsize(dtype);
  return block;
}

PyObject* take_along_axis(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("take_along_axis", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "arr")), indices = integer_indices(arguments.needed(1, "indices"));
    PyObject* axis_object = arguments.at(2, "axis");
    arguments.finish(3);
    if (axis_object == Py_None) {
      require<ValueError>(indices.ndim() == 1, "when axis=None, `indices` must have a single dimension.");
      array = flattened(array);
    }
    int axis = axis_object == Py_None ? 0 : normalize_axis(axis_object ? to_int(axis_object) : -1, array.ndim());
    auto taken = [&] {
      AlongAxis along(array, indices, axis);
      if (auto taken = along.take_on_device(array, indices)) return restore_axis(*taken, axis);
      Packed where(indices.with_view(along.index_view), DType::int64);
      std::vector<int64_t> offsets = along.offsets(where.as<int64_t>());
      Fresh out = fresh(along.index_view.shape, array.dtype());
      library::gather(Engine::instance().read(array), offsets, one_element(array.dtype()), out.data);
      return restore_axis(out.array, axis);
    };
    return wrap(taken());
  });
}

PyObject* put_along_axis(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("put_along_axis", args, nargs, names, [](Arguments& arguments) {
    Array array = writable_array("put_along_axis", arguments.needed(0, "arr"));
    Array indices = integer_indices(arguments.needed(1, "indices"));
    Array values = needed_array(arguments.needed(2, "values"));
    PyObject* axis_object = arguments.at(3, "axis");
    arguments.finish(4);
    if (axis_object == Py_None) {
      require<ValueError>(indices.ndim() == 1, "when axis=None, `indices` must have a single dimension.");
      auto flat = array.view.try_reshape(Dims{array.size()});
      require<NotImplementedError>(flat.has_value(),
                                   "put_along_axis: axis=None needs an array that flattens without a copy");
      array = array.with_view(*flat);
    }
    int axis = axis_object == Py_None ? 0 : normalize_axis(axis_object ? to_int(axis_object) : -1, array.ndim());
    AlongAxis along(array, indices, axis);
    View wide = axis_last(values.view.broadcast_to(axis_back(along.index_view, axis).shape), axis);
    if (along.put_on_device(array, indices, values.with_view(wide))) return Py_NewRef(Py_None);
    Packed where(indices.with_view(along.index_view), DType::int64);
    std::vector<int64_t> offsets = along.offsets(where.as<int64_t>());
    Packed given(values.with_view(wide), array.dtype());
    library::scatter(Engine::instance().write(array), offsets, one_element(array.dtype()), given.data());
    return Py_NewRef(Py_None);
  });
}

}  // namespace

std::vector<PyMethodDef> picking_methods() {
  return {host_method("take", take, "The elements at integer indices, along an axis or of the flattened array."),
          host_method("put", put, "Writes values at flat positions."),
          host_method("take_along_axis", take_along_axis, "Picks along an axis by an index array of matching shape."),
          host_method("put_along_axis", put_along_axis, "Writes along an axis by an index array of matching shape.")};
}

}  // namespace tessera::bind
