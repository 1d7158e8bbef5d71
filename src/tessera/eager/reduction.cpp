#include "tessera/eager/reduction.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/eager/convert_rows.h"
#include "tessera/eager/finite.h"
#include "tessera/layout/row_walk.h"

namespace tessera::eager {

namespace {

/// acc = op(acc, x) where the mask is true, else acc; writes the results to `next`.
uint32_t run_masked(const ops::EagerLoop& loop, int64_t size, const RowWalk& rows, char* const* pointers,
                    bool underflow) {
  uint32_t events = 0;
  rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t n) {
    constexpr int64_t none[3] = {};
    for (int64_t i = 0; i < n; ++i) {
      char* one[] = {at[0] + i * steps[0], at[1] + i * steps[1], at[2] + i * steps[2]};
      if (at[3][i * steps[3]]) {
        loop.run(one, none, 1);
        events |= loop.events(one, none, 1, underflow);
      } else {
        std::memcpy(one[2], one[0], size);
      }
    }
  });
  return events;
}

/// Advances an index over `extents` in C order; false after the last one.
bool advance(Dims& index, const Dims& extents) {
  for (size_t axis = extents.size(); axis-- > 0;) {
    if (++index[axis] < extents[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

/// The reduction in place: fast, but events can be found only from the result.
void reduce_unwatched(const ops::EagerLoop& loop, HostView source, std::span<const int> axes, bool started,
                      HostView result) {
  View kept = without_axes(source.view, axes);
  const Dims& packed = result.view.strides;
  std::array<Dims, 3> strides{packed, kept.strides, packed};
  RowWalk rows(kept.shape, strides);
  Dims extents, index(axes.size());
  for (int axis : axes) extents.push_back(source.view.shape[axis]);
  do {
    int64_t offset = 0;
    for (size_t k = 0; k < axes.size(); ++k) offset += index[k] * source.view.strides[axes[k]];
    if (started) {
      char* pointers[] = {result.data, source.data + offset, result.data};
      loop.run_unwatched(rows, pointers);
    } else {
      convert_rows(kept.shape, {source.dtype(), source.data + offset, kept.strides},
                   {source.dtype(), result.data, packed});
      started = true;
    }
  } while (advance(index, extents));
}

/// The reduction with two alternating accumulators, `result` and its like `other`, so that events are found from the
/// operands of each step.
uint32_t reduce_watched(const ops::EagerLoop& loop, HostView source, std::span<const int> axes, bool started,
                        const HostView* where, HostView result, char* other, bool underflow) {
  const View kept = without_axes(source.view, axes);
  const View mask_kept = where ? without_axes(where->view, axes) : kept;
  const Dims& packed = result.view.strides;
  std::array<Dims, 4> strides{packed, kept.strides, packed, mask_kept.strides};
  RowWalk rows(kept.shape, std::span<const Dims>(strides).first(where ? 4 : 3));
  char* total = result.data;
  char* next = other;
  Dims extents, index(axes.size());
  for (int axis : axes) extents.push_back(source.view.shape[axis]);
  uint32_t events = 0;
  do {
    int64_t offset = 0, mask_offset = 0;
    for (size_t k = 0; k < axes.size(); ++k) {
      offset += index[k] * source.view.strides[axes[k]];
      if (where) mask_offset += index[k] * where->view.strides[axes[k]];
    }
    if (!started) {
      convert_rows(kept.shape, {source.dtype(), source.data + offset, kept.strides}, {source.dtype(), total, packed});
      started = true;
      continue;
    }
    char* pointers[] = {total, source.data + offset, next, where ? where->data + mask_offset : nullptr};
    events |= where ? run_masked(loop, itemsize(source.dtype()), rows, pointers, underflow)
                    : loop.run(rows, pointers, underflow);
    std::swap(total, next);
  } while (advance(index, extents));
  if (total != result.data)
    convert_rows(kept.shape, {source.dtype(), total, packed}, {source.dtype(), result.data, packed});
  return events;
}

void fill(HostView result, const Scalar& value) {
  char* element = const_cast<char*>(reinterpret_cast<const char*>(value.bytes));
  convert_rows(result.view.shape, {value.dtype, element, Dims(result.view.shape.size())},
               {result.dtype(), result.data, result.view.strides});
}

}  // namespace

const ops::Signature& reduction_signature(const ops::Op& op, DType source, std::optional<DType> dtype,
                                          std::optional<DType> out) {
  bool sums = !op.user && (op.name == "add" || op.name == "multiply");
  DType first = dtype ? *dtype : out ? *out : source;
  DType second = dtype ? *dtype : source;
  if (!dtype && !out && sums && (is_boolean(source) || is_integer(source)) && itemsize(source) < 8) {
    first = second = is_unsigned_integer(source) ? DType::uint64 : DType::int64;
  }
  auto reductions = [](const ops::Signature& s) { return s.in[0] == s.in[1] && s.in[0] == s.out[0]; };
  if (first == second) {
    const ops::EagerLoop* loop = ops::EagerLoop::uniform(op, first);
    if (loop && reductions(loop->signature())) return loop->signature();
  }
  std::array<ops::OperandType, 2> types{{{first}, {second}}};
  const ops::Signature& chosen = ops::resolve(op, types);
  if (reductions(chosen)) return chosen;
  // The logical ops reduce the truth values of their operands; comparisons reduce only booleans.
  bool any_type = op.reduce.has_value() && (!dtype || dtype == DType::boolean);
  for (const ops::Signature& s : op.signatures) {
    if (reductions(s) && (any_type || source == s.in[0])) return s;
  }
  throw TypeError(format("No loop matching the specified signature and casting was found for ufunc {}", op.name));
}

uint32_t reduce_axes(const ops::EagerLoop& loop, HostView source, std::span<const int> axes, const Scalar* initial,
                     const HostView* where, HostView result, bool underflow) {
  if (initial) fill(result, *initial);
  if (source.view.size() == 0) return 0;
  if (!where) {
    reduce_unwatched(loop, source, axes, initial != nullptr, result);
    if (!needs_watching(loop, result)) return 0;
    if (initial) fill(result, *initial);
  }
  const auto other = std::make_unique_for_overwrite<char[]>(result.view.size() * itemsize(result.dtype()));
  return reduce_watched(loop, source, axes, initial != nullptr, where, result, other.get(), underflow);
}

bool needs_watching(const ops::EagerLoop& loop, HostView result) {
  if (loop.errors() == ir::ErrorRule::none) return false;
  if (is_integer(result.dtype())) return true;
  return !all_finite(result.dtype(), result.data, result.view.size());
}

}  // namespace tessera::eager
