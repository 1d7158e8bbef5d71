#include <algorithm>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/assign.h"
#include "tessera/bind/block_copy.h"
#include "tessera/bind/index_fancy.h"
#include "tessera/bind/reports.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::bind {

namespace {

constexpr int64_t bytes_a_thread = 1 << 18;

Dims joined(const Dims& a, const Dims& b) {
  Dims all = a;
  for (int64_t extent : b) all.push_back(extent);
  return all;
}

/// The view of a result whose memory holds the index arrays' axes first.
View in_result_order(const View& packed, const FancySelection& selection) {
  if (selection.position == 0) return packed;
  auto axes = selection.result_axes();
  return packed.transpose({axes.data(), axes.size()});
}

/// The inverse: a value of the result's shape with the index arrays' axes first.
View with_fancy_first(const View& view, const FancySelection& selection) {
  if (selection.position == 0) return view;
  auto order = selection.result_axes();
  SmallVector<int, 8> inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k) inverse[order[k]] = static_cast<int>(k);
  return view.transpose({inverse.data(), inverse.size()});
}

/// A mask over the whole array, alone between the brackets: the commonest advanced index.
const Array* whole_mask(const ParsedIndex& index, int ndim) {
  if (index.items.size() != 1 || index.arrays.size() != 1 || !index.arrays[0].is_mask) return nullptr;
  return index.arrays[0].array.ndim() == ndim && ndim > 0 ? &index.arrays[0].array : nullptr;
}

int64_t count_true(const char* mask, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += mask[i] != 0;
  return count;
}

template <class T>
void compress(const char* mask, const char* source, int64_t n, char* target) {
  for (int64_t i = 0; i < n; ++i) {
    if (!mask[i]) continue;
    std::memcpy(target, source + i * sizeof(T), sizeof(T));
    target += sizeof(T);
  }
}

Array gather_mask(const Array& source, const Array& mask) {
  Engine& engine = Engine::instance();
  Array values = engine.contiguous(source);
  Array flags = engine.contiguous(mask);
  look(values);
  const char* flag = look(flags);
  const char* from = look(values);
  int64_t n = mask.size();
  int64_t count = count_true(flag, n);
  Array result = engine.empty(Dims{count}, source.dtype());
  char* to = engine.write(result);
  struct Wide { uint64_t parts[2]; };
  switch (itemsize(source.dtype())) {
    case 1: compress<uint8_t>(flag, from, n, to); break;
    case 2: compress<uint16_t>(flag, from, n, to); break;
    case 4: compress<uint32_t>(flag, from, n, to); break;
    case 8: compress<uint64_t>(flag, from, n, to); break;
    case 16: compress<Wide>(flag, from, n, to); break;
  }
  return result;
}

void check_mask_shape(const Array& mask, const View& view) {
  for (int axis = 0; axis < view.ndim(); ++axis) {
    require<IndexError>(mask.shape()[axis] == view.shape[axis],
                        "boolean index did not match indexed array along axis {}; size of axis is {} but size of "
                        "corresponding boolean axis is {}", axis, view.shape[axis], mask.shape()[axis]);
  }
}

/// The value as an array of the destination's dtype that shares no memory with it.
Array separate_value(const Array& destination, const Operand& value) {
  Engine& engine = Engine::instance();
  if (value.is_scalar()) return engine.full({}, value.scalar.cast_to(destination.dtype()));
  if (value.array.storage == destination.storage) return engine.copy(value.array, destination.dtype(), Order::k);
  if (value.array.dtype() == destination.dtype()) return value.array;
  return engine.copy(value.array, destination.dtype(), Order::k);
}

/// Broadcasts a value against a result's shape, in the words of an assignment.
View spread_value(const View& value, const Dims& shape) {
  View trimmed = value;
  while (trimmed.ndim() > static_cast<int>(shape.size()) && trimmed.shape[0] == 1) trimmed = trimmed.select(0, 0);
  try {
    return trimmed.broadcast_to(shape);
  } catch (const ShapeError&) {
    throw ValueError(format("shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
                            value.shape, shape));
  }
}

void scatter_mask(const Array& destination, const Array& mask, const Array& value) {
  Engine& engine = Engine::instance();
  Array flags = engine.contiguous(mask);
  int64_t count = count_true(look(flags), mask.size());
  require<ValueError>(value.ndim() <= 1, "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
                      "has {} dimensions", value.ndim());
  bool single = value.size() == 1;
  require<ValueError>(single || value.size() == count,
                      "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where "
                      "the mask is true", value.size(), count);
  std::vector<Array> positions = nonzero(mask);
  Array values = engine.contiguous(value);
  char* target = look_to_write(destination);
  const char* from = look(values);
  std::vector<const int64_t*> at;
  for (const Array& axis : positions) at.push_back(reinterpret_cast<const int64_t*>(look(axis)));
  int64_t size = itemsize(destination.dtype());
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (size_t k = 0; k < at.size(); ++k) offset += at[k][i] * destination.view.strides[k];
    std::memcpy(target + offset, from + (single ? 0 : i * size), static_cast<size_t>(size));
  }
}

}  // namespace

std::vector<Array> nonzero(const Array& mask) {
  Engine& engine = Engine::instance();
  Array flags = engine.contiguous(mask, DType::boolean);
  const char* flag = look(flags);
  int64_t n = mask.size();
  int ndim = mask.ndim();
  Dims count{count_true(flag, n)};
  std::vector<Array> result;
  std::vector<int64_t*> out;
  for (int axis = 0; axis < ndim; ++axis) {
    result.push_back(engine.empty(count, DType::int64));
    out.push_back(reinterpret_cast<int64_t*>(engine.write(result.back())));
  }
  Dims at(static_cast<size_t>(ndim));
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (flag[i]) {
      for (int axis = 0; axis < ndim; ++axis) out[axis][found] = at[axis];
      ++found;
    }
    for (int axis = ndim - 1; axis >= 0 && ++at[axis] == mask.shape()[axis]; --axis) at[axis] = 0;
  }
  return result;
}

Array gather_fancy(const Array& source, const ParsedIndex& index) {
  if (const Array* mask = whole_mask(index, source.ndim())) {
    check_mask_shape(*mask, source.view);
    return gather_mask(source, *mask);
  }
  FancySelection selection = select_fancy(index, source.view);
  Engine& engine = Engine::instance();
  Array packed = engine.empty(joined(selection.fancy_shape, selection.inner.shape), source.dtype());
  const char* from = look(source) - source.view.offset + selection.inner.offset;
  char* to = engine.write(packed);
  BlockCopy block(selection.inner);
  if (block.nbytes() == 0) check_fancy(selection);
  int64_t size = block.nbytes();
  bool elements = block.is_contiguous() && size <= 16 && (size & (size - 1)) == 0;
  auto piece = [&](int64_t begin, int64_t end) {
    for_each_offset(selection, begin, end, [&](int64_t first, std::span<const int64_t> offsets) {
      char* target = to + first * size;
      if (elements) return gather_elements(from, offsets.data(), static_cast<int64_t>(offsets.size()), size, target);
      for (int64_t offset : offsets) {
        block.pack(from + offset, target);
        target += size;
      }
    });
  };
  if (size > 0) runtime::parallel_for(selection.count, std::max<int64_t>(1, bytes_a_thread / size), piece);
  return packed.with_view(in_result_order(packed.view, selection));
}

void scatter_fancy(const Array& destination, const ParsedIndex& index, const Operand& given) {
  if (const Array* mask = whole_mask(index, destination.ndim())) {
    check_mask_shape(*mask, destination.view);
    if (given.is_scalar() || given.array.ndim() == 0) return assign_where(destination, given, Operand(*mask));
    return scatter_mask(destination, *mask, separate_value(destination, given));
  }
  Array value = separate_value(destination, given);
  FancySelection selection = select_fancy(index, destination.view);
  check_fancy(selection);
  Dims packed_shape = joined(selection.fancy_shape, selection.inner.shape);
  View packed = View::contiguous(packed_shape, destination.dtype());
  Dims shape = in_result_order(packed, selection).shape;
  View spread = spread_value(value.view, shape);
  BlockCopy block(selection.inner);
  int64_t size = block.nbytes();
  bool elements = block.is_contiguous() && size <= 16 && size > 0 && (size & (size - 1)) == 0;
  bool constant = elements && value.size() == 1;
  Engine& engine = Engine::instance();
  Array values = constant ? value : engine.contiguous(value.with_view(with_fancy_first(spread, selection)));
  char* to = look_to_write(destination) - destination.view.offset + selection.inner.offset;
  const char* from = look(values);
  if (size == 0) return;
  for_each_offset(selection, 0, selection.count, [&](int64_t first, std::span<const int64_t> offsets) {
    const char* source = constant ? from : from + first * size;
    if (elements) {
      return scatter_elements(to, offsets.data(), static_cast<int64_t>(offsets.size()), size, source, constant ? 0 : size);
    }
    for (int64_t offset : offsets) {
      block.unpack(to + offset, source);
      source += size;
    }
  });
}

}  // namespace tessera::bind
