#include "tessera/bind/convert/arguments.h"

#include "tessera/base/error.h"
#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

PyObject* Arguments::take(const char* name) {
  if (!names_) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names_); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names_, i), name) != 0) continue;
    ++taken_;
    return args_[nargs_ + i];
  }
  return nullptr;
}

PyObject* Arguments::at(int i, const char* name) {
  PyObject* named = take(name);
  if (i >= nargs_) return named;
  require<TypeError>(!named, "argument for {}() given by name ('{}') and position ({})", function_, name, i + 1);
  return args_[i];
}

PyObject* Arguments::needed(int i, const char* name) {
  PyObject* found = at(i, name);
  require<TypeError>(found != nullptr, "{}() missing required argument '{}' (pos {})", function_, name, i);
  return found;
}

void Arguments::finish(int most) const {
  require<TypeError>(most < 0 || nargs_ <= most, "{}() takes at most {} arguments ({} given)", function_, most, nargs_);
  require<TypeError>(!names_ || taken_ == PyTuple_GET_SIZE(names_), "{}() got an unexpected keyword argument",
                     function_);
}

CopyChoice to_copy_choice(PyObject* copy) {
  if (!copy || copy == Py_None) return CopyChoice::if_needed;
  if (!PyBool_Check(copy)) {
    // NumPy's own enumeration (_CopyMode) has a member whose truth value raises, so its value is read first.
    if (PyObject* value = PyObject_GetAttrString(copy, "value")) {
      bool if_needed = PyLong_CheckExact(value) && PyLong_AsLong(value) == 2;
      Py_DECREF(value);
      if (if_needed) return CopyChoice::if_needed;
    }
    PyErr_Clear();
  }
  require<ValueError>(!PyUnicode_Check(copy),
                      "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
  int truth = PyObject_IsTrue(copy);
  checked(truth);
  return truth ? CopyChoice::always : CopyChoice::never;
}

}  // namespace tessera::bind
