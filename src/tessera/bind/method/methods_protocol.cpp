#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/array/pickle.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/interop/arrow.h"
#include "tessera/bind/interop/dlpack.h"
#include "tessera/bind/ufunc/override.h"

namespace tessera::bind {

namespace {

PyObject* array_protocol(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("__array__", args, nargs, names);
    PyObject* dtype = arguments.at(0, "dtype");
    PyObject* copy = arguments.take("copy");
    arguments.finish(1);
    CopyChoice choice = to_copy_choice(copy);
    Object shared = owned(to_numpy(self));
    auto* array = reinterpret_cast<PyArrayObject*>(shared.get());
    if (is_none(dtype)) {
      return choice == CopyChoice::always ? PyArray_NewCopy(array, NPY_KEEPORDER) : shared.release();
    }
    PyArray_Descr* wanted = nullptr;
    if (!PyArray_DescrConverter(dtype, &wanted)) throw ErrorAlreadySet();
    Object keep(reinterpret_cast<PyObject*>(wanted));
    bool same = PyArray_EquivTypes(PyArray_DESCR(array), wanted);
    if (same && choice != CopyChoice::always) return shared.release();
    require<ValueError>(choice != CopyChoice::never, "Unable to avoid copy while creating an array as requested.");
    return PyArray_CastToType(array, reinterpret_cast<PyArray_Descr*>(keep.release()), 0);
  });
}

PyObject* numpy_copy_or_share(PyObject* self, PyObject*) {
  return guarded([&] { return to_numpy(self); });
}

PyObject* to_device(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("to_device", args, nargs, names);
    PyObject* device = arguments.needed(0, "device");
    PyObject* stream = arguments.take("stream");
    arguments.finish(1);
    require<ValueError>(is_none(stream), "The stream argument in to_device() is not supported");
    require<ValueError>(PyUnicode_Check(device) && PyUnicode_CompareWithASCIIString(device, "cpu") == 0,
                        "Unsupported device: only 'cpu' is known here");
    return Py_NewRef(self);
  });
}

PyObject* copied(PyObject* self) {
  const Array& array = as_ndarray(self)->array;
  return wrap_as(Py_TYPE(self), copy_array(array, array.dtype(), Order::k), nullptr, true, self);
}

PyObject* copy_protocol(PyObject* self, PyObject*) {
  return guarded([&] { return copied(self); });
}

PyObject* size_in_bytes(PyObject* self, PyObject*) {
  const View& view = as_ndarray(self)->array.view;
  const int64_t shape = 2 * view.ndim() * static_cast<int64_t>(sizeof(int64_t));
  return PyLong_FromLongLong(Py_TYPE(self)->tp_basicsize + shape +
                             (as_ndarray(self)->base ? 0 : view.size() * view.itemsize()));
}

PyObject* format_protocol(PyObject* self, PyObject* spec) {
  return guarded([&] {
    Object numpy = owned(to_numpy(self));
    return PyObject_Format(numpy.get(), spec);
  });
}

PyObject* array_namespace(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("__array_namespace__", args, nargs, names);
    PyObject* version = arguments.take("api_version");
    arguments.finish(0);
    if (!is_none(version)) {
      bool known = false;
      for (const char* text : {"2021.12", "2022.12", "2023.12", "2024.12", "2025.12"}) {
        known |= PyUnicode_Check(version) && PyUnicode_CompareWithASCIIString(version, text) == 0;
      }
      Object text = owned(PyObject_Str(version));
      require<ValueError>(known, "Version \"{}\" of the Array API Standard is not supported.",
                          PyUnicode_AsUTF8(text.get()));
    }
    return PyImport_ImportModule("tessera.numpy");
  });
}

PyObject* finalize_plain(PyObject*, PyObject*) { Py_RETURN_NONE; }

/// Wraps the result of a NumPy function in the class of self.
PyObject* array_wrap(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&]() -> PyObject* {
    Arguments arguments("__array_wrap__", args, nargs, names);
    PyObject* array = arguments.needed(0, "array");
    PyObject* scalar = nargs > 2 ? args[2] : nullptr;
    if (scalar && PyObject_IsTrue(scalar) && !is_ndarray(array)) {
      Object empty = owned(PyTuple_New(0));
      return PyObject_GetItem(array, empty.get());
    }
    if (is_ndarray(array) && Py_TYPE(array) == Py_TYPE(self)) return Py_NewRef(array);
    Array result;
    if (to_array(array, {}, result) == Conversion::foreign) return Py_NewRef(array);
    return wrap_as(Py_TYPE(self), std::move(result), nullptr, true, self);
  });
}

/// Methods about NumPy's own formats run on a NumPy array over the same memory.
PyObject* on_host(const char* method, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Object numpy = owned(to_numpy(self));
    Object bound = owned(PyObject_GetAttrString(numpy.get(), method));
    return PyObject_Vectorcall(bound.get(), args, static_cast<size_t>(nargs), names);
  });
}
#define TESSERA_ON_HOST(name)                                                                \
  PyObject* name(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) { \
    return on_host(#name, self, args, nargs, names);                                         \
  }
TESSERA_ON_HOST(dump)
TESSERA_ON_HOST(dumps)
TESSERA_ON_HOST(getfield)
TESSERA_ON_HOST(setfield)
#undef TESSERA_ON_HOST

/// Methods that Python implements: a function of a module, which gets the array first.
PyObject* in_python(const char* module, const char* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                    PyObject* names) {
  return guarded([&] {
    Object home = owned(PyImport_ImportModule(module));
    Object callee = owned(PyObject_GetAttrString(home.get(), function));
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + nargs + (names ? PyTuple_GET_SIZE(names) : 0));
    return PyObject_Vectorcall(callee.get(), all.data(), static_cast<size_t>(nargs) + 1, names);
  });
}
PyObject* stencil_hint(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return in_python("tessera.legate", "stencil_hint", self, args, nargs, names);
}
PyObject* tofile(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return in_python("tessera.numpy.io", "array_to_file", self, args, nargs, names);
}
PyObject* as_html(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return in_python("tessera.notebook.display", "array_html", self, args, nargs, names);
}

#define TESSERA_NAMED(text, name, doc)                                                                          \
  PyMethodDef {                                                                                                 \
    text, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(name)), METH_FASTCALL | METH_KEYWORDS, doc \
  }

const PyMethodDef methods_of_protocols[] = {
    TESSERA_NAMED("__array__", array_protocol, "NumPy's array over the same memory."),
    TESSERA_NAMED("__array_wrap__", array_wrap, "A result of a NumPy function as a tessera array."),
    TESSERA_NAMED("__array_namespace__", array_namespace, "The module that speaks the array API standard."),
    {"__array_finalize__", finalize_plain, METH_O, "Called on new views and copies of subclasses."},
    {"__array_ufunc__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array_ufunc)),
     METH_VARARGS | METH_KEYWORDS, "NumPy's ufuncs run natively on tessera arrays."},
    {"__array_function__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array_function)),
     METH_VARARGS | METH_KEYWORDS, "NumPy's functions run as tessera.numpy's of the same name."},
    TESSERA_NAMED("__dlpack__", export_dlpack, "The array as a DLPack capsule."),
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "Where DLPack finds the memory."},
    {"__arrow_c_schema__", export_arrow_schema, METH_NOARGS, "The type as an Arrow capsule."},
    TESSERA_NAMED("__arrow_c_array__", export_arrow_array, "A one-axis array as Arrow capsules."),
    TESSERA_NAMED("__arrow_c_stream__", export_arrow_stream, "A one-axis array as an Arrow stream of one chunk."),
    {"__reduce__", reduce_array_plainly, METH_NOARGS, "Pickling with the elements as bytes."},
    {"__reduce_ex__", reduce_array, METH_O, "Pickling; protocol 5 moves the elements out of band."},
    {"__setstate__", set_array_state, METH_O, "Unpickling."},
    {"__sizeof__", size_in_bytes, METH_NOARGS, "Bytes of the object, its shape and the elements it owns."},
    {"__copy__", copy_protocol, METH_NOARGS, "copy.copy"},
    {"__deepcopy__", copy_protocol, METH_O, "copy.deepcopy"},
    {"__format__", format_protocol, METH_O, "format(array, spec)"},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "ndarray[shape, dtype] in annotations."},
    {"to_numpy", numpy_copy_or_share, METH_NOARGS, "NumPy's array over the same memory."},
    {"get", numpy_copy_or_share, METH_NOARGS, "NumPy's array over the same memory, by the name that CuPy uses."},
    TESSERA_NAMED("stencil_hint", stencil_hint, "How far a stencil reaches, as cuPyNumeric is told; nothing follows."),
    TESSERA_NAMED("_repr_html_", as_html, "Shape, dtype, place and a small picture, for notebooks."),
    TESSERA_NAMED("to_device", to_device, "The array on the named device."),
    TESSERA_NAMED("tofile", tofile, "Writes the elements to a file."),
    TESSERA_NAMED("dump", dump, "Pickles the array to a file."),
    TESSERA_NAMED("dumps", dumps, "The array pickled."),
    TESSERA_NAMED("getfield", getfield, "A field of each element, by NumPy."),
    TESSERA_NAMED("setfield", setfield, "Sets a field of each element, by NumPy."),
};

}  // namespace

std::span<const PyMethodDef> protocol_methods() { return methods_of_protocols; }

}  // namespace tessera::bind
