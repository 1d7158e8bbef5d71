#include "tessera/bind/small_reduce.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tessera/bind/elements.h"
#include "tessera/bind/error_state.h"
#include "tessera/bind/small_call.h"
#include "tessera/ir/loops.h"

namespace tessera::bind {

namespace {

constexpr int64_t reduce_limit = 4096;  // below a leaf chunk, so that one tree gives the whole sum

/// What a fold of n floats gave rise to: infinity from finite elements overflowed, NaN from numbers is invalid.
template <class T>
uint32_t fold_events(const char* result, const char* data, int64_t n) {
  T total = *reinterpret_cast<const T*>(result);
  if (std::isfinite(total)) [[likely]] return 0;
  const T* elements = reinterpret_cast<const T*>(data);
  bool all_finite = true, any_nan = false;
  for (int64_t i = 0; i < n; ++i) {
    all_finite &= std::isfinite(elements[i]);
    any_nan |= std::isnan(elements[i]);
  }
  if (std::isnan(total)) return any_nan ? 0 : ir::event_invalid;
  return all_finite ? ir::event_overflow : 0;
}

uint32_t fold_events(DType type, const char* result, const char* data, int64_t n) {
  if (type == DType::float64) return fold_events<double>(result, data, n);
  if (type == DType::float32) return fold_events<float>(result, data, n);
  return 0;
}

}  // namespace

std::optional<Array> try_small_reduce(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                      std::span<const int> axes) {
  DType type = signature.in[0];
  int ndim = source.ndim();
  bool full = static_cast<int>(axes.size()) == ndim;
  bool last = axes.size() == 1 && axes[0] == ndim - 1;
  if (source.size() > reduce_limit || !(full || last) || ndim == 0) return {};
  const char* data = readable(source);
  if (!data || !source.view.is_c_contiguous()) return {};
  auto kind = ops::reduce_kind_of(op, type);
  if (!kind) return {};
  bool tree = *kind == ir::ReduceKind::add && (is_floating(type) || is_complex(type));
  ir::ReduceLoop fold = ir::find_reduce_loop(*kind, tree ? ir::ReduceOrder::pairwise : ir::ReduceOrder::sequential, type);
  if (!fold) return {};
  data += source.view.offset;
  std::unique_ptr<char[]> converted;
  if (source.dtype() != type) {
    ir::Loop cast = ir::find_loop(ir::Opcode::cast, source.dtype(), type);
    if (!cast) return {};
    converted = std::make_unique_for_overwrite<char[]>(source.size() * itemsize(type));
    char* pointers[] = {const_cast<char*>(data), converted.get()};
    int64_t strides[] = {itemsize(source.dtype()), itemsize(type)};
    cast(pointers, strides, source.size());
    data = converted.get();
  }
  int64_t length = full ? source.size() : source.shape()[ndim - 1];
  Dims kept;
  for (int i = 0; !full && i < ndim - 1; ++i) kept.push_back(source.shape()[i]);
  Array result = Engine::instance().empty(kept, type);
  char* out = Engine::instance().write(result);
  int64_t size = itemsize(type), rows = source.size() / length;
  uint32_t events = 0;
  for (int64_t row = 0; row < rows; ++row, data += length * size, out += size) {
    if (tree) {
      fold(data, size, length, out);
    } else {
      std::copy_n(data, size, out);
      fold(data + size, size, length - 1, out);
    }
    if (op.errors != ir::ErrorRule::none) events |= fold_events(type, out, data, length);
  }
  if (events) [[unlikely]] handle_events(events, "reduce", error_state());
  return result;
}

}  // namespace tessera::bind
