#include "tessera/base/error.h"
#include "tessera/bind/array/array_wrap.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/eager/host_array.h"
#include "tessera/library/host/sort.h"

namespace tessera::bind {

namespace {

// A method that forwards to the function of the same name in tessera.numpy, where its semantics are implemented once.
#define TESSERA_FORWARD(name, function)                                                      \
  PyObject* name(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) { \
    return guarded([&] {                                                                     \
      static constinit Kept kept;                                                            \
      PyObject* found = kept.get([] { return Py_NewRef(numpy_function(function)); });        \
      return forward_method(found, self, args, nargs, names);                                \
    });                                                                                      \
  }

TESSERA_FORWARD(argpartition, "argpartition")
TESSERA_FORWARD(argsort, "argsort")
TESSERA_FORWARD(cumprod, "cumprod")
TESSERA_FORWARD(mean, "mean")
TESSERA_FORWARD(put, "put")
TESSERA_FORWARD(round, "round")
TESSERA_FORWARD(std, "std")
TESSERA_FORWARD(trace, "trace")
TESSERA_FORWARD(var, "var")

// Reductions that are a ufunc's reduce, which takes the same arguments but reduces the first axis when none is given.
PyObject* reduction(PyObject* reduce, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (nargs > 0 || names) return call_with_self(reduce, self, args, nargs, names);
  PyObject* all[] = {self, Py_None};
  return PyObject_Vectorcall(reduce, all, 2, nullptr);
}
#define TESSERA_REDUCE(ufunc)                                                              \
  guarded([&] {                                                                            \
    static constinit Kept kept;                                                            \
    PyObject* reduce = kept.get([] { return Py_NewRef(core_function(ufunc, "reduce")); }); \
    return reduction(reduce, self, args, nargs, names);                                    \
  })

bool names_axis(PyObject* names) {
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "axis") == 0) return true;
  }
  return false;
}

/// Whether the call may go to the ufunc's reduce: later positional arguments differ between methods, and a missing axis
/// means None.
bool reads_as_reduce(Py_ssize_t nargs, PyObject* names) {
  return nargs == 1 || (nargs == 0 && (!names || names_axis(names)));
}

#define TESSERA_REDUCING(name, ufunc)                                                        \
  PyObject* name(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) { \
    if (reads_as_reduce(nargs, names)) return TESSERA_REDUCE(ufunc);                         \
    return forward_method(#name, self, args, nargs, names);                                  \
  }
// any and all give booleans whatever the keywords are, so only the call without keywords goes to the ufunc.
#define TESSERA_TRUTH(name, ufunc)                                                           \
  PyObject* name(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) { \
    if (nargs == 0 && !names) return TESSERA_REDUCE(ufunc);                                  \
    return forward_method(#name, self, args, nargs, names);                                  \
  }

TESSERA_REDUCING(sum, "add")
TESSERA_REDUCING(prod, "multiply")
TESSERA_REDUCING(max, "maximum")
TESSERA_REDUCING(min, "minimum")
TESSERA_TRUTH(any, "logical_or")
TESSERA_TRUTH(all, "logical_and")
#undef TESSERA_TRUTH
#undef TESSERA_REDUCING
#undef TESSERA_REDUCE

// Functions over the host routines, which take positional arguments as NumPy's do.
#define TESSERA_DIRECT(name)                                                                      \
  PyObject* name(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {      \
    if (names) return forward_method(#name, self, args, nargs, names);                            \
    PyObject* result = guarded([&] {                                                              \
      static constinit Kept kept;                                                                 \
      PyObject* found = kept.get([] { return Py_NewRef(core_function(#name)); });                 \
      return call_with_self(found, self, args, nargs, names);                                     \
    });                                                                                           \
    return result && is_derived(self) && is_ndarray(result) ? in_class_of(self, result) : result; \
  }

TESSERA_DIRECT(argmax)
TESSERA_DIRECT(argmin)
TESSERA_DIRECT(nonzero)
TESSERA_DIRECT(repeat)
TESSERA_DIRECT(take)
#undef TESSERA_DIRECT

TESSERA_FORWARD(cumsum, "cumsum")
TESSERA_FORWARD(dot, "dot")
TESSERA_FORWARD(searchsorted, "searchsorted")
#undef TESSERA_FORWARD

/// a.choose(x, y, ...) is a.choose((x, y, ...)).
PyObject* choose(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (nargs < 2) return forward_method("choose", self, args, nargs, names);
  return guarded([&] {
    Object choices = owned(PyTuple_New(nargs));
    for (Py_ssize_t k = 0; k < nargs; ++k) PyTuple_SET_ITEM(choices.get(), k, Py_NewRef(args[k]));
    SmallVector<PyObject*, 8> all{choices.get()};
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) all.push_back(args[nargs + k]);
    return call_with_self(numpy_function("choose"), self, all.data(), 1, names);
  });
}

/// a.clip(min=None, max=None, out=None, **kwargs): either bound may be missing.
PyObject* clip(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (nargs >= 2) return forward_method("clip", self, args, nargs, names);
  return guarded([&] {
    PyObject* bounds[2] = {nargs ? args[0] : Py_None, Py_None};
    SmallVector<PyObject*, 8> values;
    Object others = owned(PyList_New(0));
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
      PyObject* name = PyTuple_GET_ITEM(names, k);
      if (!nargs && PyUnicode_CompareWithASCIIString(name, "min") == 0) {
        bounds[0] = args[nargs + k];
      } else if (PyUnicode_CompareWithASCIIString(name, "max") == 0) {
        bounds[1] = args[nargs + k];
      } else {
        checked(PyList_Append(others.get(), name));
        values.push_back(args[nargs + k]);
      }
    }
    SmallVector<PyObject*, 8> all{bounds[0], bounds[1]};
    for (PyObject* value : values) all.push_back(value);
    Object rest = owned(PyList_AsTuple(others.get()));
    return call_with_self(numpy_function("clip"), self, all.data(), 2, rest.get());
  });
}

/// Real arrays are their own conjugates.
PyObject* conjugate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (nargs == 0 && !names && !is_complex(as_ndarray(self)->array.dtype())) return Py_NewRef(self);
  return forward_method("conjugate", self, args, nargs, names);
}

/// a.compress(condition, axis, out) is numpy.compress(condition, a, axis, out).
PyObject* compress(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("compress", args, nargs, names);
    PyObject* condition = arguments.needed(0, "condition");
    PyObject* axis = arguments.at(1, "axis");
    PyObject* out = arguments.at(2, "out");
    arguments.finish(3);
    PyObject* all[] = {condition, self, axis ? axis : Py_None, out ? out : Py_None};
    return PyObject_Vectorcall(numpy_function("compress"), all, 4, nullptr);
  });
}

/// Sorts a settled contiguous last axis in place; false when the general path is needed.
bool sort_in_place(PyObject* self) {
  const Array& array = as_ndarray(self)->array;
  char* data = eager::writable(array);
  if (!data || array.ndim() == 0 || !array.view.is_c_contiguous() || array.size() == 0) return false;
  int64_t n = array.shape().back();
  library::sort_rows(data + array.view.offset, array.dtype(), array.size() / n, n);
  return true;
}

/// Sorting methods assign the function's result back to the array.
PyObject* replace_by(const char* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    require_writeable(as_ndarray(self), format("{} array is read-only", function));
    Object result = owned(forward_method(function, self, args, nargs, names));
    checked(PyObject_SetItem(self, Py_Ellipsis, result.get()));
    return Py_NewRef(Py_None);
  });
}

PyObject* sort(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  bool plain = nargs == 0 && !names && as_ndarray(self)->writeable;
  if (plain && guarded([&] { return sort_in_place(self) ? 1 : 0; }, -1)) {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_NONE;
  }
  return replace_by("sort", self, args, nargs, names);
}

PyObject* partition(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (nargs > 1 && args[1] == Py_None)
    return PyErr_Format(PyExc_TypeError, "'NoneType' object cannot be interpreted as an integer");
  for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
    const bool flat =
        args[nargs + k] == Py_None && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, k), "axis") == 0;
    if (flat) return PyErr_Format(PyExc_TypeError, "'NoneType' object cannot be interpreted as an integer");
  }
  return replace_by("partition", self, args, nargs, names);
}

/// Reverses the bytes of each element, through a view of single bytes.
PyObject* byteswap(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("byteswap", args, nargs, names);
    PyObject* inplace = arguments.at(0, "inplace");
    arguments.finish(1);
    const Array& array = as_ndarray(self)->array;
    Engine& engine = Engine::instance();
    DType part = is_complex(array.dtype()) ? real_dtype(array.dtype()) : array.dtype();
    int64_t size = itemsize(part);
    Array source = copy_array(array, array.dtype(), Order::c);
    Array bytes =
        source.with_view(View::contiguous(Dims{array.size() * array.view.itemsize() / size, size}, DType::uint8));
    Array reversed = copy_array(bytes.with_view(bytes.view.slice(1, size - 1, -1, size)), DType::uint8, Order::c);
    Array result = reversed.with_view(View::contiguous(array.shape(), array.dtype()));
    if (!inplace || !PyObject_IsTrue(inplace)) return wrap_as(Py_TYPE(self), std::move(result), nullptr, true, self);
    require_writeable(as_ndarray(self), "assignment destination is read-only");
    engine.assign(array, Operand(std::move(result)), {});
    return Py_NewRef(self);
  });
}

#define TESSERA_NAMED(text, name, doc)                                                                          \
  PyMethodDef {                                                                                                 \
    text, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(name)), METH_FASTCALL | METH_KEYWORDS, doc \
  }
#define TESSERA_METHOD(name, doc) TESSERA_NAMED(#name, name, doc)

const PyMethodDef table[] = {
    TESSERA_METHOD(all, "Whether every element is true."),
    TESSERA_METHOD(any, "Whether some element is true."),
    TESSERA_METHOD(argmax, "Where the largest element stands."),
    TESSERA_METHOD(argmin, "Where the smallest element stands."),
    TESSERA_METHOD(argpartition, "The indices that partition the array."),
    TESSERA_METHOD(argsort, "The indices that sort the array."),
    TESSERA_METHOD(byteswap, "The elements with their bytes reversed."),
    TESSERA_METHOD(choose, "Elements picked from several arrays."),
    TESSERA_METHOD(clip, "The elements limited to a range."),
    TESSERA_METHOD(compress, "Slices selected by a condition."),
    TESSERA_NAMED("conj", conjugate, "The complex conjugate."),
    TESSERA_METHOD(conjugate, "The complex conjugate."),
    TESSERA_METHOD(cumprod, "Products of the elements so far."),
    TESSERA_METHOD(cumsum, "Sums of the elements so far."),
    TESSERA_METHOD(dot, "The dot product."),
    TESSERA_METHOD(max, "The largest element."),
    TESSERA_METHOD(mean, "The mean of the elements."),
    TESSERA_METHOD(min, "The smallest element."),
    TESSERA_METHOD(nonzero, "Where the elements are not zero."),
    TESSERA_METHOD(partition, "Partitions the array in place."),
    TESSERA_METHOD(prod, "The product of the elements."),
    TESSERA_METHOD(put, "Stores values at flat positions."),
    TESSERA_METHOD(repeat, "Elements repeated."),
    TESSERA_METHOD(round, "The elements rounded."),
    TESSERA_METHOD(searchsorted, "Where values belong in a sorted array."),
    TESSERA_METHOD(sort, "Sorts the array in place."),
    TESSERA_METHOD(std, "The standard deviation."),
    TESSERA_METHOD(sum, "The sum of the elements."),
    TESSERA_METHOD(take, "Elements at positions along an axis."),
    TESSERA_METHOD(trace, "The sum of a diagonal."),
    TESSERA_METHOD(var, "The variance."),
};

}  // namespace

std::span<const PyMethodDef> function_methods() { return table; }

}  // namespace tessera::bind
