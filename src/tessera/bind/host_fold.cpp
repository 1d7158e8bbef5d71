#include "tessera/bind/host_fold.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/error_state.h"
#include "tessera/bind/strided_walk.h"

namespace tessera::bind {

namespace {

/// One position on the folded axes: the elements of all kept indices, as a base pointer and strides.
struct Slab {
  Dims shape;
  Dims strides;
};

Slab without_axes(const View& view, std::span<const int> axes) {
  Slab slab;
  for (int i = 0; i < view.ndim(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) != axes.end()) continue;
    slab.shape.push_back(view.shape[i]);
    slab.strides.push_back(view.strides[i]);
  }
  return slab;
}

/// Runs a loop over slabs: directly when a slab is one element.
uint32_t run_slab(const EagerLoop& loop, const Dims& shape, std::span<char* const> pointers, std::span<const Dims> strides) {
  if (!shape.empty()) return loop.run(shape, pointers, strides);
  constexpr int64_t none[4] = {};
  loop.run(pointers.data(), none, 1);
  return loop.events(pointers.data(), none, 1);
}

void copy_slab(int64_t size, const Dims& shape, char* from, const Dims& from_strides, char* to, const Dims& to_strides) {
  std::array<char*, 2> pointers{from, to};
  std::array<Dims, 2> strides{from_strides, to_strides};
  walk_rows(shape, pointers, strides, [&](char* const* at, const int64_t* steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(at[1] + i * steps[1], at[0] + i * steps[0], size);
  });
}

/// acc = op(acc, x) where the mask is true, else acc; results go to `next`.
uint32_t run_masked(const EagerLoop& loop, int64_t size, const Dims& shape, std::span<char* const> pointers,
                    std::span<const Dims> strides) {
  uint32_t events = 0;
  walk_rows(shape, pointers, strides, [&](char* const* at, const int64_t* steps, int64_t n) {
    constexpr int64_t none[3] = {};
    for (int64_t i = 0; i < n; ++i) {
      char* one[] = {at[0] + i * steps[0], at[1] + i * steps[1], at[2] + i * steps[2]};
      if (at[3][i * steps[3]]) {
        loop.run(one, none, 1);
        events |= loop.events(one, none, 1);
      } else {
        std::memcpy(one[2], one[0], size);
      }
    }
  });
  return events;
}

/// Steps an index over `extents` in C order; false after the last one.
bool advance(Dims& index, const Dims& extents) {
  for (size_t axis = extents.size(); axis-- > 0;) {
    if (++index[axis] < extents[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

void report(uint32_t events, const char* method) {
  if (events) handle_events(events, method, error_state());
}

char* start_of(const Array& array) { return const_cast<char*>(Engine::instance().read(array)); }

}  // namespace

const ops::Signature& fold_signature(const ops::Op& op, DType source, std::optional<DType> dtype, std::optional<DType> out) {
  bool sums = op.name == "add" || op.name == "multiply";
  DType first = dtype ? *dtype : out ? *out : source;
  DType second = dtype ? *dtype : source;
  if (!dtype && !out && sums && (is_boolean(source) || is_integer(source)) && itemsize(source) < 8) {
    first = second = is_unsigned_integer(source) ? DType::uint64 : DType::int64;
  }
  auto folds = [](const ops::Signature& s) { return s.in[0] == s.in[1] && s.in[0] == s.out[0]; };
  std::array<ops::OperandType, 2> types{{{first}, {second}}};
  const ops::Signature& chosen = ops::resolve(op, types);
  if (folds(chosen)) return chosen;
  // The logical ops fold the truth of their operands; comparisons fold only booleans.
  bool any_type = op.reduce.has_value() && (!dtype || dtype == DType::boolean);
  for (const ops::Signature& s : op.signatures) {
    if (folds(s) && (any_type || source == s.in[0])) return s;
  }
  throw TypeError(format("No loop matching the specified signature and casting was found for ufunc {}", op.name));
}

Array fold_axes(const ops::Op& op, const ops::Signature& signature, const Array& source, std::span<const int> axes,
                const std::optional<Scalar>& initial, const std::optional<Operand>& where) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  DType type = signature.in[0];
  Slab kept = without_axes(source.view, axes);
  Engine& engine = Engine::instance();
  char* base = start_of(source);
  Array mask;
  if (where) {
    mask = where->is_scalar() ? engine.full({}, where->scalar) : where->array;
    mask.view = mask.view.broadcast_to(source.shape());
  }
  char* mask_base = where ? start_of(mask) : nullptr;
  Slab mask_kept = where ? without_axes(mask.view, axes) : Slab{};

  Array result = initial ? engine.full(kept.shape, *initial) : engine.empty(kept.shape, type);
  Array other = engine.empty(kept.shape, type);
  char* total = engine.write(result);
  char* next = engine.write(other);
  const Dims& packed = result.view.strides;
  Dims extents, index(axes.size());
  for (int axis : axes) extents.push_back(source.shape()[axis]);
  bool started = initial.has_value();
  uint32_t events = 0;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return result;
  do {
    int64_t offset = 0, mask_offset = 0;
    for (size_t k = 0; k < axes.size(); ++k) {
      offset += index[k] * source.view.strides[axes[k]];
      if (where) mask_offset += index[k] * mask.view.strides[axes[k]];
    }
    if (!started) {
      copy_slab(itemsize(type), kept.shape, base + offset, kept.strides, total, packed);
      started = true;
      continue;
    }
    if (where) {
      std::array<char*, 4> pointers{total, base + offset, next, mask_base + mask_offset};
      std::array<Dims, 4> strides{packed, kept.strides, packed, mask_kept.strides};
      events |= run_masked(loop, itemsize(type), kept.shape, pointers, strides);
    } else {
      std::array<char*, 3> pointers{total, base + offset, next};
      std::array<Dims, 3> strides{packed, kept.strides, packed};
      events |= run_slab(loop, kept.shape, pointers, strides);
    }
    std::swap(total, next);
    std::swap(result, other);
  } while (advance(index, extents));
  report(events, "reduce");
  return result;
}

Array fold_running(const ops::Op& op, const ops::Signature& signature, const Array& source, int axis) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  std::array<int, 1> axes{axis};
  Array result = Engine::instance().empty(source.shape(), signature.in[0]);
  if (source.size() == 0) return result;
  Slab from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  char* x = start_of(source);
  char* y = Engine::instance().write(result);
  int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis];
  copy_slab(itemsize(signature.in[0]), from.shape, x, from.strides, y, to.strides);
  uint32_t events = 0;
  std::array<Dims, 3> strides{to.strides, from.strides, to.strides};
  for (int64_t k = 1; k < source.shape()[axis]; ++k) {
    std::array<char*, 3> pointers{y + (k - 1) * y_step, x + k * x_step, y + k * y_step};
    events |= run_slab(loop, from.shape, pointers, strides);
  }
  report(events, "accumulate");
  return result;
}

Array fold_slices(const ops::Op& op, const ops::Signature& signature, const Array& source, std::span<const int64_t> starts,
                  int axis) {
  const EagerLoop& loop = EagerLoop::of(op, signature);
  std::array<int, 1> axes{axis};
  Dims shape = source.shape();
  shape[axis] = static_cast<int64_t>(starts.size());
  Array result = Engine::instance().empty(shape, signature.in[0]);
  if (result.size() == 0) return result;
  int64_t size = itemsize(signature.in[0]), length = source.shape()[axis];
  Slab from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  char* x = start_of(source);
  char* y = Engine::instance().write(result);
  int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis];
  // Sums of one contiguous row follow NumPy's tree after their first element.
  ir::ReduceLoop tree = from.shape.empty() && op.name == "add"
                            ? ir::find_reduce_loop(ir::ReduceKind::add, ir::ReduceOrder::pairwise, signature.in[0])
                            : nullptr;
  Array scratch = Engine::instance().empty(from.shape, signature.in[0]);
  char* other = Engine::instance().write(scratch);
  uint32_t events = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t begin = starts[i], end = i + 1 < starts.size() ? starts[i + 1] : length;
    char* total = y + static_cast<int64_t>(i) * y_step;
    copy_slab(size, from.shape, x + begin * x_step, from.strides, total, to.strides);
    int64_t step = tree ? 8192 : 1;
    for (int64_t k = begin + 1; k < end; k += step) {
      char* element = x + k * x_step;
      alignas(16) char sum[16];
      if (tree) {
        tree(element, x_step, std::min(step, end - k), sum);
        element = sum;
      }
      std::array<char*, 3> pointers{total, element, other};
      std::array<Dims, 3> strides{to.strides, from.strides, scratch.view.strides};
      events |= run_slab(loop, from.shape, pointers, strides);
      copy_slab(size, from.shape, other, scratch.view.strides, total, to.strides);
    }
  }
  report(events, "reduceat");
  return result;
}

}  // namespace tessera::bind
