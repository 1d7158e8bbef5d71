#include "tessera/bind/ufunc/ufunc_object.h"

#include <array>
#include <unordered_map>

#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

PyTypeObject* ufunc_type = nullptr;
vectorcallfunc ufunc_vectorcall = nullptr;

namespace {

/// The ufuncs of users' ops; guarded by the GIL.
std::unordered_map<const ops::UserOp*, PyObject*>& users_ufuncs() {
  static auto* ufuncs = new std::unordered_map<const ops::UserOp*, PyObject*>;
  return *ufuncs;
}

}  // namespace

void set_op(Ufunc* ufunc, Ref<const ops::UserOp> op) {
  if (op) users_ufuncs()[op.get()] = reinterpret_cast<PyObject*>(ufunc);
  const ops::UserOp* old = ufunc->op ? ufunc->op->user : nullptr;
  ufunc->op = op ? &op->op() : nullptr;
  op.release();
  if (!old) return;
  users_ufuncs().erase(old);
  Ref<const ops::UserOp>::adopt(old);
}

PyObject* ufunc_of(const ops::Op& op) {
  if (op.user) return users_ufuncs().at(op.user);
  static std::array<PyObject*, 256> made{};
  PyObject*& entry = made.at(op.id);
  if (!entry) {
    Ufunc* ufunc = reinterpret_cast<Ufunc*>(checked(ufunc_type->tp_alloc(ufunc_type, 0)));
    ufunc->vectorcall = ufunc_vectorcall;
    ufunc->op = &op;
    entry = reinterpret_cast<PyObject*>(ufunc);
  }
  return entry;
}

}  // namespace tessera::bind
