#include "tessera/bind/small/small_reduce.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "tessera/bind/convert/convert_rows.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/index/strided_walk.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/small/host_reduction.h"
#include "tessera/bind/small/reduction_events.h"
#include "tessera/ir/loops.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::bind {

namespace {

constexpr int64_t reduce_limit = 4096;  // below a leaf chunk, so that one tree gives the whole sum
constexpr int64_t elements_a_thread = 1 << 17;

/// A dense copy of the source in the loop's type.
std::optional<Array> converted(const Array& source, DType type) {
  if (!can_convert(source.dtype(), type)) return {};
  Array copy = Engine::instance().empty(source.shape(), type, Order::k, &source.view);
  char* data = const_cast<char*>(readable(source)) + source.view.offset;
  convert_rows(source.shape(), {source.dtype(), data, source.view.strides},
               {type, Engine::instance().write(copy), copy.view.strides});
  return copy;
}

/// Reduces each row of `length` elements to one element; the rows start at the elements of `kept`.
Array reduce_rows_on_host(const ops::Op& op, ir::ReduceKind kind, ir::ReduceLoop reduction, const Array& source,
                          const View& kept, int64_t length, int64_t step) {
  DType type = source.dtype();
  bool tree = kind == ir::ReduceKind::add && (is_floating(type) || is_complex(type));
  Array result = Engine::instance().empty(kept.shape, type, Order::k, &kept);
  int64_t size = itemsize(type);
  uint32_t events = 0;
  std::array<char*, 2> pointers{const_cast<char*>(readable(source)) + source.view.offset,
                                Engine::instance().write(result)};
  std::array<Dims, 2> strides{kept.strides, result.view.strides};
  walk_rows(kept.shape, pointers, strides, [&](char* const* at, const int64_t* steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      char* row = at[0] + i * steps[0];
      char* out = at[1] + i * steps[1];
      if (tree) {
        reduction(row, step, length, out);
      } else {
        std::copy_n(row, size, out);
        reduction(row + step, step, length - 1, out);
      }
      if (op.errors != ir::ErrorRule::none) events |= reduction_events(type, out, row, step, length);
    }
  });
  if (events) [[unlikely]]
    handle_events(events, "reduce", error_state());
  return result;
}

bool is_extreme(ir::ReduceKind kind) {
  return kind == ir::ReduceKind::min || kind == ir::ReduceKind::max || kind == ir::ReduceKind::min_num ||
         kind == ir::ReduceKind::max_num;
}

/// Reduces all elements of a contiguous array with a reduction whose order does not affect the result: the precompiled
/// loop runs at memory bandwidth.
Array reduce_whole(ir::ReduceLoop reduction, const Array& source) {
  const int64_t size = itemsize(source.dtype()), n = source.size();
  const char* data = readable(source) + source.view.offset;
  Array result = Engine::instance().empty({}, source.dtype());
  char* total = Engine::instance().write(result);
  std::copy_n(data, size, total);
  if (n <= elements_a_thread) {
    reduction(data, size, n, total);
    return result;
  }
  std::mutex joining;
  auto body = [&](int64_t begin, int64_t end) {
    alignas(16) char part[16];
    std::copy_n(data + begin * size, size, part);
    reduction(data + begin * size, size, end - begin, part);
    std::lock_guard lock(joining);
    reduction(part, size, 1, total);
  };
  without_gil(n, [&] { runtime::parallel_for(n, elements_a_thread, body); });
  return result;
}

Array begun_with(const ops::Op& op, const ops::Signature& signature, const Scalar& initial, Array result) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  Array joined = Engine::instance().empty(result.shape(), result.dtype(), Order::k, &result.view);
  std::array<char*, 3> pointers{const_cast<char*>(reinterpret_cast<const char*>(initial.bytes)),
                                Engine::instance().write(result), Engine::instance().write(joined)};
  std::array<Dims, 3> strides{Dims(result.shape().size()), result.view.strides, joined.view.strides};
  uint32_t events = loop.run(RowWalk(result.shape(), strides), pointers.data());
  if (events) [[unlikely]]
    handle_events(events, "reduce", error_state());
  return joined;
}

}  // namespace

std::optional<Array> try_small_reduce(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                      std::span<const int> axes, const std::optional<Scalar>& initial) {
  DType type = signature.in[0];
  int ndim = source.ndim();
  if (!readable(source) || Engine::instance().weighs_places(source)) return {};
  if (ndim == 0 && !initial) return converted(source, type);  // the reduction of one element is the element
  if (ndim == 0 || axes.empty()) return {};
  auto kind = ops::reduce_kind_of(op, type);
  const bool whole_extreme = kind && is_extreme(*kind) && static_cast<int>(axes.size()) == ndim && !initial &&
                             source.dtype() == type && source.view.is_c_contiguous() && is_floating(type);
  if (whole_extreme && source.size() > reduce_limit) {
    if (ir::ReduceLoop reduction = ir::find_reduce_loop(*kind, ir::ReduceOrder::sequential, type))
      return reduce_whole(reduction, source);
  }
  if (source.size() > reduce_limit) return {};
  bool all = static_cast<int>(axes.size()) == ndim && (ndim == 1 || source.view.is_c_contiguous());
  bool last = axes.size() == 1 && axes[0] == ndim - 1;
  bool columns = axes.back() != ndim - 1;
  if (!all && !last && !columns) return {};
  Array typed = source;
  if (source.dtype() != type) {
    auto copy = converted(source, type);
    if (!copy) return {};
    typed = *std::move(copy);
  }
  std::optional<Array> result;
  if (columns || !kind) {
    result = reduce_axes(op, signature, typed, axes, {}, {});
  } else {
    bool tree = *kind == ir::ReduceKind::add && (is_floating(type) || is_complex(type));
    ir::ReduceLoop reduction =
        ir::find_reduce_loop(*kind, tree ? ir::ReduceOrder::pairwise : ir::ReduceOrder::sequential, type);
    if (!reduction) return {};
    const View kept = without_axes(typed.view, axes);
    int64_t length = all ? source.size() : source.shape()[ndim - 1];
    // An axis of one element may have any stride, even in contiguous arrays.
    int64_t step = all && ndim > 1 ? itemsize(type) : typed.view.strides[ndim - 1];
    result = reduce_rows_on_host(op, *kind, reduction, typed, kept, length, step);
  }
  if (result && initial) result = begun_with(op, signature, *initial, *std::move(result));
  return result;
}

}  // namespace tessera::bind
