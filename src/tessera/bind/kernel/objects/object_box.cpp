#include "tessera/bind/kernel/objects/object_box.h"

#include <structmember.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/kernel/values/object/user_class.h"

namespace tessera::bind {

namespace {

PyTypeObject* box_type = nullptr;

/// The classes in Python, by number; they stay.
std::vector<PyObject*>& object_classes() {
  static std::vector<PyObject*>& all = *new std::vector<PyObject*>;
  return all;
}

void deallocate_box(PyObject* self) {
  auto* const box = reinterpret_cast<ObjectBox*>(self);
  if (box->weakrefs) PyObject_ClearWeakRefs(self);
  if (box->address != 0) drop_object(std::exchange(box->address, 0));
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* compare_boxes(PyObject* left, PyObject* right, int op) {
  const ObjectBox *const x = as_object_box(left), *const y = as_object_box(right);
  if (!x || !y || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  if (op == Py_EQ) return PyBool_FromLong(x->address == y->address);
  // Not equal is what a method __eq__ denies.
  PyObject* const equal = Py_TYPE(left)->tp_richcompare(left, right, Py_EQ);
  if (!equal || equal == Py_NotImplemented) return equal;
  const int holds = PyObject_IsTrue(equal);
  Py_DECREF(equal);
  return holds < 0 ? nullptr : PyBool_FromLong(holds == 0);
}

Py_hash_t hash_box(PyObject* self) { return as_object_box(self)->address >> 1; }

PyMemberDef box_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ObjectBox, weakrefs), READONLY, nullptr},
    {},
};
PyType_Slot box_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(deallocate_box)},
                           {Py_tp_richcompare, reinterpret_cast<void*>(compare_boxes)},
                           {Py_tp_hash, reinterpret_cast<void*>(hash_box)},
                           {Py_tp_members, box_members},
                           {0, nullptr}};
PyType_Spec box_spec = {.name = "tessera.object",
                        .basicsize = sizeof(ObjectBox),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        .slots = box_slots};
}  // namespace

ObjectBox* as_object_box(PyObject* object) {
  return PyObject_TypeCheck(object, box_type) ? reinterpret_cast<ObjectBox*>(object) : nullptr;
}

PyObject* box_object(int64_t address) {
  const uint32_t number = class_number(address);
  const std::vector<PyObject*>& all = object_classes();
  require<TypeError>(number < all.size() && all[number], "objects of {} have no class in Python: define_boxing says it",
                     kernel::user_class(number).name);
  auto* const type = reinterpret_cast<PyTypeObject*>(all[number]);
  auto* const box = reinterpret_cast<ObjectBox*>(type->tp_alloc(type, 0));
  if (!box) throw ErrorAlreadySet();
  keep_object(address);
  box->address = address;
  box->number = number;
  return reinterpret_cast<PyObject*>(box);
}

void set_object_class(uint32_t number, PyObject* type) {
  std::vector<PyObject*>& all = object_classes();
  if (all.size() <= number) all.resize(number + 1);
  Py_XSETREF(all[number], Py_NewRef(type));
}

PyObject* make_box_type() {
  box_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&box_spec)));
  return reinterpret_cast<PyObject*>(box_type);
}

}  // namespace tessera::bind
