#include "tessera/bind/ufunc/ufunc_object.h"

#include <array>

#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

PyTypeObject* ufunc_type = nullptr;
vectorcallfunc ufunc_vectorcall = nullptr;

PyObject* ufunc_of(const ops::Op& op) {
  static std::array<PyObject*, 256> made{};
  PyObject*& entry = made.at(op.id);
  if (!entry) {
    Ufunc* ufunc = PyObject_New(Ufunc, ufunc_type);
    if (!ufunc) throw ErrorAlreadySet();
    ufunc->vectorcall = ufunc_vectorcall;
    ufunc->op = &op;
    entry = reinterpret_cast<PyObject*>(ufunc);
  }
  return entry;
}

}  // namespace tessera::bind
