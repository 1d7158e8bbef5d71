// Integer matrix products, and correlations; each sum is computed from first to last.
#include "tessera/routines/product/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

namespace {

/// The type for multiplication and addition: wide enough for the hardware, with the same wrapped result.
DType word_of(DType dtype) {
  if (is_boolean(dtype)) return DType::uint32;
  return itemsize(dtype) < 4 ? DType::int32 : dtype;
}

/// The kernel of integer products while it is built: each block computes a square of 64 x 64 results, each thread 4 x 4
/// of them, from strips of 16 in shared memory.
struct IntegerProduct {
  static constexpr int side = product_side, depth = 16, own = 4, across = side / own;
  DType dtype;

  Dense d{2, "integer_product"};
  ir::Builder& b = d.b;
  uint32_t left = d.read(dtype), right = d.read(dtype), out = d.write(dtype);
  Value m = d.number(), n = d.number(), k = d.number(), t = b.index(1), zero = d.word(0);
  DType word = word_of(dtype);
  uint32_t rows = b.add_array({word, depth* side, true}), columns = b.add_array({word, depth* side, true});
  Value over_n = squares(n), over_m = squares(m), square = b.index(0), line = d.over(square, over_n);
  Value j0 = b.mul(b.sub(square, b.mul(line, over_n)), d.word(side)), batch = d.over(line, over_m);
  Value i0 = b.mul(b.sub(line, b.mul(batch, over_m)), d.word(side));
  Value none = b.constant(word, 0);
  Value ty = d.over(t, d.word(across)), tx = d.rest(t, d.word(across));

  Value squares(Value extent) { return d.over(b.add(extent, d.word(side - 1)), d.word(side)); }
  Value element(uint32_t buffer, Value row, Value column, Value height, Value width);
  void load_strips(Value k0);
  std::vector<Value> add_row_of_strips(std::span<const Value> state);
  std::vector<Value> add_strips(std::span<const Value> state);
  void store(const std::vector<Value>& sums);
};

/// An element of the batch's matrix in this buffer; 0 outside of it.
Value IntegerProduct::element(uint32_t buffer, Value row, Value column, Value height, Value width) {
  const Value inside = b.bit_and(b.lt(row, height), b.lt(column, width));
  const Value safe_row = b.min(row, b.sub(height, d.word(1))), safe_column = b.min(column, b.sub(width, d.word(1)));
  const Value found =
      b.cast(d.load(buffer, b.add(b.mul(b.add(b.mul(batch, height), safe_row), width), safe_column)), word);
  return b.select(inside, found, none);
}

/// Brings the strips that begin at k0 into shared memory; follow with a barrier.
void IntegerProduct::load_strips(Value k0) {
  for (int q = 0; q < depth * side / product_threads; ++q) {
    const Value at = b.add(t, d.word(int64_t{q} * product_threads));
    const Value row = d.over(at, d.word(depth)), column = d.rest(at, d.word(depth));
    b.store_array(rows, element(left, b.add(i0, row), b.add(k0, column), m, k),
                  b.add(b.mul(column, d.word(side)), row));
    b.store_array(columns,
                  element(right, b.add(k0, d.over(at, d.word(side))), b.add(j0, d.rest(at, d.word(side))), k, n), at);
  }
}

/// The sums after the products of one index of the strips. state: the index, the thread's sums
std::vector<Value> IntegerProduct::add_row_of_strips(std::span<const Value> state) {
  std::vector<Value> sums(state.begin() + 1, state.end());
  const Value strip = b.mul(state[0], d.word(side)), left_at = b.add(strip, b.mul(ty, d.word(own))),
              right_at = b.add(strip, tx);
  Value x[own], y[own];
  for (int i = 0; i < own; ++i) {
    x[i] = b.load_array(rows, b.add(left_at, d.word(i)));
    y[i] = b.load_array(columns, b.add(right_at, d.word(i * across)));
  }
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j) {
      Value& sum = sums[static_cast<size_t>(i * own + j)];
      sum = is_boolean(dtype) ? b.bit_or(sum, b.bit_and(x[i], y[j])) : b.add(sum, b.mul(x[i], y[j]));
    }
  return sums;
}

/// The sums after the strips' products. state: where the strips begin, the thread's sums
std::vector<Value> IntegerProduct::add_strips(std::span<const Value> state) {
  load_strips(state[0]);
  b.barrier();
  const std::vector<Value> sums = b.for_(zero, d.word(depth), d.word(1), state.subspan(1),
                                         [&](std::span<const Value> at) { return add_row_of_strips(at); });
  b.barrier();
  return sums;
}

void IntegerProduct::store(const std::vector<Value>& sums) {
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j) {
      const Value row = b.add(i0, b.add(b.mul(ty, d.word(own)), d.word(i))),
                  column = b.add(j0, b.add(tx, d.word(j * across)));
      const Value sum = sums[static_cast<size_t>(i * own + j)],
                  result = is_boolean(dtype) ? b.ne(sum, none) : b.cast(sum, dtype);
      d.when(b.bit_and(b.lt(row, m), b.lt(column, n)),
             [&] { d.store(out, result, b.add(b.mul(b.add(b.mul(batch, m), row), n), column)); });
    }
}

}  // namespace

// buffers: a (m x k), b (k x n), out, batch after batch; scalars: m, n, k
ir::Kernel integer_product_kernel(DType dtype) {
  IntegerProduct product{dtype};
  const std::vector<Value> start(product.own * product.own, product.none);
  product.store(product.b.for_(product.zero, product.k, product.d.word(product.depth), start,
                               [&](std::span<const Value> state) { return product.add_strips(state); }));
  return product.b.take();
}

// The results of library/host/correlate.h. buffers: a, v, out; scalars: elements of a, taps, left
ir::Kernel correlate_kernel(DType dtype) {
  Dense d(1, "correlate");
  ir::Builder& b = d.b;
  const uint32_t a = d.read(dtype), v = d.read(dtype), out = d.write(dtype);
  const Value n = d.number(), taps = d.number(), first = b.sub(b.index(0), d.number()), none = b.constant(dtype, 0);
  const Value begin = b.max(d.word(0), b.neg(first)), end = b.min(taps, b.sub(n, first));
  const Value sum = b.for_(begin, end, d.word(1), std::span(&none, 1), [&](std::span<const Value> state) {
    return std::vector<Value>{b.add(state[1], b.mul(d.load(a, b.add(first, state[0])), d.load(v, state[0])))};
  })[0];
  d.store(out, sum, b.index(0));
  return b.take();
}

}  // namespace tessera::routines
