#include "tessera/bind/index/small_assign.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert_rows.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/strided_walk.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/small/finite.h"
#include "tessera/bind/small/small_call.h"
#include "tessera/bind/small/underflow.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/run/library_access.h"
#include "tessera/ir/loops.h"
#include "tessera/library/host/copy.h"

namespace tessera::bind {

namespace {

struct Wide {
  uint64_t parts[2];
};

template <class T>
void copy_row(char* const* pointers, const int64_t* strides, int64_t n) {
  const char* from = pointers[0];
  char* to = pointers[1];
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * strides[1], from + i * strides[0], sizeof(T));
}

/// The loop that copies n elements of this size; a source stride of 0 fills.
ir::Loop mover(int64_t itemsize) {
  switch (itemsize) {
    case 1: return copy_row<uint8_t>;
    case 2: return copy_row<uint16_t>;
    case 4: return copy_row<uint32_t>;
    case 8: return copy_row<uint64_t>;
    case 16: return copy_row<Wide>;
  }
  return nullptr;
}

Dims stretched_strides(const View& view, const Dims& shape) {
  Dims strides(shape.size());
  size_t offset = shape.size() - view.shape.size();
  for (size_t i = 0; i < view.shape.size(); ++i) strides[offset + i] = view.shape[i] == 1 ? 0 : view.strides[i];
  return strides;
}

/// Reports the floating-point events of a completed cast.
void report_cast(DType from, const View& to, std::span<char* const> pointers, std::span<const Dims> strides) {
  uint32_t events = 0;
  walk_rows(to.shape, pointers, strides, [&](char* const* at, const int64_t* steps, int64_t n) {
    if (watches_underflow()) events |= find_cast_underflow(from, to.dtype, at, steps, n);
    events |= ir::find_events(ir::ErrorRule::cast, from, to.dtype, at[1], steps[1], at[0], steps[0], nullptr, 0, n);
  });
  if (events) handle_events(events, "cast", error_state());
}

}  // namespace

bool try_small_assign(const Array& destination, const Operand& source) {
  const View& to = destination.view;
  int64_t n = to.size();
  if (n == 0 || n > small_limit) return false;
  char* start = writable(destination);
  if (!start) return false;
  std::array<char*, 2> pointers{nullptr, start + to.offset};
  if (source.is_scalar()) {
    Scalar value = source.scalar.dtype == to.dtype ? source.scalar : source.scalar.cast_to(to.dtype);
    pointers[0] = reinterpret_cast<char*>(value.bytes);
    std::array<Dims, 2> strides{Dims(to.shape.size()), to.strides};
    walk_rows(to.shape, pointers, strides, mover(to.itemsize()));
    return true;
  }
  const View& from = source.array.view;
  const char* data = readable(source.array);
  if (!data || from.ndim() > to.ndim()) return false;
  if (source.array.storage == destination.storage) return false;
  bool same = from.dtype == to.dtype;
  pointers[0] = const_cast<char*>(data) + from.offset;
  if (same && from.shape == to.shape && from.is_c_contiguous() && to.is_c_contiguous()) {
    std::memcpy(pointers[1], pointers[0], static_cast<size_t>(n * to.itemsize()));
    return true;
  }
  if (!to.is_injective()) return false;
  std::array<Dims, 2> strides{stretched_strides(from, to.shape), to.strides};
  convert_rows(to.shape, {from.dtype, pointers[0], strides[0]}, {to.dtype, pointers[1], strides[1]});
  if (!same && !can_cast(from.dtype, to.dtype, Casting::safe)) report_cast(from.dtype, to, pointers, strides);
  return true;
}

PyObject* try_small_copy(PyObject* source, DType dtype) {
  if (Py_TYPE(source) != ndarray_type) return nullptr;
  const Array& from = as_ndarray(source)->array;
  const int64_t n = from.size();
  const char* data = n <= small_limit ? readable(from) : nullptr;
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
                     (is_floating(dtype) && !watches_underflow() && all_finite(dtype, pointers[1], n));
  if (!quiet)
    report_cast(from.dtype(), to, pointers,
                std::array<Dims, 2>{View::contiguous(to.shape, from.dtype()).strides, to.strides});
  return result.release();
}

/// Whether another axis than the last has the smallest stride; copying in tiles is then faster than any loop over rows.
static bool is_transposed(const View& view) {
  int last = view.ndim() - 1;
  for (int axis = 0; axis < last; ++axis) {
    if (view.shape[axis] > 1 && view.strides[axis] != 0 && std::abs(view.strides[axis]) < std::abs(view.strides[last]))
      return true;
  }
  return false;
}

Array copy_array(const Array& source, DType dtype, Order order) {
  constexpr int64_t tiled_size = 128;
  Engine& engine = Engine::instance();
  bool whole = dtype == source.dtype() && source.view.offset == 0 && source.storage->pins == 0 &&
               source.storage->current->nbytes == source.size() * source.view.itemsize();
  bool safe = can_cast(source.dtype(), dtype, Casting::safe);
  const bool tiles =
      dtype == source.dtype() && order == Order::c && source.size() > tiled_size && is_transposed(source.view);
  if (source.size() <= small_limit && !tiles && readable(source)) {
    Array result = engine.empty(source.shape(), dtype, order, &source.view);
    if (source.size() == 0 || try_small_assign(result, Operand(source))) return result;
  }
  if (tiles && readable(source)) {
    const engine::PlacedCall call;
    const auto moved = 2.0 * static_cast<double>(itemsize(dtype));
    if (!library_device(engine, {&source}, engine::cost_by_element("transpose", source.size(), 1, moved, 0, 1))) {
      Array result = engine.empty(source.shape(), dtype);
      char* to = engine.write(result);
      const char* from = engine.read(source);
      without_gil(source.size(), [&] { library::copy_view(from, source.view, to, result.view); });
      return result;
    }
  }
  if (whole || safe) return engine.copy(source, dtype, order);
  // The cast may have floating-point events to report, under the current errstate.
  Array result = engine.empty(source.shape(), dtype, order, &source.view);
  record_assign(result, Operand(source));
  return result;
}

}  // namespace tessera::bind
