// Copies between layouts: element by element, and by squares in shared memory where one axis is contiguous in the
// source and another one in the destination.
#include "tessera/routines/transpose/kernels.h"

#include <vector>

#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

namespace {

/// Loads and stores of whole elements.
struct Items {
  Dense& d;
  CopiedItem item;
  uint32_t from = d.read(item.word), to = d.write(item.word);

  std::vector<Value> load(Value at) {
    std::vector<Value> words;
    for (int k = 0; k < item.words; ++k) words.push_back(d.load(from, word(at, item.words, k)));
    return words;
  }
  void store(std::vector<Value> words, Value at) {
    if (item.widens) words.push_back(d.b.constant(item.word, 0));
    const int count = static_cast<int>(words.size());
    for (int k = 0; k < count; ++k) d.store(to, words[static_cast<size_t>(k)], word(at, count, k));
  }

 private:
  Value word(Value at, int each, int k) { return each == 1 ? at : d.b.add(d.b.mul(at, d.word(each)), d.word(k)); }
};

}  // namespace

// buffers: from, to; scalars, for each axis: its strides in `from` and `to`, in elements
ir::Kernel copy_strided_kernel(const CopiedItem& item, int ndim) {
  Dense d(ndim, "copy_strided");
  ir::Builder& b = d.b;
  Items items{d, item};
  Value at = d.word(0), there = d.word(0);
  for (int axis = 0; axis < ndim; ++axis) {
    at = b.add(at, b.mul(b.index(axis), d.number()));
    there = b.add(there, b.mul(b.index(axis), d.number()));
  }
  items.store(items.load(at), there);
  return b.take();
}

// A block copies a square of the plane of two axes: x, contiguous in `from`, and y, contiguous in `to`. buffers: from,
// to; scalars: extents of x and y, stride of y in `from` and of x in `to`, extent of the inner of two further axes, its
// strides in `from` and `to`, those of the outer one; all in elements
ir::Kernel transpose_kernel(const CopiedItem& item) {
  constexpr int side = transposed_side, pitch = side + 1, rows = transposed_threads / side;
  Dense d(2, "transpose");
  ir::Builder& b = d.b;
  Items items{d, item};
  const Value nx = d.number(), ny = d.number(), from_y = d.number(), to_x = d.number();
  const Value inner = d.number(), from_inner = d.number(), to_inner = d.number();
  const Value from_outer = d.number(), to_outer = d.number();
  std::vector<uint32_t> square;
  for (int k = 0; k < item.words; ++k) square.push_back(b.add_array({item.word, side * pitch, true}));
  const auto squares = [&](Value extent) { return d.over(b.add(extent, d.word(side - 1)), d.word(side)); };
  const Value over_x = squares(nx), over_y = squares(ny), block = b.index(0), t = b.index(1);
  const Value line = d.over(block, over_x), plane = d.over(line, over_y);
  const Value x0 = b.mul(d.rest(block, over_x), d.word(side)), y0 = b.mul(d.rest(line, over_y), d.word(side));
  const Value i = d.rest(plane, inner), o = d.over(plane, inner);
  const Value from0 = b.add(b.mul(i, from_inner), b.mul(o, from_outer)),
              to0 = b.add(b.mul(i, to_inner), b.mul(o, to_outer));
  const Value across = d.rest(t, d.word(side)), down = d.over(t, d.word(side)), one = d.word(1);
  for (int k = 0; k < side / rows; ++k) {
    const Value row = b.add(down, d.word(int64_t{k} * rows));
    // Threads beyond the edge load an element that is not stored.
    const Value x = b.min(b.add(x0, across), b.sub(nx, one)), y = b.min(b.add(y0, row), b.sub(ny, one));
    const std::vector<Value> words = items.load(b.add(from0, b.add(x, b.mul(y, from_y))));
    for (size_t w = 0; w < words.size(); ++w)
      b.store_array(square[w], words[w], b.add(b.mul(row, d.word(pitch)), across));
  }
  b.barrier();
  for (int k = 0; k < side / rows; ++k) {
    const Value row = b.add(down, d.word(int64_t{k} * rows)), x = b.add(x0, row), y = b.add(y0, across);
    d.when(b.bit_and(b.lt(x, nx), b.lt(y, ny)), [&] {
      std::vector<Value> words;
      for (uint32_t array : square) words.push_back(b.load_array(array, b.add(b.mul(across, d.word(pitch)), row)));
      items.store(std::move(words), b.add(to0, b.add(b.mul(x, to_x), y)));
    });
  }
  return b.take();
}

}  // namespace tessera::routines
