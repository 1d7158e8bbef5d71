/// PlainBinary: a binary op whose recording needs no promotion, broadcasting or cast. In the header, because the calls
/// of every recorded op are worth sparing.
#pragma once

#include <Python.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/number_element.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/engine/engine.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::bind {

/// The array of an exact ndarray, else null.
inline const Array* exact_array(PyObject* object) {
  return Py_TYPE(object) == ndarray_type ? &as_ndarray(object)->array : nullptr;
}

/// The op on two exact arrays, or on one and a Python number that keeps its dtype.
struct PlainBinary {
  const ops::Op& op;
  const Array* x = nullptr;  // one of the two may be null: `scalar` then takes its place
  const Array* y = nullptr;
  Scalar scalar;
  Context context;

  /// False for other operands, and where work may not be deferred.
  bool read(PyObject* a, PyObject* b);
};

[[gnu::always_inline]] inline bool PlainBinary::read(PyObject* a, PyObject* b) {
  x = exact_array(a);
  y = exact_array(b);
  if (!x && !y) return false;
  if (!(x && y) && !to_element(x ? b : a, (x ? x : y)->dtype(), scalar)) return false;
  context.errors = error_state();
  if (!may_wait(context.errors)) return false;
  context.site = call_site();
  return true;
}

/// Commits the next node of a known loop when the op is that; a new reference, or null with nothing done.
inline PyObject* try_follow(const PlainBinary& binary) {
  return try_wrap_made([&](void* place) {
    return Engine::instance().follow_binary(binary.op, binary.x, binary.y, binary.scalar, binary.context, place);
  });
}

/// Records the op for operands of one shape and dtype; a new reference, or null with nothing done.
inline PyObject* try_record(const PlainBinary& binary) {
  const auto& [op, x, y, scalar, context] = binary;
  const Array& model = x ? *x : *y;
  static const ops::OpId power = ops::OpTable::standard().find("power")->id;  // checks its exponents first
  if (model.ndim() == 0 || op.nin != 2 || op.nout != 1 || op.id == power) return nullptr;
  if (x && y && (y->dtype() != x->dtype() || !(x->shape() == y->shape()))) return nullptr;
  const ops::EagerLoop* loop = ops::EagerLoop::uniform(op, model.dtype());
  if (!loop) return nullptr;
  return wrap_made([&] { return Engine::instance().record_binary(op, loop->signature(), x, y, scalar, context); });
}

}  // namespace tessera::bind
