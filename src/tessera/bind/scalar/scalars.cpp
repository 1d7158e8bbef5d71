#include <cstring>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace tessera::bind {

namespace {

/// A scalar object whose value has not been set.
PyObject* allocate(PyTypeObject* type) { return type->tp_alloc(type, 0); }

}  // namespace

PyObject* make_numpy_scalar(DType dtype, const void* bytes) {
  switch (dtype) {
#define TESSERA_SCALAR(tag, Name)                                                                              \
  case DType::tag: {                                                                                           \
    PyObject* scalar = allocate(&Py##Name##ArrType_Type);                                                      \
    if (scalar) std::memcpy(&PyArrayScalar_VAL(scalar, Name), bytes, sizeof(PyArrayScalar_VAL(scalar, Name))); \
    return scalar;                                                                                             \
  }
    TESSERA_SCALAR(float64, Double)
    TESSERA_SCALAR(float32, Float)
    TESSERA_SCALAR(float16, Half)
    TESSERA_SCALAR(int64, Long)
    TESSERA_SCALAR(int32, Int)
    TESSERA_SCALAR(int16, Short)
    TESSERA_SCALAR(int8, Byte)
    TESSERA_SCALAR(uint64, ULong)
    TESSERA_SCALAR(uint32, UInt)
    TESSERA_SCALAR(uint16, UShort)
    TESSERA_SCALAR(uint8, UByte)
    TESSERA_SCALAR(complex64, CFloat)
    TESSERA_SCALAR(complex128, CDouble)
#undef TESSERA_SCALAR
    case DType::boolean:
      return Py_NewRef(*static_cast<const unsigned char*>(bytes) ? PyArrayScalar_True : PyArrayScalar_False);
    case DType::bfloat16: {
      return guarded([&] {
        Object descriptor(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number(dtype))));
        return PyArray_Scalar(const_cast<void*>(bytes), reinterpret_cast<PyArray_Descr*>(descriptor.get()), nullptr);
      });
    }
  }
  std::unreachable();
}

PyObject* wrap_result(Array array) {
  if (array.ndim() != 0) return wrap(std::move(array));
  return guarded([&] {
    if (PyObject* lazy = try_lazy_scalar(array)) return lazy;
    return make_numpy_scalar(array.dtype(), synchronise(array));
  });
}

}  // namespace tessera::bind
