// Where arrays lie in memory: their strides, and their elements as one axis.
#include "tessera/kernel/values/array/memory.h"

#include <algorithm>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/date/date.h"

namespace tessera::kernel {

ir::Value address_in_bytes(Lowering& l, const ArrayView& view) {
  ir::Builder& b = l.b;
  const ArrayView::Base& base = view.bases[0];
  if (base.array->is_heap) return b.mul(base.begins[0], l.number(itemsize(base.array->dtype)));
  const auto word = [&](int64_t k) { return l.host_calls.array_word(l.memory.number_of(base.array), k); };
  ir::Value address = word(0);
  for (size_t axis = 0; axis < base.begins.size(); ++axis)
    address = b.add(address, b.mul(base.begins[axis], word(1 + static_cast<int64_t>(axis))));
  return address;
}

Memory::Memory(Lowering& l) : l_(l), b(l.b) {}

void Memory::add_buffers() {
  if (l_.options.is_function) results_ = b.add_buffer({.dtype = DType::int64, .ndim = 1, .writable = true});
  for (const typed::Heap& heap : l_.known->heaps) heaps_.push_back(add_heap(heap.dtype));
  for (const auto& array : l_.known->constants) constants_.push_back(add_constant(*array));
}

std::vector<ir::Value> strides_of(Lowering& l, const ArrayView& view) {
  ir::Builder& b = l.b;
  const Type& array = view.bases[0].array;
  std::vector<ir::Value> of_array;
  if (array->is_heap) {
    of_array.push_back(l.number(itemsize(array->dtype)));
  } else if (array->kind == TypeKind::buffer && !array->is_constant) {
    for (int axis = 0; axis < array->axes; ++axis)
      of_array.push_back(l.host_calls.array_word(l.memory.number_of(array), 1 + axis));
  } else {
    int64_t bytes = itemsize(array->dtype);
    for (size_t axis = array->extents.size(); axis-- > 0; bytes *= array->extents[axis])
      of_array.insert(of_array.begin(), l.number(bytes));
  }
  std::vector<ir::Value> strides;
  for (size_t axis = 0; axis < view.axes.size(); ++axis) {
    const int of = view.bases[0].kept[axis];
    strides.push_back(of < 0 ? l.number(0) : b.mul(view.axes[axis].step, of_array[static_cast<size_t>(of)]));
  }
  return strides;
}

ir::Value first_address(Lowering& l, const Node& node, const Item& array) {
  const ArrayView view = view_of(l, l.in_memory(node, array));
  if (view.bases.size() > 1 || view.bases[0].array->is_constant)
    l.refuse(node, "the address of an array outside of the function, or of one array or another", "an argument");
  return address_in_bytes(l, view);
}

Item parts_in_memory(Lowering& l, const Node& node, const Item& parts) {
  ir::Builder& b = l.b;
  const ArrayView whole = view_of(l, *parts.computed->whole);
  if (whole.bases.size() > 1 || whole.bases[0].array->is_constant) return materialise(l, node, parts);
  const ir::Value size = l.number(itemsize(parts.type->dtype));
  const ir::Value begin = b.binary(ir::Opcode::floor_div, address_in_bytes(l, whole), size);
  std::vector<ir::Value> extents, steps;
  const std::vector<ir::Value> strides = strides_of(l, whole);
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    extents.push_back(whole.axes[axis].extent);
    steps.push_back(b.binary(ir::Opcode::floor_div, strides[axis], size));
  }
  const ir::Value first = parts.computed->is_imaginary ? b.add(begin, l.number(1)) : begin;
  return own_array(l, {parts.type->dtype, l.memory.argument_of(whole.bases[0].array)}, first, extents, steps);
}

Item flattened(Lowering& l, const Node& node, const Item& array, bool keeps_step) {
  ir::Builder& b = l.b;
  const Item held = l.in_memory(node, array);
  const ArrayView view = view_of(l, held);
  ir::Value count = l.number(1);
  for (const ArrayView::Axis& axis : view.axes) count = b.mul(count, axis.extent);
  const std::vector<ir::Value> extents{count};
  const auto copied = [&] { return view_of(l, copy_of(l, node, held)).bases[0].begins[0]; };
  const ArrayView::Base& base = view.bases[0];
  if (view.bases.size() > 1 || base.array->is_constant)
    return with_unit(own_array(l, held.type->dtype, copied(), extents), held.type->unit);

  const std::vector<ir::Value> strides = strides_of(l, view);
  const ir::Value size = l.number(itemsize(held.type->dtype));
  const auto is_regular = [&](ir::Value innermost) {
    ir::Value expected = innermost, holds = b.constant(Scalar::of_bool(true));
    for (size_t axis = view.axes.size(); axis-- > 0;) {
      const ir::Value extent = view.axes[axis].extent;
      if (strides[axis] != expected)
        holds = b.bit_and(holds, b.bit_or(b.eq(strides[axis], expected), b.eq(extent, l.number(1))));
      expected = b.mul(expected, extent);
    }
    return holds;
  };
  ir::Value is_whole = is_regular(size), step = l.number(1);
  if (keeps_step && !l.constant_of(l.scalar(is_whole))) {
    ir::Value innermost = size;  // of axes that have more than one element
    for (size_t axis = 0; axis < strides.size(); ++axis)
      innermost = b.select(b.eq(view.axes[axis].extent, l.number(1)), innermost, strides[axis]);
    is_whole = is_regular(innermost);
    step = b.binary(ir::Opcode::floor_div, innermost, size);
  }
  const int argument = l.memory.argument_of(base.array);
  ir::Value begin = base.begins[0];
  if (!base.array->is_heap) {
    const ir::Value address = address_in_bytes(l, view);
    ir::Value distances = address;  // sizes are powers of two: bits below tell multiples of all at once
    for (ir::Value stride : strides) distances = b.bit_or(distances, stride);
    const ir::Value between = b.binary(ir::Opcode::floor_mod, distances, size);
    l.failures.raise_if(node, b.ne(between, l.number(0)), ExceptionNumber::value_error,
                        "the array's elements are at no multiples of their size: copy it first");
    begin = b.binary(ir::Opcode::floor_div, address, size);
  }
  std::vector<ir::Value> place{begin, step};
  if (!l.constant_of(l.scalar(is_whole)))
    place = b.if_(is_whole, [&](auto) { return place; }, [&](auto) { return std::vector{copied(), l.number(1)}; });
  return with_unit(own_array(l, {held.type->dtype, argument}, place[0], extents, std::vector{place[1]}),
                   held.type->unit);
}

std::vector<std::pair<uint32_t, uint32_t>> Memory::aliases() const {
  std::vector<std::pair<uint32_t, uint32_t>> found = kept_;
  for (size_t k = 0; k < heaps_.size(); ++k)
    if (l_.known->heaps[k].argument >= 0)
      found.emplace_back(heaps_[k], static_cast<uint32_t>(l_.known->heaps[k].argument));
  return found;
}

void Memory::note_kept(const Type& array) {
  const int argument = argument_of(array);
  if (argument >= 0) kept_.emplace_back(heap_of(array->dtype), static_cast<uint32_t>(argument));
}

/// The argument's buffer in whose memory the array lies; -1 for others.
int Memory::argument_of(const Type& array) const {
  if (array->kind != TypeKind::buffer || array->is_constant) return -1;
  if (!array->is_heap) return static_cast<int>(array->id);
  return l_.known->heaps[array->id - first_heap].argument;
}

uint32_t Memory::heap_of(DType dtype) { return heap_of(typed::Heap{.dtype = dtype}); }

uint32_t Memory::heap_of(const typed::Heap& heap) { return heaps_[find_heap(heap)]; }

uint32_t Memory::heap_id(const typed::Heap& heap) { return first_heap + static_cast<uint32_t>(find_heap(heap)); }

/// A buffer of which element 0 is at address 0.
size_t Memory::find_heap(const typed::Heap& heap) {
  const auto found = std::ranges::find(l_.known->heaps, heap);
  const auto which = static_cast<size_t>(found - l_.known->heaps.begin());
  if (found == l_.known->heaps.end()) {
    l_.known.add().heaps.push_back(heap);
    heaps_.push_back(add_heap(heap.dtype));
  }
  return which;
}

uint32_t Memory::number_of(const Type& array) const {
  if (array->kind == TypeKind::array) {
    const auto made = arrays_.find(array->id);
    if (made == arrays_.end()) l_.known.want();
    return made->second;
  }
  if (array->id >= first_constant) return constants_[array->id - first_constant];
  return array->id >= first_heap ? heaps_[array->id - first_heap] : array->id;
}

uint32_t Memory::add_array(const Node& node, const ir::ArrayDecl& array) {
  for (int64_t several = 0;; ++several) {
    const typed::PathNumber place = l_.known.path(l_.frame->turn, node.place, several);
    if (!arrays_.contains(place)) return arrays_[place] = b.add_array(array), place;
  }
}

}  // namespace tessera::kernel
