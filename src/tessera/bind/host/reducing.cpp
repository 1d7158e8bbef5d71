#include <algorithm>
#include <numeric>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/bind/host/squares_about_mean.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/ufunc/host_reduction.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/eager/host_array.h"
#include "tessera/library/host/scan.h"

namespace tessera::bind {

namespace {

PyObject* arg_extreme(const char* name, const ops::Routine& routine, PyObject* const* args, Py_ssize_t nargs,
                      PyObject* names) {
  return host_call(name, args, nargs, names, [&](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    PyObject* axis_object = arguments.at(1, "axis");
    PyObject* out = arguments.at(2, "out");
    PyObject* keepdims_object = arguments.at(3, "keepdims");
    arguments.finish(4);
    bool keepdims = keepdims_object && PyObject_IsTrue(keepdims_object) == 1;
    bool whole = is_none(axis_object) || array.ndim() == 0;
    if (array.ndim() == 0 && !is_none(axis_object)) {
      int64_t axis = to_int(axis_object);
      require<AxisError>(axis == 0 || axis == -1, "axis {} is out of bounds for array of dimension 0", axis);
    }
    int axis = whole ? 0 : normalize_axis(to_int(axis_object), array.ndim());
    Array found =
        Engine::instance().call_for_one(routine, std::span(&array, 1), {whole ? -1 : axis}, current_context());
    if (keepdims) {
      Dims shape = whole ? Dims(array.shape().size(), 1) : array.shape();
      if (!whole) shape[axis] = 1;
      found.view = View::contiguous(shape, DType::int64);
    }
    return deliver(name, std::move(found), out);
  });
}

PyObject* argmax(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  static const ops::Routine& routine = Engine::routine("argmax");
  return arg_extreme("argmax", routine, args, nargs, names);
}

PyObject* argmin(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  static const ops::Routine& routine = Engine::routine("argmin");
  return arg_extreme("argmin", routine, args, nargs, names);
}

/// Sums and products of narrow integers are accumulated in 64 bits.
DType accumulator(library::ScanOp op, DType dtype) {
  if (op != library::ScanOp::add && op != library::ScanOp::multiply) return dtype;
  if (is_boolean(dtype) || is_signed_integer(dtype)) return DType::int64;
  return is_unsigned_integer(dtype) ? DType::uint64 : dtype;
}

/// Scans the array along the axis; the result has the operand's memory order.
Array run_scan(library::ScanOp op, const Array& array, int axis, DType dtype) {
  if (has_falling_strides(array.view)) return scan_by_routine(op, array, axis, dtype);
  const int ndim = array.ndim();
  const View* operand[] = {&array.view};
  const Dims strides = common_layout(array.shape(), dtype, operand).strides;
  std::vector<int> outermost_first(static_cast<size_t>(ndim)), back(static_cast<size_t>(ndim));
  std::iota(outermost_first.begin(), outermost_first.end(), 0);
  std::stable_sort(outermost_first.begin(), outermost_first.end(),
                   [&](int a, int b) { return strides[a] > strides[b]; });
  for (int k = 0; k < ndim; ++k) back[static_cast<size_t>(outermost_first[static_cast<size_t>(k)])] = k;
  const Array done = scan_by_routine(op, array.with_view(array.view.transpose(outermost_first)),
                                     back[static_cast<size_t>(axis)], dtype);
  return done.with_view(done.view.transpose(back));
}

PyObject* scan_by(const char* function, library::ScanOp op, PyObject* a, PyObject* axis_object, PyObject* dtype_object,
                  PyObject* out) {
  Array array = needed_array(a);
  if (is_none(axis_object) || array.ndim() == 0) array = flattened(array);
  int axis = to_axis(axis_object, array.ndim(), 0);
  DType dtype = accumulator(op, array.dtype());
  if (!is_none(dtype_object)) {
    auto wanted = to_dtype(dtype_object);
    if (!wanted) throw ForeignArgument{};
    dtype = *wanted;
  } else if (!is_none(out) && is_ndarray(out)) {
    dtype = as_ndarray(out)->array.dtype();
  }
  warn_when_complex_is_cut(array.dtype(), dtype);
  require<TypeError>(library::has_scan(op, dtype), "{}: no loop for dtype {}", function, dtype);
  Array result = run_scan(op, array, axis, dtype);
  return deliver_cast(function, std::move(result), out);
}

PyObject* cumsum(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("cumsum", args, nargs, names, [](Arguments& arguments) {
    PyObject* a = arguments.needed(0, "a");
    PyObject* rest[] = {arguments.at(1, "axis"), arguments.at(2, "dtype"), arguments.at(3, "out")};
    arguments.finish(4);
    return scan_by("cumsum", library::ScanOp::add, a, rest[0], rest[1], rest[2]);
  });
}

PyObject* cumprod(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("cumprod", args, nargs, names, [](Arguments& arguments) {
    PyObject* a = arguments.needed(0, "a");
    PyObject* rest[] = {arguments.at(1, "axis"), arguments.at(2, "dtype"), arguments.at(3, "out")};
    arguments.finish(4);
    return scan_by("cumprod", library::ScanOp::multiply, a, rest[0], rest[1], rest[2]);
  });
}

PyObject* cumulative(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("cumulative", args, nargs, names, [](Arguments& arguments) {
    PyObject* a = arguments.needed(0, "a");
    PyObject* op_name = arguments.needed(1, "op_name");
    PyObject* rest[] = {arguments.at(2, "axis"), arguments.at(3, "dtype"), arguments.at(4, "out")};
    arguments.finish(5);
    require<TypeError>(PyUnicode_Check(op_name), "cumulative: op_name must be a string");
    const char* text = PyUnicode_AsUTF8(op_name);
    auto op = library::scan_from_name(text);
    require<TypeError>(op.has_value(), "cumulative: '{}' has no running form", text);
    return scan_by(text, *op, a, rest[0], rest[1], rest[2]);
  });
}

/// squares_about_mean(a, axis, dtype, keepdims): the dividend of a variance, computed in one pass; None where two
/// passes are better.
PyObject* squares_about_mean(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("squares_about_mean", args, nargs, names, [](Arguments& arguments) {
    const Array array = needed_array(arguments.needed(0, "a"));
    PyObject *axis = arguments.needed(1, "axis"), *dtype_object = arguments.needed(2, "dtype"),
             *keepdims = arguments.needed(3, "keepdims");
    arguments.finish(4);
    const std::vector<int> axes = to_axes(axis, array.ndim());
    const std::optional<DType> dtype = is_none(dtype_object) ? array.dtype() : to_dtype(dtype_object);
    // Only the two-pass algorithm reports underflow as NumPy does.
    const bool is_quiet = error_state().under == ErrorMode::ignore;
    std::optional<Array> result;
    if (dtype && is_quiet) result = bind::squares_about_mean(array, axes, *dtype);
    if (!result) return Py_NewRef(Py_None);
    for (int axis = 0; axis < array.ndim() && PyObject_IsTrue(keepdims) > 0; ++axis)
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) result->view = result->view.new_axis(axis);
    return deliver("squares_about_mean", *std::move(result), nullptr);
  });
}

}  // namespace

std::vector<PyMethodDef> reducing_methods() {
  return {
      host_method("argmax", argmax, "Where the first largest element is."),
      host_method("argmin", argmin, "Where the first smallest element is."),
      host_method("cumsum", cumsum, "Running sums along an axis."),
      host_method("cumprod", cumprod, "Running products along an axis."),
      host_method("cumulative", cumulative, "The scan of a ufunc along an axis."),
      host_method("squares_about_mean", squares_about_mean, "The sum of squared distances from the mean, or None.")};
}

}  // namespace tessera::bind
