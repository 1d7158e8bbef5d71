#include "tessera/routines/linalg/kernels.h"

#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

// Identity matrices of numbers with `parts` real parts. buffers: out as real numbers; scalars: rows
ir::Kernel identity_kernel(DType real, int parts) {
  Dense d(1, "identity");
  ir::Builder& b = d.b;
  const uint32_t out = d.write(real);
  const Value n = d.number(), i = b.index(0), inside = d.rest(i, b.mul(n, n));
  const Value is_diagonal = b.eq(d.over(inside, n), d.rest(inside, n));
  for (int part = 0; part < parts; ++part) {
    const Value zero = b.constant(real, 0);
    const Value value = part == 0 ? b.select(is_diagonal, b.constant(real, 1), zero) : zero;
    d.store(out, value, b.add(b.mul(i, d.word(parts)), d.word(part)));
  }
  return b.take();
}

// out[i, j] = x[i, j] in one triangle, else 0, of elements of 64-bit words. buffers: x, out; scalars: rows, columns,
// strides of x from matrix to matrix, row to row and column to column, in elements
ir::Kernel triangle_kernel(int words, bool upper) {
  Dense d(1, "triangle");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(DType::uint64), out = d.write(DType::uint64);
  const Value m = d.number(), n = d.number(), by_matrix = d.number(), by_row = d.number(), by_column = d.number();
  const Value at = b.index(0), line = d.over(at, n), j = d.rest(at, n), i = d.rest(line, m);
  const Value from = b.add(b.add(b.mul(d.over(line, m), by_matrix), b.mul(i, by_row)), b.mul(j, by_column));
  const Value inside = upper ? b.ge(j, i) : b.le(j, i);
  for (int word = 0; word < words; ++word) {
    const auto position = [&](Value element) { return b.add(b.mul(element, d.word(words)), d.word(word)); };
    d.store(out, b.select(inside, d.load(x, position(from)), b.constant(DType::uint64, 0)), position(at));
  }
  return b.take();
}

}  // namespace tessera::routines
