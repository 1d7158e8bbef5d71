// Strided boxes of elements copied within memory, or filled.
#include "tessera/routines/boxes/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

// memory[at] = memory[at + distance], or a value, for all positions of `boxes_at_once` boxes, one after the other.
// scalars, for each box: see BoxScalars
ir::Kernel move_boxes_kernel(DType dtype) {
  Dense d(1, "move_boxes");
  ir::Builder& b = d.b;
  const uint32_t memory =
      b.add_buffer({.dtype = dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value i = b.index(0);
  struct Box {
    Value end, first, distance, width, count, pitch, outer_pitch, fills, value;
  };
  const auto next = [&] {
    Box box;
    for (Value* word : {&box.end, &box.first, &box.distance, &box.width, &box.count, &box.pitch, &box.outer_pitch,
                        &box.fills, &box.value})
      *word = d.number();
    return box;
  };
  Box box = next();
  Value begin = d.word(0), end = box.end;
  for (int k = 1; k < boxes_at_once; ++k) {
    const Box other = next();
    const Value is_before = b.lt(i, end);
    begin = b.select(is_before, begin, end);
    for (Value Box::* word : {&Box::first, &Box::distance, &Box::width, &Box::count, &Box::pitch, &Box::outer_pitch,
                              &Box::fills, &Box::value})
      box.*word = b.select(is_before, box.*word, other.*word);
    end = other.end;
  }
  const Value place = b.sub(i, begin), row = d.over(place, box.width);
  const Value inner = b.mul(d.rest(row, box.count), box.pitch), outer = b.mul(d.over(row, box.count), box.outer_pitch);
  const Value at = b.add(box.first, b.add(d.rest(place, box.width), b.add(inner, outer)));
  const Value is_filled = b.ne(box.fills, d.word(0));
  const Value from = d.load(memory, b.select(is_filled, at, b.add(at, box.distance)));
  d.store(memory, b.select(is_filled, b.cast(box.value, dtype), from), at);
  return b.take();
}

}  // namespace tessera::routines
