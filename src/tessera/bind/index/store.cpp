#include "tessera/bind/index/store.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_assign.h"
#include "tessera/eager/small_call.h"
#include "tessera/ir/loops.h"

namespace tessera::bind {

namespace {

void warn_of_lost_imaginary_part() {
  static constinit Imported category("numpy.exceptions", "ComplexWarning");
  checked(PyErr_WarnEx(category, "Casting complex values to real discards the imaginary part", 1));
}

}  // namespace

void warn_when_complex_is_cut(DType from, DType to) {
  if (is_complex(from) && !is_complex(to) && !is_boolean(to)) warn_of_lost_imaginary_part();
}

void record_assign(const Array& target, const Operand& source) {
  const Context context = current_context();
  Engine::instance().assign(target, source, context);
  finish_events(context.errors);
  deliver_reports();
}

bool try_small_assign(const Array& destination, const Operand& source, int64_t most) {
  const std::optional<uint32_t> events = eager::try_assign(destination, source, watches_underflow(), most);
  if (events) handle_events(*events, "cast");
  return events.has_value();
}

PyObject* try_small_copy(PyObject* source, DType dtype) {
  if (Py_TYPE(source) != ndarray_type) return nullptr;
  const Array& from = as_ndarray(source)->array;
  const int64_t n = from.size();
  const char* data = n <= eager::small_limit ? eager::readable(from) : nullptr;
  if (!data || !from.view.is_c_contiguous()) return nullptr;
  const bool same = from.dtype() == dtype;
  ir::Loop cast = same ? nullptr : ir::find_loop(ir::Opcode::cast, from.dtype(), dtype);
  if (!same && !cast) return nullptr;
  Object result(reinterpret_cast<PyObject*>(new_contiguous(from.view, dtype)));
  const View& to = as_ndarray(result.get())->array.view;
  std::array<char*, 2> pointers{const_cast<char*>(data) + from.view.offset,
                                as_ndarray(result.get())->array.storage->current->data};
  if (same) {
    std::memcpy(pointers[1], pointers[0], static_cast<size_t>(n * from.view.itemsize()));
    return result.release();
  }
  const int64_t strides[] = {from.view.itemsize(), to.itemsize()};
  cast(pointers.data(), strides, n);
  const bool quiet = can_cast(from.dtype(), dtype, Casting::safe) ||
                     (is_floating(dtype) && !watches_underflow() && eager::all_finite(dtype, pointers[1], n));
  if (!quiet) {
    const std::array<Dims, 2> both{View::contiguous(to.shape, from.dtype()).strides, to.strides};
    handle_events(eager::cast_events(from.dtype(), dtype, to.shape, pointers, both, watches_underflow()), "cast");
  }
  return result.release();
}

Array copy_array(const Array& source, DType dtype, Order order) {
  Engine& engine = Engine::instance();
  bool whole = dtype == source.dtype() && source.view.offset == 0 && source.storage->pins == 0 &&
               source.storage->current->nbytes == source.size() * source.view.itemsize();
  bool safe = can_cast(source.dtype(), dtype, Casting::safe);
  if (source.size() <= eager::small_limit && eager::readable(source)) {
    Array result = engine.empty(source.shape(), dtype, order, &source.view);
    if (source.size() == 0 || try_small_assign(result, Operand(source))) return result;
  }
  if (whole || safe) return engine.copy(source, dtype, order);
  // The cast may have floating-point events to report, under the current errstate.
  Array result = engine.empty(source.shape(), dtype, order, &source.view);
  record_assign(result, Operand(source));
  return result;
}

}  // namespace tessera::bind
