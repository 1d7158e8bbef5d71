// Operators of lazy scalars: arithmetic with floats stays lazy, all other operators use the true scalar.
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/bind/ufunc/ufunc_apply.h"

namespace tessera::bind {

namespace {

/// One operand of an operator, as a scalar.
struct Kind {
  bool is_pending = false;
  bool is_inexact = false;
  bool is_number = true;  // a Python or NumPy number

  explicit Kind(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    if (is_lazy(object)) {
      is_pending = pending_scalar(object);
      is_inexact = is_floating(lazy_dtype(object)) || is_complex(lazy_dtype(object));
    } else if (type == &PyFloat_Type || type == &PyComplex_Type || type == &PyDoubleArrType_Type) {
      is_inexact = true;
    } else if (const auto dtype = dtype_of_scalar_type(type)) {
      is_inexact = is_floating(*dtype) || is_complex(*dtype);
    } else {
      is_number = type == &PyLong_Type || type == &PyBool_Type;
    }
  }
};

/// Whether the engine gives the result of NumPy's scalars: integer scalars warn when they overflow, arrays do not.
bool stays_lazy(const Kind& a, const Kind& b) {
  return (a.is_pending || b.is_pending) && a.is_number && b.is_number && (a.is_inexact || b.is_inexact);
}

/// Records the op; null where only NumPy supports an operand.
PyObject* try_record(const ops::Op& op, std::initializer_list<PyObject*> operands) {
  UfuncCall call{.op = op};
  for (PyObject* operand : operands) call.inputs.push_back(operand);
  try {
    return apply(call);
  } catch (const Foreign&) {
    return nullptr;
  }
}

using Binary = PyObject* (*)(PyObject*, PyObject*);
using Unary = PyObject* (*)(PyObject*);

PyObject* binary(const ops::Op* op, Binary by_value, PyObject* a, PyObject* b) {
  if (is_ndarray(a) || is_ndarray(b)) Py_RETURN_NOTIMPLEMENTED;  // the array's operator handles it
  return guarded([&] {
    if (op && stays_lazy(Kind(a), Kind(b))) {
      if (PyObject* result = try_record(*op, {a, b})) return result;
    }
    return by_value(without_laziness(a), without_laziness(b));
  });
}

PyObject* unary(const ops::Op* op, Unary by_value, PyObject* a) {
  return guarded([&] {
    const Kind kind(a);
    if (op && kind.is_pending && kind.is_inexact) return checked(try_record(*op, {a}));
    return by_value(true_scalar(a));
  });
}

const ops::Op* find(const char* name) { return ops::OpTable::standard().find(name); }

// One function for each slot; without an op, the operands are synchronised.
#define TESSERA_BINARY(slot, op_name, function) \
  PyObject* slot(PyObject* a, PyObject* b) {    \
    static const ops::Op* op = find(op_name);   \
    return binary(op, function, a, b);          \
  }
#define TESSERA_UNARY(slot, op_name, function) \
  PyObject* slot(PyObject* a) {                \
    static const ops::Op* op = find(op_name);  \
    return unary(op, function, a);             \
  }
TESSERA_BINARY(add, "add", PyNumber_Add)
TESSERA_BINARY(subtract, "subtract", PyNumber_Subtract)
TESSERA_BINARY(multiply, "multiply", PyNumber_Multiply)
TESSERA_BINARY(divide, "divide", PyNumber_TrueDivide)
TESSERA_BINARY(floor_divide, "floor_divide", PyNumber_FloorDivide)
TESSERA_BINARY(remainder, "remainder", PyNumber_Remainder)
TESSERA_BINARY(divmod, "", PyNumber_Divmod)
TESSERA_BINARY(bit_and, "", PyNumber_And)
TESSERA_BINARY(bit_or, "", PyNumber_Or)
TESSERA_BINARY(bit_xor, "", PyNumber_Xor)
TESSERA_BINARY(shift_left, "", PyNumber_Lshift)
TESSERA_BINARY(shift_right, "", PyNumber_Rshift)
TESSERA_BINARY(matrix_multiply, "", PyNumber_MatrixMultiply)
TESSERA_UNARY(negative, "negative", PyNumber_Negative)
TESSERA_UNARY(positive, "positive", PyNumber_Positive)
TESSERA_UNARY(absolute, "absolute", PyNumber_Absolute)
TESSERA_UNARY(invert, "", PyNumber_Invert)
TESSERA_UNARY(as_int, "", PyNumber_Long)
TESSERA_UNARY(as_float, "", PyNumber_Float)
TESSERA_UNARY(as_index, "", PyNumber_Index)
#undef TESSERA_BINARY
#undef TESSERA_UNARY

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  static const ops::Op* op = find("power");
  if (modulus != Py_None) {
    return guarded([&] { return PyNumber_Power(without_laziness(a), without_laziness(b), without_laziness(modulus)); });
  }
  const Binary by_value = [](PyObject* x, PyObject* y) { return PyNumber_Power(x, y, Py_None); };
  static const ops::Op* square = find("square");
  const ops::Op* cheaper = pending_scalar(a) ? cheaper_power(lazy_dtype(a), b) : nullptr;
  // For other complex powers, only power itself rounds as NumPy's scalars do.
  if (!cheaper || !Kind(a).is_inexact || (is_complex(lazy_dtype(a)) && cheaper != square))
    return binary(op, by_value, a, b);
  return guarded([&] { return checked(try_record(*cheaper, {a})); });
}

int is_true(PyObject* self) {
  return guarded([&] { return PyObject_IsTrue(true_scalar(self)); }, -1);
}

}  // namespace

PyNumberMethods lazy_numbers = {
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
    .nb_floor_divide = floor_divide,
    .nb_true_divide = divide,
    .nb_matrix_multiply = matrix_multiply,
};

PyNumberMethods lazy_integers = [] {
  PyNumberMethods methods = lazy_numbers;
  methods.nb_index = as_index;
  return methods;
}();

}  // namespace tessera::bind
