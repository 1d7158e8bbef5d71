#include <optional>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/function/linalg.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/bind/ufunc/ufunc_call.h"

namespace tessera::bind {

namespace {

const ops::Op& named(const char* name) {
  const ops::Op* op = ops::OpTable::standard().find(name);
  require<NotImplementedError>(op != nullptr, "the op table has no '{}'", name);
  return *op;
}

bool is_plain_number(PyTypeObject* type) {
  return type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyComplex_Type;
}

/// The object's __array_priority__, which orders array classes that support each other; nothing where it has none.
std::optional<double> stated_priority(PyObject* object) {
  static constinit Interned name("__array_priority__");
  Object priority(PyObject_GetAttr(object, name));
  std::optional<double> value;
  if (priority) value = PyFloat_AsDouble(priority.get());
  if (PyErr_Occurred()) value.reset();
  PyErr_Clear();
  return value;
}

/// Whether the class of `other` overrides operators with `own`, a tessera array, by NumPy's rules for array-likes.
bool wants_to_answer(PyObject* other, PyObject* own) {
  PyTypeObject* type = Py_TYPE(other);
  if (type == ndarray_type || is_plain_number(type) || PyArray_IsScalar(other, Generic) || PyArray_CheckExact(other) ||
      is_lazy(other))
    return false;
  if (type == &PyList_Type || type == &PyTuple_Type || is_ndarray(other)) return false;
  if (PyArray_Check(other)) return std::string_view(type->tp_name) != "numpy.memmap";  // matrices, masked arrays, units
  static constinit Interned ufunc_name("__array_ufunc__");
  PyObject* cls = reinterpret_cast<PyObject*>(type);
  if (Object hook(PyObject_GetAttr(cls, ufunc_name)); hook) return hook.get() == Py_None;  // else the ufunc calls it
  PyErr_Clear();
  const std::optional<double> theirs = stated_priority(other);
  return theirs && *theirs > (Py_TYPE(own) == ndarray_type ? 0.0 : stated_priority(own).value_or(0.0));
}

/// The Python names of an operator's forward and reflected methods.
struct Dunders {
  const char* forward;
  const char* reflected;
};

/// object.method(argument), or null when there is no such method or it returns NotImplemented.
PyObject* ask(PyObject* object, const char* method, PyObject* argument) {
  Object found(PyObject_GetAttrString(object, method));
  if (!found) return PyErr_Clear(), nullptr;
  Object answer = owned(PyObject_CallOneArg(found.get(), argument));
  return answer.get() == Py_NotImplemented ? nullptr : answer.release();
}

/// Calls the other class's method; one that supports only NumPy's arrays is called again with a NumPy array.
PyObject* defer(const Dunders& names, PyObject* a, PyObject* b) {
  const bool forward = is_ndarray(a);
  PyObject* own = forward ? a : b;
  PyObject* other = forward ? b : a;
  const char* method = forward ? names.reflected : names.forward;
  if (forward) {
    if (PyObject* answer = ask(other, method, own)) return answer;
  }
  Object numpy = owned(to_numpy(own));
  if (PyObject* answer = ask(other, method, numpy.get())) return answer;
  Py_RETURN_NOTIMPLEMENTED;
}

PyObject* binary(const ops::Op& op, const Dunders& names, PyObject* a, PyObject* b) {
  PyObject* other = Py_TYPE(a) == ndarray_type || is_ndarray(a) ? b : a;
  const bool is_ours = Py_TYPE(other) == ndarray_type || PyFloat_CheckExact(other);
  if (!is_ours && wants_to_answer(other, other == b ? a : b)) [[unlikely]]
    return defer(names, a, b);
  return call_binary(op, a, b);
}

PyObject* in_place(const ops::Op& op, PyObject* self, PyObject* other) {
  require_writeable(as_ndarray(self), "output array is read-only");
  return call_binary(op, self, other, self);
}

// One function for each slot; the op is looked up once.
#define TESSERA_BINARY(slot, name, dunder)                            \
  PyObject* slot(PyObject* a, PyObject* b) {                          \
    return guarded([&] {                                              \
      static const ops::Op& op = named(name);                         \
      return binary(op, {"__" dunder "__", "__r" dunder "__"}, a, b); \
    });                                                               \
  }                                                                   \
  PyObject* inplace_##slot(PyObject* a, PyObject* b) {                \
    return guarded([&] {                                              \
      static const ops::Op& op = named(name);                         \
      return in_place(op, a, b);                                      \
    });                                                               \
  }
#define TESSERA_UNARY(slot, name)             \
  PyObject* slot(PyObject* a) {               \
    return guarded([&] {                      \
      static const ops::Op& op = named(name); \
      return call_unary(op, a);               \
    });                                       \
  }

TESSERA_BINARY(add, "add", "add")
TESSERA_BINARY(subtract, "subtract", "sub")
TESSERA_BINARY(multiply, "multiply", "mul")
TESSERA_BINARY(true_divide, "divide", "truediv")
TESSERA_BINARY(floor_divide, "floor_divide", "floordiv")
TESSERA_BINARY(remainder, "remainder", "mod")
TESSERA_BINARY(bit_and, "bitwise_and", "and")
TESSERA_BINARY(bit_or, "bitwise_or", "or")
TESSERA_BINARY(bit_xor, "bitwise_xor", "xor")
TESSERA_BINARY(shift_left, "left_shift", "lshift")
TESSERA_BINARY(shift_right, "right_shift", "rshift")
TESSERA_UNARY(negative, "negative")
TESSERA_UNARY(positive, "positive")
TESSERA_UNARY(absolute, "absolute")
TESSERA_UNARY(invert, "invert")
#undef TESSERA_BINARY
#undef TESSERA_UNARY

PyObject* divmod(PyObject* a, PyObject* b) {
  return guarded([&] {
    static const ops::Op& op = named("divmod");
    return binary(op, {"__divmod__", "__rdivmod__"}, a, b);
  });
}

const ops::Op* cheaper_power_of(PyObject* base, PyObject* exponent) {
  return is_ndarray(base) ? cheaper_power(as_ndarray(base)->array.dtype(), exponent) : nullptr;
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    static const ops::Op& op = named("power");
    if (const ops::Op* cheaper = cheaper_power_of(a, b)) return call_unary(*cheaper, a);
    return binary(op, {"__pow__", "__rpow__"}, a, b);
  });
}

PyObject* inplace_power(PyObject* a, PyObject* b, PyObject*) {
  return guarded([&] {
    static const ops::Op& op = named("power");
    if (const ops::Op* cheaper = cheaper_power_of(a, b); cheaper && as_ndarray(a)->writeable)
      return call_unary(*cheaper, a, a);
    return in_place(op, a, b);
  });
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  return guarded([&] {
    PyObject *other = is_ndarray(a) ? b : a, *own = is_ndarray(a) ? a : b;
    if (wants_to_answer(other, own)) return defer({"__matmul__", "__rmatmul__"}, a, b);
    Object product = owned(matmul(a, b));
    if (product.get() != Py_NotImplemented) return product.release();
    PyObject* args[] = {a, b};
    return PyObject_Vectorcall(numpy_function("matmul"), args, 2, nullptr);
  });
}

PyObject* inplace_matrix_multiply(PyObject* a, PyObject* b) {
  return guarded([&] {
    Object product = owned(matrix_multiply(a, b));
    if (product.get() == Py_NotImplemented) return product.release();
    require<ValueError>(
        is_ndarray(product.get()) && as_ndarray(product.get())->array.shape() == as_ndarray(a)->array.shape(),
        "inplace matrix multiplication requires the result to have the shape of the first operand {}",
        as_ndarray(a)->array.shape());
    checked(PyObject_SetItem(a, Py_Ellipsis, product.get()));
    return Py_NewRef(a);
  });
}

int is_true(PyObject* self) {
  return guarded(
      [&] {
        const Array& array = as_ndarray(self)->array;
        int64_t size = array.size();
        require<ValueError>(size != 0,
                            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
                            "array is not empty.");
        require<ValueError>(
            size == 1, "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
        Object element = owned(load_element(as_ndarray(self), 0));
        return PyObject_IsTrue(element.get());
      },
      -1);
}

/// int(a), float(a), a.__index__(): from the element of a 0-d array, else NumPy's error.
PyObject* as_number(PyObject* self, PyObject* (*convert)(PyObject*)) {
  return guarded([&] {
    if (as_ndarray(self)->array.ndim() != 0) {
      Object numpy = owned(to_numpy(self));
      return convert(numpy.get());
    }
    Object element = owned(load_element(as_ndarray(self), 0));
    return convert(element.get());
  });
}

PyObject* as_int(PyObject* self) { return as_number(self, PyNumber_Long); }
PyObject* as_float(PyObject* self) { return as_number(self, PyNumber_Float); }

PyObject* as_index(PyObject* self) {
  return guarded([&] {
    const Array& array = as_ndarray(self)->array;
    require<TypeError>(array.ndim() == 0 && is_integer(array.dtype()),
                       "only integer scalar arrays can be converted to a scalar index");
    return as_number(self, PyNumber_Index);
  });
}

}  // namespace

const ops::Op* cheaper_power(DType base, PyObject* exponent) {
  bool inexact = is_floating(base) || is_complex(base);
  double value;
  if (PyLong_CheckExact(exponent)) {
    value = PyLong_AsDouble(exponent);
    if (value == -1 && PyErr_Occurred()) return PyErr_Clear(), nullptr;
    if (!inexact && value != 2) return nullptr;
  } else if (PyFloat_CheckExact(exponent) && inexact) {
    value = PyFloat_AS_DOUBLE(exponent);
  } else {
    return nullptr;
  }
  if (value == 2) return &named("square");
  if (value == 1) return &named("positive");
  if (value == 0.5) return &named("sqrt");
  if (value == -1) return &named("reciprocal");
  return nullptr;
}

PyNumberMethods number_slots = {
    .nb_add = add,
    .nb_subtract = subtract,
    .nb_multiply = multiply,
    .nb_remainder = remainder,
    .nb_divmod = divmod,
    .nb_power = power,
    .nb_negative = negative,
    .nb_positive = positive,
    .nb_absolute = absolute,
    .nb_bool = is_true,
    .nb_invert = invert,
    .nb_lshift = shift_left,
    .nb_rshift = shift_right,
    .nb_and = bit_and,
    .nb_xor = bit_xor,
    .nb_or = bit_or,
    .nb_int = as_int,
    .nb_float = as_float,
    .nb_inplace_add = inplace_add,
    .nb_inplace_subtract = inplace_subtract,
    .nb_inplace_multiply = inplace_multiply,
    .nb_inplace_remainder = inplace_remainder,
    .nb_inplace_power = inplace_power,
    .nb_inplace_lshift = inplace_shift_left,
    .nb_inplace_rshift = inplace_shift_right,
    .nb_inplace_and = inplace_bit_and,
    .nb_inplace_xor = inplace_bit_xor,
    .nb_inplace_or = inplace_bit_or,
    .nb_floor_divide = floor_divide,
    .nb_true_divide = true_divide,
    .nb_inplace_floor_divide = inplace_floor_divide,
    .nb_inplace_true_divide = inplace_true_divide,
    .nb_index = as_index,
    .nb_matrix_multiply = matrix_multiply,
    .nb_inplace_matrix_multiply = inplace_matrix_multiply,
};

namespace {

/// Arrays whose types no loop compares are unequal in every element.
PyObject* never_equal(PyObject* self, PyObject* other, int op) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  static constinit Imported no_loop("numpy._core._exceptions", "_UFuncNoLoopError");
  if (!PyErr_GivenExceptionMatches(type, no_loop)) {
    PyErr_Restore(type, value, traceback);
    return nullptr;
  }
  for (PyObject* part : {type, value, traceback}) Py_XDECREF(part);
  Object theirs = owned(PyArray_FromAny(other, nullptr, 0, 0, 0, nullptr));
  auto* array = reinterpret_cast<PyArrayObject*>(theirs.get());
  require<TypeError>(PyArray_TYPE(array) != NPY_VOID, "Cannot compare structured or void to non-void arrays.");
  std::span<const int64_t> shape(PyArray_DIMS(array), static_cast<size_t>(PyArray_NDIM(array)));
  Dims joined = broadcast_shapes(op == Py_EQ ? "equal" : "not_equal", as_ndarray(self)->array.shape(), shape);
  return wrap_result(Engine::instance().full(joined, Scalar::of_bool(op == Py_NE)));
}

}  // namespace

PyObject* compare_arrays(PyObject* self, PyObject* other, int op) {
  return guarded([&] {
    static const ops::Op* const table[] = {&named("less"),      &named("less_equal"), &named("equal"),
                                           &named("not_equal"), &named("greater"),    &named("greater_equal")};
    static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
    static constexpr Dunders names[] = {{"__lt__", "__gt__"}, {"__le__", "__ge__"}, {"__eq__", "__eq__"},
                                        {"__ne__", "__ne__"}, {"__gt__", "__lt__"}, {"__ge__", "__le__"}};
    PyObject* result = binary(*table[op], names[op], self, other);
    return result || (op != Py_EQ && op != Py_NE) ? result : never_equal(self, other, op);
  });
}

}  // namespace tessera::bind
