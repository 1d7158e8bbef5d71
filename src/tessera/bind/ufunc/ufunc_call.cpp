#include "tessera/bind/ufunc/ufunc_call.h"

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/ufunc/plain_binary.h"
#include "tessera/bind/ufunc/try_eager.h"
#include "tessera/bind/ufunc/ufunc_apply.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/bind/ufunc/ufunc_fallback.h"
#include "tessera/bind/ufunc/ufunc_object.h"
#include "tessera/bind/ufunc/ufunc_override.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/eager/unsteady_sites.h"

namespace tessera::bind {

namespace {

/// A call with any arguments, and where its plain ones are.
struct Request {
  const ops::Op& op;
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* names;  // of the keywords, or null
  bool plain;       // no arguments but the operands and out=
  PyObject* out;    // of a plain call, or null
  bool is_binary;
  bool is_operator;
};

bool is_only_out(PyObject* names) {
  static constinit Interned out("out");
  return PyTuple_GET_SIZE(names) == 1 && PyTuple_GET_ITEM(names, 0) == out;
}

/// Any operands: parsed, promoted, broadcast and cast, then run at once if small, else recorded (ufunc_apply.h).
/// Classes with overrides come first, NumPy last.
[[gnu::noinline]] PyObject* apply_any(const Request& r) {
  if (PyObject* answer = try_override(ufunc_of(r.op), "__call__", r.args, r.nargs, r.names)) return answer;
  try {
    return apply(read_call(r.op, r.args, r.nargs, r.names));
  } catch (const Foreign& foreign) {
    return fall_back(r.op, "", r.args, r.nargs, r.names, foreign);
  }
}

/// Whether the operand is no array, or a small settled one.
bool is_small(PyObject* operand) {
  if (Py_TYPE(operand) != ndarray_type) return true;
  const Array& array = as_ndarray(operand)->array;
  return array.size() <= eager::small_limit && eager::readable(array);
}

/// Whether a plain call is followed or recorded at all. Operators record small arrays that are not dense, because their
/// expressions fuse; ufunc calls run them at once, which costs less when one result is all that is wanted.
[[gnu::always_inline]] inline bool is_recorded(const Request& r) {
  if (r.out || !r.is_binary) return false;
  return r.is_operator || !is_small(r.args[0]) || !is_small(r.args[1]);
}

/// At once, as plans for this site are never found again: what its operands, rows of one shape, wait for runs first.
[[gnu::noinline]] PyObject* try_unsteady(const Request& r) {
  constexpr int64_t most = eager::UnsteadySites::most_elements;
  SmallVector<const Array*, 4> arrays;
  for (int k = 0; k <= r.op.nin; ++k) {
    PyObject* operand = k < r.op.nin ? r.args[k] : r.out;
    if (!operand || Py_TYPE(operand) != ndarray_type) continue;
    const Array& array = as_ndarray(operand)->array;
    if (array.size() > most || array.ndim() != 1) return nullptr;
    if (!arrays.empty() && !(array.shape() == arrays[0]->shape())) return nullptr;
    arrays.push_back(&array);
  }
  if (arrays.empty() || !eager::UnsteadySites::instance().take_turn(call_site())) return nullptr;
  for (const Array* array : arrays)
    if (!Engine::instance().finish_on_host(*array)) return nullptr;
  deliver_reports();
  return try_eager(r.op, r.args, r.out, most);
}

/// The ways of every operator and ufunc call, in this order; each returns null, with nothing done, where it does not
/// apply.
[[gnu::always_inline]] inline PyObject* run(const Request& r) {
  if (r.plain) [[likely]] {
    if (PyObject* result = try_eager(r.op, r.args, r.out, eager::small_limit)) return result;
    if (eager::UnsteadySites::instance().any()) [[unlikely]]
      if (PyObject* result = try_unsteady(r)) return result;
    if (PlainBinary binary{r.op}; is_recorded(r) && binary.read(r.args[0], r.args[1])) {
      if (PyObject* result = try_follow(binary)) return result;
      if (PyObject* result = try_record(binary)) return result;
    }
  }
  return apply_any(r);
}

}  // namespace

PyObject* call_ufunc(const ops::Op& op, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const bool has_out = names && is_only_out(names);
  return run({.op = op,
              .args = args,
              .nargs = nargs,
              .names = names,
              .plain = nargs == op.nin && (!names || has_out),
              .out = has_out ? args[nargs] : nullptr,
              .is_binary = op.nin == 2,
              .is_operator = false});
}

PyObject* call_binary(const ops::Op& op, PyObject* a, PyObject* b, PyObject* out) {
  return guarded([&] {
    PyObject* const args[] = {a, b, out};
    return run({.op = op,
                .args = args,
                .nargs = out ? 3 : 2,
                .names = nullptr,
                .plain = true,
                .out = out,
                .is_binary = true,
                .is_operator = true});
  });
}

PyObject* call_unary(const ops::Op& op, PyObject* a, PyObject* out) {
  return guarded([&] {
    PyObject* const args[] = {a, out};
    return run({.op = op,
                .args = args,
                .nargs = out ? 2 : 1,
                .names = nullptr,
                .plain = true,
                .out = out,
                .is_binary = false,
                .is_operator = true});
  });
}

}  // namespace tessera::bind
