#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/bind/index/small_index.h"
#include "tessera/library/host/gather.h"

namespace tessera::bind {

namespace {

using library::IndexKind;
using library::IndexMode;

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

/// The arguments of gather and scatter.
ops::Arguments indexing(IndexKind kind, IndexMode mode, int axis = 0) {
  return {0, static_cast<int>(kind), static_cast<int>(mode), axis};
}

/// Integers of any type as they are; booleans as numbers.
Array as_integers(const Array& indices) {
  return is_integer(indices.dtype()) ? indices : in_dtype(indices, DType::int64);
}

/// a.take(indices, axis): a new array.
Array take_along(const Array& array, const Array& indices, int axis, IndexMode mode) {
  static const ops::Routine &take = Engine::routine("take"), &take_within = Engine::routine("take_within");
  const bool raises = mode == IndexMode::raise;
  Array taken;
  if (raises && (taken = try_small_take(array, indices))) return taken;
  const Array operands[] = {array, as_integers(indices)};
  Engine::instance().call(raises ? take : take_within, operands, {axis, mode == IndexMode::wrap},
                          Context{.site = call_site()}, std::span(&taken, 1));
  return taken;
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

/// The array of an argument that is written in place.
const Array& writable_array(const char* function, PyObject* object) {
  if (!is_ndarray(object)) throw ForeignArgument{};
  if (!as_ndarray(object)->writeable)
    warn_or_refuse(as_ndarray(object), format("{}: output array is read-only", function));
  return as_ndarray(object)->array;
}

void scatter(const Array& array, const Array& values, const Array& indices, const ops::Arguments& arguments,
             IndexMode mode) {
  static const ops::Routine& routine = Engine::routine("scatter");
  if (mode == IndexMode::raise && try_small_put(array, indices, values)) return;
  const Array operands[] = {array, in_dtype(values, array.dtype()), as_integers(indices)};
  Engine::instance().call(routine, operands, arguments, Context{.site = call_site()}, {});
}

PyObject* put(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("put", args, nargs, names, [](Arguments& arguments) {
    const Array& array = writable_array("put", arguments.needed(0, "a"));
    Array indices = index_array(arguments.needed(1, "ind"));
    Array values = needed_array(arguments.needed(2, "v"), array.dtype());
    IndexMode mode = to_mode(arguments.at(3, "mode"));
    arguments.finish(4);
    if (values.size() == 0 || indices.size() == 0) return Py_NewRef(Py_None);
    scatter(array, values, indices, indexing(IndexKind::flat, mode), mode);
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
};

Array integer_indices(PyObject* object) {
  Array indices = needed_array(object);
  require<IndexError>(is_integer(indices.dtype()), "`indices` must be an integer array");
  return indices;
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
    if (Array taken = array.ndim() == indices.ndim() ? try_small_take(array, indices) : Array{})
      return wrap(std::move(taken));
    static const ops::Routine& gather = Engine::routine("gather");
    const AlongAxis along(array, indices, axis);
    const Array operands[] = {array.with_view(along.view), indices.with_view(along.index_view)};
    Array taken;
    Engine::instance().call(gather, operands, indexing(IndexKind::along, IndexMode::raise, axis),
                            Context{.site = call_site()}, std::span(&taken, 1));
    return wrap(restore_axis(taken, axis));
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
    scatter(array.with_view(along.view), values.with_view(wide), indices.with_view(along.index_view),
            indexing(IndexKind::along, IndexMode::raise, axis), IndexMode::raise);
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
