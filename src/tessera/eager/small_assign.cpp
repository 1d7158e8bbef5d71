#include "tessera/eager/small_assign.h"

#include <array>
#include <cstring>

#include "tessera/eager/convert_rows.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/ir/loops.h"
#include "tessera/layout/row_walk.h"
#include "tessera/ops/underflow.h"

namespace tessera::eager {

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

/// Copies by way of memory that neither view has.
void assign_over_itself(const View& from, char* source, const View& to, char* target) {
  alignas(64) char elements[small_limit * sizeof(Scalar::bytes)];
  const View between = View::contiguous(from.shape, from.dtype);
  convert_rows(from.shape, {from.dtype, source, from.strides}, {from.dtype, elements, between.strides});
  convert_rows(to.shape, {to.dtype, elements, stretched_strides(between, to.shape)}, {to.dtype, target, to.strides});
}

}  // namespace

std::optional<uint32_t> try_assign(const Array& destination, const Operand& source, bool underflow, int64_t most) {
  const View& to = destination.view;
  int64_t n = to.size();
  if (n == 0 || n > most) return {};
  char* start = writable(destination);
  if (!start) return {};
  std::array<char*, 2> pointers{nullptr, start + to.offset};
  if (source.is_scalar()) {
    Scalar value = source.scalar.dtype == to.dtype ? source.scalar : source.scalar.cast_to(to.dtype);
    pointers[0] = reinterpret_cast<char*>(value.bytes);
    std::array<Dims, 2> strides{Dims(to.shape.size()), to.strides};
    walk_rows(to.shape, pointers, strides, mover(to.itemsize()));
    return 0;
  }
  const View& from = source.array.view;
  const char* data = readable(source.array);
  if (!data || from.ndim() > to.ndim()) return {};
  bool same = from.dtype == to.dtype;
  pointers[0] = const_cast<char*>(data) + from.offset;
  const Overlap shared = source.array.storage == destination.storage ? overlap(from, to) : Overlap::disjoint;
  if (shared == Overlap::equal && same) return 0;  // as after `a[i] += b`
  if (shared != Overlap::disjoint) {
    if (!same || from.size() > small_limit || !to.is_injective()) return {};
    assign_over_itself(from, pointers[0], to, pointers[1]);
    return 0;
  }
  if (same && from.shape == to.shape && from.is_c_contiguous() && to.is_c_contiguous()) {
    std::memcpy(pointers[1], pointers[0], static_cast<size_t>(n * to.itemsize()));
    return 0;
  }
  if (!to.is_injective()) return {};
  std::array<Dims, 2> strides{stretched_strides(from, to.shape), to.strides};
  convert_rows(to.shape, {from.dtype, pointers[0], strides[0]}, {to.dtype, pointers[1], strides[1]});
  if (same || can_cast(from.dtype, to.dtype, Casting::safe)) return 0;
  return cast_events(from.dtype, to.dtype, to.shape, pointers, strides, underflow);
}

uint32_t cast_events(DType from, DType to, std::span<const int64_t> shape, std::span<char* const> pointers,
                     std::span<const Dims> strides, bool underflow) {
  uint32_t events = 0;
  walk_rows(shape, pointers, strides, [&](char* const* at, const int64_t* steps, int64_t n) {
    if (underflow) events |= ops::find_cast_underflow(from, to, at, steps, n);
    events |= ir::find_events(ir::ErrorRule::cast, from, to, at[1], steps[1], at[0], steps[0], nullptr, 0, n);
  });
  return events;
}

}  // namespace tessera::eager
