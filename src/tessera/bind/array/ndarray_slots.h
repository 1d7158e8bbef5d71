/// The slot and method tables that make up the array type, each defined in a file of its own.
#pragma once

#include <Python.h>

#include <span>

#include "tessera/layout/view.h"
#include "tessera/ops/op.h"

namespace tessera::bind {

extern PyNumberMethods number_slots;              // number_slots.cpp
extern PyMappingMethods mapping_slots;            // mapping_slots.cpp
extern PySequenceMethods sequence_slots;          // mapping_slots.cpp
extern PyBufferProcs buffer_slots;                // buffer_protocol.cpp
extern PyGetSetDef attribute_table[];             // ndarray_attributes.cpp
std::span<const PyMethodDef> view_methods();      // methods_view.cpp
std::span<const PyMethodDef> element_methods();   // methods_element.cpp
std::span<const PyMethodDef> function_methods();  // methods_function.cpp
std::span<const PyMethodDef> protocol_methods();  // methods_protocol.cpp

/// The op that NumPy runs instead of power for this Python exponent, or null.
const ops::Op* cheaper_power(DType base, PyObject* exponent);       // number_slots.cpp
PyObject* compare_arrays(PyObject* self, PyObject* other, int op);  // number_slots.cpp
PyObject* iterate_array(PyObject* self);                            // mapping_slots.cpp
PyObject* array_repr(PyObject* self);                               // text.cpp
PyObject* array_str(PyObject* self);                                // text.cpp
/// The order that 'A' stands for, and 'K' where it is equivalent.
Order settled_order(Order order, const View& view);                            // methods_view.cpp
PyObject* make_ndarray(PyTypeObject* type, PyObject* args, PyObject* kwargs);  // ndarray_new.cpp

}  // namespace tessera::bind
