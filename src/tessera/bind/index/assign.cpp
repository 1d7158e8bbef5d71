#include "tessera/bind/index/assign.h"

#include "tessera/base/error.h"
#include "tessera/bind/array/array_attribute.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/eager/host_array.h"

namespace tessera::bind {

Scalar stored_scalar(PyObject* value, DType dtype) {
  Scalar scalar;
  scalar.dtype = dtype;
  store_element(reinterpret_cast<char*>(scalar.bytes), dtype, value);
  return scalar;
}

bool is_number(PyObject* value) {
  return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) || PyComplex_CheckExact(value) ||
         PyArray_IsScalar(value, Generic) || is_lazy(value);
}

Operand assignment_operand(PyObject* value, DType dtype, int most_axes) {
  if (is_ndarray(value)) {
    warn_when_complex_is_cut(as_ndarray(value)->array.dtype(), dtype);
    return Operand(as_ndarray(value)->array);
  }
  // An object that is not an integer may refuse the conversion.
  const Array* pending = pending_scalar(value);
  if (pending && !(is_integer(dtype) && (is_floating(pending->dtype()) || is_complex(pending->dtype())))) {
    warn_when_complex_is_cut(pending->dtype(), dtype);
    return Operand(*pending);
  }
  if (is_number(value)) return Operand(stored_scalar(value, dtype));
  if (PyArray_Check(value)) {
    auto* source = reinterpret_cast<PyArrayObject*>(value);
    auto from = dtype_of_descriptor(reinterpret_cast<PyObject*>(PyArray_DESCR(source)));
    if (from) {
      warn_when_complex_is_cut(*from, dtype);
      return Operand(copy_from_numpy(value, *from, Order::k));
    }
    return Operand(copy_from_numpy(value, dtype, Order::k));
  }
  if (GivenArray given = array_given_by(value, nullptr, CopyChoice::if_needed); given.array)
    return assignment_operand(given.array.get(), dtype);
  Object descriptor = owned(from_dtype(dtype));
  Object numpy = read_by_numpy(value, descriptor.get(), NPY_ARRAY_FORCECAST, most_axes);
  return Operand(copy_from_numpy(numpy.get(), dtype, Order::k));
}

void assign_where(const Array& destination, const Operand& source, const Operand& where) {
  const ops::Op* copy = ops::OpTable::standard().find("copy");
  invariant(copy != nullptr, "the op table has no copy");
  for (const ops::Signature& signature : copy->signatures) {
    if (signature.out[0] != destination.dtype()) continue;
    Array output = destination;
    const Context context = current_context();
    Engine::instance().map(*copy, signature, {&source, 1}, {&output, 1}, &where, context);
    finish_events(context.errors);
    return deliver_reports();
  }
  invariant(false, "copy has no loop for {}", destination.dtype());
}

namespace {

/// Whether the value is an array of the view's shape and type, which needs no checks, broadcasting or cast.
bool fits_exactly(PyObject* value, const View& view) {
  if (Py_TYPE(value) != ndarray_type) return false;
  const View& from = as_ndarray(value)->array.view;
  return from.dtype == view.dtype && from.shape == view.shape;
}

}  // namespace

void assign_element(const Array& array, int64_t offset, PyObject* value) {
  const DType dtype = array.dtype();
  Engine& engine = Engine::instance();
  const uint8_t turn = engine.devices().count_element_write(array);
  // A lent array, which other libraries use on the device, must be written there.
  if (turn > 0 || engine.devices().is_lent(array))
    record_assign(array.with_view(View{.offset = offset, .dtype = dtype}), Operand(stored_scalar(value, dtype)));
  else
    store_element(synchronise_to_write(array) - array.view.offset + offset, dtype, value);
  array.storage->current->partial.writes = turn;
}

void require_no_axes(const View& value, DType dtype) {
  if (value.ndim() == 0 || (is_boolean(dtype) && value.size() == 1)) return;
  require<TypeError>(!is_complex(dtype), "only 0-dimensional arrays can be converted to Python scalars");
  throw ValueError("setting an array element with a sequence.");
}

Operand single_operand(PyObject* value, DType dtype) {
  if (is_ndarray(value))
    require_no_axes(as_ndarray(value)->array.view, dtype);
  else if (!pending_scalar(value))
    return Operand(stored_scalar(value, dtype));
  return assignment_operand(value, dtype);
}

void fit(Operand& source, const View& destination) {
  if (source.is_scalar()) return;
  View& from = source.array.view;
  while (from.ndim() > destination.ndim() && from.shape[0] == 1) from = from.select(0, 0);
  try {
    from.broadcast_to(destination.shape);
  } catch (const ShapeError&) {
    throw ValueError(format("could not broadcast input array from shape {} into shape {}", shape_text(from.shape),
                            shape_text(destination.shape)));
  }
}

void assign_value(NdArray* self, View view, PyObject* value) {
  require_writeable(self, "assignment destination is read-only");
  assign_value(Array{self->array.storage, std::move(view)}, value);
}

void assign_value(const Array& target, PyObject* value) {
  const View& view = target.view;
  if (view.ndim() > 0 && fits_exactly(value, view)) {
    const Array& source = as_ndarray(value)->array;
    if (eager::writable(target) && try_small_assign(target, Operand(source))) return;
    return record_assign(target, source);
  }
  const bool is_sequence = PyList_Check(value) || PyTuple_Check(value);
  if (view.ndim() == 0 && !is_ndarray(value) && !pending_scalar(value)) {
    require<ValueError>(!is_sequence,
                        "setting an array element with a sequence. The requested array would exceed the maximum number "
                        "of dimension of 0.");
    const bool has_axes = PyArray_Check(value) && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(value)) > 0;
    // A single element: waiting for pending work costs less than recording the assignment.
    if (!has_axes) return assign_element(target, view.offset, value);
  }
  Operand source = assignment_operand(value, view.dtype, is_sequence ? view.ndim() : 0);
  fit(source, view);
  if (try_small_assign(target, source)) return;
  record_assign(target, source);
}

}  // namespace tessera::bind
