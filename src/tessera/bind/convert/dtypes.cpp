#include "tessera/bind/convert/dtypes.h"

#include <array>
#include <string_view>

#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"

namespace tessera::bind {

namespace {

struct Entry {
  DType dtype;
  int number;
};

// The number of bfloat16 is assigned by NumPy when ml_dtypes registers the type.
constexpr std::array<Entry, 14> numpy_numbers{{
    {DType::boolean, NPY_BOOL},
    {DType::int8, NPY_INT8},
    {DType::uint8, NPY_UINT8},
    {DType::int16, NPY_INT16},
    {DType::uint16, NPY_UINT16},
    {DType::int32, NPY_INT32},
    {DType::uint32, NPY_UINT32},
    {DType::int64, NPY_INT64},
    {DType::uint64, NPY_UINT64},
    {DType::float16, NPY_FLOAT16},
    {DType::float32, NPY_FLOAT32},
    {DType::float64, NPY_FLOAT64},
    {DType::complex64, NPY_COMPLEX64},
    {DType::complex128, NPY_COMPLEX128},
}};

std::array<PyObject*, dtype_count> descriptors{};
std::array<PyTypeObject*, dtype_count> scalar_types{};
std::array<int8_t, NPY_NTYPES_LEGACY> by_number;

void enter(DType dtype, PyObject* descriptor) {
  descriptors[static_cast<int>(dtype)] = descriptor;
  scalar_types[static_cast<int>(dtype)] = reinterpret_cast<PyArray_Descr*>(descriptor)->typeobj;
}

/// bfloat16 exists in NumPy only once ml_dtypes is imported, which takes 10 ms: import it only on first use.
PyObject* bfloat16_descriptor() {
  PyObject*& slot = descriptors[static_cast<int>(DType::bfloat16)];
  if (slot) return slot;
  Object type(import_attribute("ml_dtypes", "bfloat16"));
  PyArray_Descr* descriptor = nullptr;
  if (!PyArray_DescrConverter(type.get(), &descriptor)) throw ErrorAlreadySet();
  enter(DType::bfloat16, reinterpret_cast<PyObject*>(descriptor));
  return slot;
}

PyObject* descriptor(DType dtype) {
  if (dtype == DType::bfloat16) return bfloat16_descriptor();
  return descriptors[static_cast<int>(dtype)];
}

bool is_bfloat16(PyTypeObject* type) {
  if (descriptors[static_cast<int>(DType::bfloat16)]) return type == scalar_types[static_cast<int>(DType::bfloat16)];
  std::string_view name = type->tp_name;
  if (name != "ml_dtypes.bfloat16" && name != "bfloat16") return false;
  bfloat16_descriptor();
  return type == scalar_types[static_cast<int>(DType::bfloat16)];
}

}  // namespace

void load_dtypes() {
  by_number.fill(-1);
  for (const Entry& entry : numpy_numbers) {
    enter(entry.dtype, checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(entry.number))));
    by_number[entry.number] = static_cast<int8_t>(entry.dtype);
  }
  // Two of int, long and long long have the same size.
  for (int number : {NPY_INT, NPY_LONG, NPY_LONGLONG}) {
    int bytes = number == NPY_INT ? sizeof(int) : number == NPY_LONG ? sizeof(long) : sizeof(long long);
    by_number[number] = static_cast<int8_t>(bytes == 4 ? DType::int32 : DType::int64);
    by_number[number + 1] = static_cast<int8_t>(bytes == 4 ? DType::uint32 : DType::uint64);
  }
}

int type_number(DType dtype) { return reinterpret_cast<PyArray_Descr*>(descriptor(dtype))->type_num; }

PyTypeObject* scalar_type(DType dtype) {
  descriptor(dtype);
  return scalar_types[static_cast<int>(dtype)];
}

bool is_native(PyObject* descriptor) { return PyArray_ISNBO(reinterpret_cast<PyArray_Descr*>(descriptor)->byteorder); }

std::optional<DType> dtype_of_descriptor(PyObject* descriptor) {
  auto* descr = reinterpret_cast<PyArray_Descr*>(descriptor);
  if (descr->type_num >= 0 && descr->type_num < NPY_NTYPES_LEGACY) {
    int8_t found = by_number[descr->type_num];
    return found < 0 ? std::nullopt : std::optional(static_cast<DType>(found));
  }
  if (descr->typeobj && is_bfloat16(descr->typeobj)) return DType::bfloat16;
  return std::nullopt;
}

std::optional<DType> dtype_of_scalar_type(PyTypeObject* type) {
  for (int i = dtype_count - 1; i >= 0; --i) {
    if (scalar_types[i] == type) return static_cast<DType>(i);
  }
  if (type == &PyLongLongArrType_Type) return DType::int64;
  if (type == &PyULongLongArrType_Type) return DType::uint64;
  if (is_bfloat16(type)) return DType::bfloat16;
  return std::nullopt;
}

std::optional<DType> to_dtype(PyObject* object) {
  if (PyArray_DescrCheck(object)) return is_native(object) ? dtype_of_descriptor(object) : std::nullopt;
  if (PyType_Check(object)) {
    auto* type = reinterpret_cast<PyTypeObject*>(object);
    if (type == &PyFloat_Type) return DType::float64;
    if (type == &PyLong_Type) return DType::int64;
    if (type == &PyBool_Type) return DType::boolean;
    if (type == &PyComplex_Type) return DType::complex128;
    if (auto found = dtype_of_scalar_type(type)) return found;
  }
  if (PyUnicode_Check(object)) {
    Py_ssize_t length;
    const char* text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text) PyErr_Clear();
    if (auto found = dtype_from_name(text ? std::string_view(text, static_cast<size_t>(length)) : "")) return found;
  }
  PyArray_Descr* descr = nullptr;
  if (!PyArray_DescrConverter(object, &descr)) throw ErrorAlreadySet();
  Object keep(reinterpret_cast<PyObject*>(descr));
  if (!is_native(keep.get())) return std::nullopt;
  return dtype_of_descriptor(keep.get());
}

PyObject* from_dtype(DType dtype) { return Py_NewRef(descriptor(dtype)); }

}  // namespace tessera::bind
