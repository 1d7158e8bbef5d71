/// ufunc.outer and ufunc.resolve_dtypes.
#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/bind/ufunc/ufunc_object.h"

namespace tessera::bind {

namespace {

/// a[..., newaxis, ...] with `count` new axes; scalars are unchanged, since they broadcast to any shape.
Object with_new_axes(PyObject* a, int count) {
  Operand operand = to_native_operand(a);
  if (operand.is_scalar()) return Object::borrowed(a);
  View view = operand.array.view;
  for (int i = 0; i < count; ++i) view = view.new_axis(view.ndim());
  return owned(wrap(operand.array.with_view(view)));
}

int ndim_of(PyObject* object) {
  Operand operand = to_native_operand(object);
  return operand.is_scalar() ? 0 : operand.array.ndim();
}

/// An entry of resolve_dtypes: None leaves the type open; int, float and complex are Python scalars.
ops::OperandType to_operand_type(PyObject* object) {
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return {DType::int64, true};
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return {DType::float64, true};
  if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return {DType::complex128, true};
  auto dtype = PyArray_DescrCheck(object) ? to_native_dtype(object) : std::nullopt;
  require<TypeError>(dtype.has_value(), "Provided dtype must be a valid NumPy dtype, int, float, complex, or None.");
  return {*dtype};
}

}  // namespace

PyObject* ufunc_outer(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const ops::Op& op = op_of(self);
  require<ValueError>(op.nin == 2, "outer product only supported for binary functions");
  require<TypeError>(nargs == 2, "outer() takes exactly 2 positional arguments, but {} were provided.", nargs);
  const int left_ndim = ndim_of(args[0]), right_ndim = ndim_of(args[1]);
  require<ValueError>(left_ndim + right_ndim <= max_ndim, "maximum supported dimension for an ndarray is {}, found {}",
                      max_ndim, left_ndim + right_ndim);
  Object left = with_new_axes(args[0], right_ndim);
  SmallVector<PyObject*, 4> all{left.get(), args[1]};
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) all.push_back(args[nargs + i]);
  return apply(read_call(op, all.data(), 2, names));
}

PyObject* ufunc_resolve_dtypes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const ops::Op& op = op_of(self);
  Arguments a("resolve_dtypes", args, nargs, names);
  PyObject* dtypes = a.needed(0, "dtypes");
  PyObject* signature = a.take("signature");
  PyObject* casting = a.take("casting");
  PyObject* reduction = a.take("reduction");
  a.finish(1);
  if (reduction && PyObject_IsTrue(reduction) > 0) throw Foreign{"the dtypes of reductions are resolved by NumPy"};
  require<TypeError>(PyTuple_Check(dtypes), "resolve_dtypes: The dtypes must be given as a tuple");
  require<TypeError>(PyTuple_GET_SIZE(dtypes) == op.nin + op.nout,
                     "resolve_dtypes: dtypes must be a tuple of length {}, one entry an operand", op.nin + op.nout);
  std::vector<ops::OperandType> in;
  for (Py_ssize_t i = op.nin; i < op.nin + op.nout; ++i) {
    require<TypeError>(PyTuple_GET_ITEM(dtypes, i) == Py_None || PyArray_DescrCheck(PyTuple_GET_ITEM(dtypes, i)),
                       "Provided dtype must be a valid NumPy dtype, int, float, complex, or None.");
  }
  for (Py_ssize_t i = 0; i < op.nin; ++i) in.push_back(to_operand_type(PyTuple_GET_ITEM(dtypes, i)));
  std::vector<std::optional<DType>> fixed;
  if (signature && signature != Py_None) fixed = to_fixed(op, signature);
  const ops::Signature& chosen =
      ops::resolve_fixed(op, in, fixed, casting == Py_None ? Casting::same_kind : to_casting(casting));
  Object result = owned(PyTuple_New(op.nin + op.nout));
  for (int i = 0; i < op.nin + op.nout; ++i) {
    DType t = i < op.nin ? chosen.in[i] : chosen.out[i - op.nin];
    PyTuple_SET_ITEM(result.get(), i, checked(from_dtype(t)));
  }
  return result.release();
}

}  // namespace tessera::bind
