#include "tessera/base/error.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/bind/index/store.h"

namespace tessera::bind {

namespace {

enum class Overlap : int64_t { valid, same, full };

/// correlate(a, v, mode): sums of a[k + j] * v[j] for the shifts k that the mode (0 valid, 1 same, 2 full) keeps.
PyObject* correlate(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("correlate", args, nargs, names, [](Arguments& arguments) {
    Array a = needed_array(arguments.needed(0, "a")), v = needed_array(arguments.needed(1, "v"));
    const auto mode = static_cast<Overlap>(to_int(arguments.needed(2, "mode")));
    arguments.finish(3);
    for (const Array* array : {&a, &v}) {
      require<ValueError>(array->ndim() == 1, array->ndim() ? "object too deep for desired array"
                                                            : "object of too small depth for desired array");
    }
    require<ValueError>(a.size() > 0, "first array argument cannot be empty");
    require<ValueError>(v.size() > 0, "second array argument cannot be empty");
    DType dtype = promote(a.dtype(), v.dtype());
    // The longer operand stays in place; if the operands are exchanged, the sums are in the opposite order.
    bool swapped = a.size() < v.size();
    if (swapped) std::swap(a, v);
    int64_t n = a.size(), taps = v.size();
    int64_t left = mode == Overlap::full ? taps - 1 : mode == Overlap::same ? taps / 2 : 0;
    int64_t right = mode == Overlap::full ? taps - 1 : mode == Overlap::same ? taps - 1 - left : 0;
    int64_t count = n - taps + 1 + left + right;
    Array result = Engine::instance().call("correlate", {in_dtype(a, dtype), in_dtype(v, dtype)}, {left, count},
                                           current_context());
    if (swapped) result = copy_array(result.with_view(result.view.slice(0, count - 1, -1, count)), dtype, Order::c);
    return wrap(std::move(result));
  });
}

}  // namespace

std::vector<PyMethodDef> sliding_methods() {
  return {host_method("correlate", correlate, "Sums of products of a sequence with taps that slide along it.")};
}

}  // namespace tessera::bind
