/// ObjectBox: an object of Python's that stands for an object of a user's class in memory.
#pragma once

#include <Python.h>

#include <cstdint>

namespace tessera::bind {

/// Several may stand for one.
struct ObjectBox {
  PyObject_HEAD int64_t address;  // in words
  PyObject* weakrefs;
  uint32_t number;  // of its class
};

/// The box, null for other objects.
ObjectBox* as_object_box(PyObject* object);
/// A new box of the object at this address.
PyObject* box_object(int64_t address);
/// The class in Python of the class of this number; it stays.
void set_object_class(uint32_t number, PyObject* type);
/// Makes the type that classes derive from; a borrowed reference.
PyObject* make_box_type();

}  // namespace tessera::bind
