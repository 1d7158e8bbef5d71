#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/flat_iterator.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/interop/foreign_device.h"

namespace tessera::bind {

namespace {

const View& view_of(PyObject* self) { return as_ndarray(self)->array.view; }

void refuse_deletion(PyObject* value, const char* what) {
  if (value) return;
  PyErr_Format(PyExc_AttributeError, "Cannot delete array %s", what);
  throw ErrorAlreadySet();
}

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return make_tuple(view_of(self).shape); });
}

int set_shape(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        refuse_deletion(value, "shape");
        View& view = as_ndarray(self)->array.view;
        auto reshaped = view.try_reshape(complete_shape(to_dims(value), view.size()));
        if (!reshaped) {
          PyErr_SetString(
              PyExc_AttributeError,
              "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.");
          throw ErrorAlreadySet();
        }
        view = *reshaped;
        return 0;
      },
      -1);
}

PyObject* get_strides(PyObject* self, void*) {
  return guarded([&] { return make_tuple(view_of(self).strides); });
}

int set_strides(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        refuse_deletion(value, "strides");
        checked(PyErr_WarnEx(PyExc_DeprecationWarning,
                             "Setting the strides on a NumPy array has been deprecated in NumPy 2.4.\n"
                             "As an alternative, you can create a new view using np.lib.stride_tricks.as_strided.",
                             1));
        View view = view_of(self);
        Dims strides = to_dims(value);
        require<ValueError>(strides.size() == view.strides.size(), "strides must be same length as shape ({})",
                            view.ndim());
        view.strides = strides;
        auto [low, high] = view.byte_range();
        require<ValueError>(low >= 0 && high <= as_ndarray(self)->array.storage->current->nbytes,
                            "strides is not compatible with available memory");
        as_ndarray(self)->array.view = view;
        return 0;
      },
      -1);
}

PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return from_dtype(view_of(self).dtype); });
}

PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(view_of(self).ndim()); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromLongLong(view_of(self).size()); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromLongLong(view_of(self).itemsize()); }
PyObject* get_nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(view_of(self).size() * view_of(self).itemsize());
}

PyObject* get_base(PyObject* self, void*) {
  PyObject* base = as_ndarray(self)->base;
  return Py_NewRef(base ? base : Py_None);
}

PyObject* get_flags(PyObject* self, void*) {
  return guarded([&] { return make_flags(self); });
}

PyObject* get_transposed(PyObject* self, void*) {
  return guarded([&] {
    if (view_of(self).ndim() < 2 && Py_TYPE(self) == ndarray_type) return wrap_view(as_ndarray(self), view_of(self));
    return wrap_view(as_ndarray(self), view_of(self).transpose());
  });
}

PyObject* get_matrix_transposed(PyObject* self, void*) {
  return guarded([&] {
    const View& view = view_of(self);
    require<ValueError>(view.ndim() >= 2, "matrix transpose with ndim < 2 is undefined");
    return wrap_view(as_ndarray(self), view.swap_axes(view.ndim() - 2, view.ndim() - 1));
  });
}

PyObject* get_real(PyObject* self, void*) {
  return guarded([&] {
    if (!is_complex(view_of(self).dtype)) return Py_NewRef(self);
    return wrap_view(as_ndarray(self), view_of(self).real());
  });
}

PyObject* get_imag(PyObject* self, void*) {
  return guarded([&] {
    const View& view = view_of(self);
    if (is_complex(view.dtype)) return wrap_view(as_ndarray(self), view.imag());
    // Zeros; read-only because the array has no memory for imaginary parts.
    Array zeros = Engine::instance().full(view.shape, Scalar::of_int(DType::int64, 0).cast_to(view.dtype));
    return wrap_as(Py_TYPE(self), std::move(zeros), nullptr, false, self);
  });
}

void assign_part(PyObject* self, const View& part, PyObject* value) {
  require_writeable(as_ndarray(self), "assignment destination is read-only");
  std::optional<Operand> source;
  require<TypeError>(to_operand(value, source) == Conversion::done, "cannot assign objects to an array of {}",
                     part.dtype);
  Engine::instance().assign(as_ndarray(self)->array.with_view(part), *source, {});
}

int set_real(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        refuse_deletion(value, "real part");
        assign_part(self, is_complex(view_of(self).dtype) ? view_of(self).real() : view_of(self), value);
        return 0;
      },
      -1);
}

int set_imag(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        refuse_deletion(value, "imaginary part");
        require<TypeError>(is_complex(view_of(self).dtype), "array does not have imaginary part to set");
        assign_part(self, view_of(self).imag(), value);
        return 0;
      },
      -1);
}

PyObject* get_flat(PyObject* self, void*) {
  return guarded([&] { return make_flat_iterator(self); });
}

int set_flat(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        refuse_deletion(value, "flat iterator");
        assign_flat(self, Py_Ellipsis, value);
        return 0;
      },
      -1);
}

/// An attribute that only a NumPy array over the same memory provides.
PyObject* get_from_numpy(PyObject* self, void* name) {
  return guarded([&] {
    Object numpy = owned(to_numpy(self));
    return PyObject_GetAttrString(numpy.get(), static_cast<const char*>(name));
  });
}

/// The array interface has no type code for bfloat16: consumers must call __array__ instead.
void check_describable(PyObject* self) {
  if (view_of(self).dtype != DType::bfloat16) return;
  PyErr_SetString(PyExc_AttributeError, "the array interface cannot describe bfloat16");
  throw ErrorAlreadySet();
}

PyObject* get_struct(PyObject* self, void*) {
  return guarded([&] {
    check_describable(self);
    return get_from_numpy(self, const_cast<char*>("__array_struct__"));
  });
}

/// The consumer of a bare address does not report when it stops using it, so the memory stays at its address until it
/// is freed.
PyObject* get_interface(PyObject* self, void*) {
  return guarded([&] {
    check_describable(self);
    Engine::instance().pin(as_ndarray(self)->array);
    return get_from_numpy(self, const_cast<char*>("__array_interface__"));
  });
}

PyObject* get_priority(PyObject*, void*) { return PyFloat_FromDouble(1.0); }
PyObject* get_device(PyObject*, void*) { return PyUnicode_InternFromString("cpu"); }

int refuse_device(PyObject*, PyObject*, void*) {
  PyErr_SetString(PyExc_AttributeError, "attribute 'device' of 'numpy.ndarray' objects is not writable");
  return -1;
}

}  // namespace

PyGetSetDef attribute_table[] = {
    {"shape", get_shape, set_shape, "The extents of the array.", nullptr},
    {"strides", get_strides, set_strides, "Bytes from one element to the next along each axis.", nullptr},
    {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of axes.", nullptr},
    {"size", get_size, nullptr, "The number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes an element takes.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes all elements take.", nullptr},
    {"base", get_base, nullptr, "The array that owns the memory, or None.", nullptr},
    {"flags", get_flags, nullptr, "How the elements lie in memory, and whether they may be written.", nullptr},
    {"T", get_transposed, nullptr, "The transposed view.", nullptr},
    {"mT", get_matrix_transposed, nullptr, "The view with the last two axes exchanged.", nullptr},
    {"real", get_real, set_real, "The real part, a view.", nullptr},
    {"imag", get_imag, set_imag, "The imaginary part, a view of a complex array.", nullptr},
    {"flat", get_flat, set_flat, "The elements in C order, one after the other.", nullptr},
    {"device", get_device, refuse_device, "Where the elements lie.", nullptr},
    {"data", get_from_numpy, nullptr, "A memoryview of the elements.", const_cast<char*>("data")},
    {"ctypes", get_from_numpy, nullptr, "NumPy's helper for ctypes.", const_cast<char*>("ctypes")},
    {"__array_interface__", get_interface, nullptr, "The array interface, version 3.", nullptr},
    {"__cuda_array_interface__", cuda_array_interface, nullptr, "The CUDA array interface, version 3.", nullptr},
    {"__array_struct__", get_struct, nullptr, "The array interface's C side.", nullptr},
    {"__array_priority__", get_priority, nullptr, "Binary operators with other array classes yield tessera arrays.",
     nullptr},
    {},
};

}  // namespace tessera::bind
