#include "tessera/bind/host/host_call.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/index/assign.h"

#include "tessera/base/error.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/library/host/copy.h"

namespace tessera::bind {

Array needed_array(PyObject* object, std::optional<DType> dtype) {
  if (is_ndarray(object) && !dtype) return as_ndarray(object)->array;
  Array array;
  if (to_array(object, dtype, array) == Conversion::foreign) throw ForeignArgument{};
  return array;
}

Array index_array(PyObject* object, Casting casting) {
  Array array = needed_array(object);
  // NumPy reads an empty list, which it gives float64, as an empty set of indices.
  if (array.size() == 0 && !is_ndarray(object) && PySequence_Check(object) && array.dtype() == DType::float64 &&
      !PyArray_Check(object)) {
    return needed_array(object, DType::int64);
  }
  require<TypeError>(can_cast(array.dtype(), DType::int64, casting),
                     "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule '{}'",
                     array.dtype(), casting == Casting::safe ? "safe" : "same_kind");
  return array;
}

Array flattened(const Array& array) {
  int64_t size = array.size();
  if (auto view = array.view.try_reshape(Dims{size})) return array.with_view(*view);
  Fresh copy = fresh(array.shape(), array.dtype());
  library::copy_view(Engine::instance().read(array), array.view, copy.data, copy.array.view);
  return copy.array.with_view(View::contiguous(Dims{size}, array.dtype()));
}

Packed::Packed(Array array, std::optional<DType> dtype) : array_(std::move(array)) {
  Engine& engine = Engine::instance();
  DType wanted = dtype.value_or(array_.dtype());
  data_ = engine.read(array_);
  if (wanted != array_.dtype() || !array_.view.is_c_contiguous()) {
    Array packed = engine.empty(array_.shape(), wanted);
    char* to = engine.write(packed);
    library::copy_view(data_, array_.view, to, packed.view);
    array_ = std::move(packed);
    data_ = to;
  }
  held_ = array_.storage->current;
}

Array in_dtype(const Array& array, DType dtype) {
  if (array.dtype() == dtype) return array;
  const char* from = array.size() <= eager::small_limit ? eager::readable(array) : nullptr;
  if (!from) return Engine::instance().contiguous(array, dtype);
  Fresh cast = fresh(array.shape(), dtype);
  library::copy_view(from + array.view.offset, array.view, cast.data, cast.array.view);
  return cast.array;
}

Fresh fresh(std::span<const int64_t> shape, DType dtype) {
  Array array = Engine::instance().empty(shape, dtype);
  char* data = Engine::instance().write(array);
  return {std::move(array), data};
}

View axis_last(const View& view, int axis) {
  View moved = view;
  for (int k = axis; k + 1 < view.ndim(); ++k) moved = moved.swap_axes(k, k + 1);
  return moved;
}

View axis_back(const View& view, int axis) {
  View moved = view;
  for (int k = view.ndim() - 1; k > axis; --k) moved = moved.swap_axes(k - 1, k);
  return moved;
}

Array restore_axis(const Array& moved, int axis) {
  if (axis == moved.ndim() - 1) return moved;
  return copy_array(moved.with_view(axis_back(moved.view, axis)), moved.dtype(), Order::c);
}

Slabs::Slabs(std::span<const int64_t> shape, int axis) {
  for (int k = 0; k < static_cast<int>(shape.size()); ++k) (k < axis ? outer : k == axis ? n : inner) *= shape[k];
}

PyObject* deliver(const char* function, Array result, PyObject* out) {
  if (!is_none(out) && is_ndarray(out)) {
    const DType to = as_ndarray(out)->array.dtype();
    require<TypeError>(can_cast(to, result.dtype(), Casting::safe),
                       "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule 'safe'", to,
                       result.dtype());
  }
  return deliver_cast(function, std::move(result), out);
}

PyObject* deliver_cast(const char* function, Array result, PyObject* out) {
  if (is_none(out)) return result.ndim() == 0 ? wrap_result(std::move(result)) : wrap(std::move(result));
  if (!is_ndarray(out)) throw ForeignArgument{};
  NdArray* target = as_ndarray(out);
  require_writeable(target, "output array is read-only");
  require<ValueError>(target->array.shape() == result.shape(),
                      "{}: output array has shape {} but the result has shape {}", function,
                      shape_text(target->array.shape()), shape_text(result.shape()));
  warn_when_complex_is_cut(result.dtype(), target->array.dtype());
  Engine::instance().assign(target->array, Operand(std::move(result)), Context{});
  return Py_NewRef(out);
}

int to_axis(PyObject* axis, int ndim, int fallback) {
  return is_none(axis) ? fallback : normalize_axis(to_int(axis), ndim);
}

PyObject* call_numpy(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  static constinit Imported call("tessera._fallback", "call");
  Object positional = owned(PyTuple_New(nargs));
  for (Py_ssize_t k = 0; k < nargs; ++k) PyTuple_SET_ITEM(positional.get(), k, Py_NewRef(args[k]));
  Object keywords = owned(PyDict_New());
  for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k)
    checked(PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(names, k), args[nargs + k]));
  Object text = owned(PyUnicode_FromString(name));
  Object reason = owned(PyUnicode_FromString("an argument has a dtype that stays NumPy's"));
  PyObject* all[] = {text.get(), positional.get(), keywords.get(), reason.get()};
  return PyObject_Vectorcall(call, all, 4, nullptr);
}

}  // namespace tessera::bind
