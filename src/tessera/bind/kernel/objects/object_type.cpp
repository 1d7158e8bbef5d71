#include "tessera/bind/kernel/objects/object_type.h"

#include <structmember.h>

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/kernel/calls/compiled_function.h"
#include "tessera/bind/kernel/memory/container_memory.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/bind/kernel/objects/object_box.h"
#include "tessera/bind/kernel/objects/type_object.h"
#include "tessera/kernel/values/object/user_class.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::Type;
using kernel::TypeKind;
using kernel::UserClass;

namespace {

PyTypeObject* field_type = nullptr;

int64_t* words_of(const ObjectBox& box) {
  return reinterpret_cast<int64_t*>(static_cast<uintptr_t>(box.address) * sizeof(int64_t));
}

/// Writes a value of Python's as the words of a field.
class FieldWriter {
 public:
  explicit FieldWriter(int64_t* words) : at_(words) {}

  void write(const Type& type, PyObject* value) {
    switch (type->kind) {
      case TypeKind::scalar: return write_number(type->dtype, value);
      case TypeKind::object: {
        const ObjectBox* const box = as_object_box(value);
        require<TypeError>(box && box->number == type->id, "a field of {} is set to an object of {}",
                           kernel::describe(type), Py_TYPE(value)->tp_name);
        return hold_object(at_++, box->address);
      }
      case TypeKind::optional:
        *at_++ = value != Py_None;
        if (value != Py_None) return write(type->elements[0], value);
        return clear(type->elements[0]);
      case TypeKind::buffer: return write_array(type, value);
      case TypeKind::list:
      case TypeKind::dict:
      case TypeKind::set:
      case TypeKind::string: return (void)(*at_++ = container_in_fields(type, value));
      default: break;
    }
    const bool fits = PyTuple_Check(value) && static_cast<size_t>(PyTuple_GET_SIZE(value)) == type->elements.size();
    require<TypeError>(fits, "a field of {} is set to an object of {}", kernel::describe(type),
                       Py_TYPE(value)->tp_name);
    for (size_t k = 0; k < type->elements.size(); ++k)
      write(type->elements[k], PyTuple_GET_ITEM(value, static_cast<Py_ssize_t>(k)));
  }
  /// Behind the field's other words.
  void write_memory() {
    for (KeptMemory* memory : arrays_) hold_memory(at_++, memory);
  }

 private:
  void clear(const Type& type) {
    if (type->kind == TypeKind::object) return hold_object(at_++, 0);
    if (type.is_scalar()) *at_++ = 0;
    if (type.is_scalar() && is_complex(type->dtype)) *at_++ = 0;
    if (type->kind == TypeKind::buffer) {
      for (int word = 0; word < 1 + 2 * type->axes; ++word) *at_++ = 0;
      arrays_.push_back(nullptr);
    }
    if (type->kind == TypeKind::optional) *at_++ = 0;
    if (type.is_container() || type->kind == TypeKind::string) return (void)(*at_++ = 0);
    for (const Type& element : type->elements) clear(element);
  }

  void write_number(DType dtype, PyObject* value) {
    const std::optional<Scalar> given = python_scalar(value);
    require<TypeError>(given.has_value(), "a field of {} is set to an object of {}", dtype, Py_TYPE(value)->tp_name);
    require<TypeError>(!is_complex(given->dtype) || is_complex(dtype), "a field of {} is set to a complex number",
                       dtype);
    const Scalar number = given->cast_to(dtype);
    if (is_complex(dtype)) {
      *at_++ = std::bit_cast<int64_t>(number.as_complex().real());
      *at_++ = std::bit_cast<int64_t>(number.as_complex().imag());
    } else {
      *at_++ = is_floating(dtype) ? std::bit_cast<int64_t>(number.as_complex().real()) : number.as_int();
    }
  }

  void write_array(const Type& type, PyObject* value) {
    Object numpy = is_ndarray(value) ? owned(to_numpy(value)) : Object(Py_NewRef(value));
    const bool is_array = PyArray_Check(numpy.get());
    auto* const array = reinterpret_cast<PyArrayObject*>(numpy.get());
    const std::optional<DType> dtype =
        is_array ? dtype_of_descriptor(reinterpret_cast<PyObject*>(PyArray_DESCR(array))) : std::nullopt;
    const bool fits = dtype && *dtype == type->dtype && PyArray_NDIM(array) == type->axes &&
                      is_native(reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
    require<TypeError>(fits, "a field of {} is set to {}", kernel::describe(type),
                       is_array ? "an array of another type" : Py_TYPE(value)->tp_name);
    const auto size = static_cast<uintptr_t>(itemsize(type->dtype)),
               data = reinterpret_cast<uintptr_t>(PyArray_DATA(array));
    bool is_even = data % size == 0;
    for (int axis = 0; axis < type->axes; ++axis)
      is_even &= PyArray_STRIDE(array, axis) % static_cast<npy_intp>(size) == 0;
    require<TypeError>(is_even, "a field is set to an array that is not aligned: set it to its copy");
    *at_++ = static_cast<int64_t>(data / size);
    for (int axis = 0; axis < type->axes; ++axis) *at_++ = PyArray_STRIDE(array, axis) / static_cast<npy_intp>(size);
    for (int axis = 0; axis < type->axes; ++axis) *at_++ = PyArray_DIM(array, axis);
    arrays_.push_back(memory_of_array(numpy.get()));
  }

  int64_t* at_;
  std::vector<KeptMemory*> arrays_;
};

/// A field as an attribute of the class.
struct FieldObject {
  PyObject_HEAD uint32_t number;
  uint32_t field;
};

PyObject* get_field(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance) return Py_NewRef(self);
  return guarded([&]() -> PyObject* {
    const auto* const field = reinterpret_cast<FieldObject*>(self);
    const ObjectBox* const box = as_object_box(instance);
    require<TypeError>(box && box->number == field->number, "a field is asked of an object of {}",
                       Py_TYPE(instance)->tp_name);
    const UserClass& of = kernel::user_class(field->number);
    const ObjectsInUse in_use;
    return read_field(of.types.at(field->field), words_of(*box) + of.places[field->field]);
  });
}

int set_field(PyObject* self, PyObject* instance, PyObject* value) {
  PyObject* const done = guarded([&]() -> PyObject* {
    const auto* const field = reinterpret_cast<FieldObject*>(self);
    const ObjectBox* const box = as_object_box(instance);
    require<TypeError>(box && box->number == field->number, "a field is set in an object of {}",
                       Py_TYPE(instance)->tp_name);
    if (!value) return PyErr_SetString(PyExc_AttributeError, "fields are not deleted"), nullptr;
    const UserClass& of = kernel::user_class(field->number);
    const ObjectsInUse in_use;
    FieldWriter writer(words_of(*box) + of.places[field->field]);
    writer.write(of.types.at(field->field), value);
    writer.write_memory();
    return Py_NewRef(Py_None);
  });
  Py_XDECREF(done);
  return done ? 0 : -1;
}

void deallocate_field(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot field_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(deallocate_field)},
                             {Py_tp_descr_get, reinterpret_cast<void*>(get_field)},
                             {Py_tp_descr_set, reinterpret_cast<void*>(set_field)},
                             {0, nullptr}};
PyType_Spec field_spec = {.name = "tessera.field",
                          .basicsize = sizeof(FieldObject),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          .slots = field_slots};

nb::object make_field(uint32_t number, uint32_t field) {
  FieldObject* const made = PyObject_New(FieldObject, field_type);
  if (!made) throw nb::python_error();
  made->number = number;
  made->field = field;
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

void define_class(uint32_t number, std::vector<std::string> fields, nb::handle types) {
  kernel::define_user_class(number, std::move(fields), resolved_types(types));
}

}  // namespace

void bind_object_types(nb::module_& kernels) {
  field_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&field_spec)));
  kernels.attr("object") = nb::handle(make_box_type());
  kernels.def("add_class", kernel::add_user_class);
  kernels.def("define_class", define_class);
  kernels.def("set_class", [](uint32_t number, nb::handle type) { set_object_class(number, type.ptr()); });
  kernels.def("class_of_object", [](nb::handle object) {
    const ObjectBox* const box = as_object_box(object.ptr());
    require<TypeError>(box, "{} is no object of compiled functions", Py_TYPE(object.ptr())->tp_name);
    return box->number;
  });
  kernels.def("make_field", make_field);
}

}  // namespace tessera::bind
