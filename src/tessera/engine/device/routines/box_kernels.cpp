// Strided boxes of one array copied to the same places of another.
#include "tessera/engine/device/routines/kernels.h"

namespace tessera::engine {

using ir::Value;

// to[at] = from[at] for the places of `boxes_at_once` boxes, one behind the other; buffers: from, to.
// scalars, for each box: where its elements end in this order, its first place, elements a row, places from row to row
ir::Kernel copy_boxes_kernel(DType dtype) {
  Dense d(1, "copy_boxes");
  ir::Builder& b = d.b;
  const uint32_t from = d.read(dtype), to = d.write(dtype);
  const Value i = b.index(0);
  Value place = d.word(0), begin = d.word(0);
  for (int box = 0; box < boxes_at_once; ++box) {
    const Value end = d.number(), first = d.number(), width = d.number(), pitch = d.number();
    const Value k = b.sub(i, begin);
    const Value at = b.add(first, b.add(b.mul(d.over(k, width), pitch), d.rest(k, width)));
    place = box == 0 ? at : b.select(b.lt(i, begin), place, at);
    begin = end;
  }
  d.store(to, d.load(from, place), place);
  return b.take();
}

}  // namespace tessera::engine
