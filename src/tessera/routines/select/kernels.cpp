// Nonzero elements: how many, their indices, and gathers and scatters of elements at them. A warp_lanes takes 512
// contiguous elements of a tile, 32 at a time, and derives their output indices from ballots.
#include "tessera/routines/select/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int warp_lanes = 32;
constexpr int rows = 16;  // of 32 elements, per warp_lanes
constexpr int warps = select_threads / warp_lanes;
static_assert(select_tile == rows * select_threads);

/// The nonzero elements of one block's tile.
class Chosen {
 public:
  Chosen(Dense& d, uint32_t mask, Value n)
      : d_(d),
        b_(d.b),
        lane_(b_.bit_and(b_.index(1), d.word(warp_lanes - 1))),
        totals_(b_.add_array({DType::uint32, warps, true})) {
    const Value t = b_.index(1), last = b_.sub(n, d.word(1));
    first_ = b_.add(b_.mul(b_.index(0), d.word(select_tile)), b_.add(b_.mul(b_.sub(t, lane_), d.word(rows)), lane_));
    std::vector<Value> elements;
    for (int k = 0; k < rows; ++k) elements.push_back(d.load(mask, b_.min(place(k), last)));
    for (int k = 0; k < rows; ++k)
      is_chosen_.push_back(b_.bit_and(is_set(elements[static_cast<size_t>(k)]), b_.lt(place(k), n)));
    Value total = count_of(0);
    for (int k = 0; k < rows; ++k) {
      ballots_.push_back(b_.ballot(is_chosen_[static_cast<size_t>(k)]));
      total = b_.add(total, ones(ballots_.back()));
    }
    warp_ = b_.binary(Opcode::shift_right, t, d.word(5));
    d.when(b_.eq(lane_, d.word(0)), [&] { b_.store_array(totals_, total, warp_); });
    b_.barrier();
  }
  /// Number of selected elements in the whole tile.
  Value count() {
    Value sum = count_of(0);
    for (int w = 0; w < warps; ++w) sum = b_.add(sum, b_.load_array(totals_, d_.word(w)));
    return sum;
  }
  /// Runs body(place, at) for every selected element: its index, and the number of selected elements before it.
  void each(Value before_tile, const std::function<void(Value place, Value at)>& body) {
    Value before = count_of(0);
    for (int w = 0; w + 1 < warps; ++w)
      before = b_.add(before, b_.select(b_.lt(d_.word(w), warp_), b_.load_array(totals_, d_.word(w)), count_of(0)));
    const Value lower = b_.sub(b_.binary(Opcode::shift_left, count_of(1), b_.cast(lane_, DType::uint32)), count_of(1));
    for (int k = 0; k < rows; ++k) {
      const auto slot = static_cast<size_t>(k);
      d_.when(is_chosen_[slot], [&] {
        const Value in_tile = b_.add(before, ones(b_.bit_and(ballots_[slot], lower)));
        body(place(k), b_.add(before_tile, b_.cast(in_tile, DType::int64)));
      });
      before = b_.add(before, ones(ballots_[slot]));
    }
  }

 private:
  Value place(int k) { return b_.add(first_, d_.word(int64_t{k} * warp_lanes)); }
  Value count_of(uint64_t value) { return b_.constant(Scalar::of_uint(DType::uint32, value)); }
  Value ones(Value bits) { return b_.cast(b_.unary(Opcode::popcount, bits), DType::uint32); }
  Value is_set(Value x) {
    if (is_boolean(b_.type(x))) return x;
    if (!is_complex(b_.type(x))) return b_.ne(x, b_.zero_like(x));
    const Value real = b_.real(x), imag = b_.imag(x);
    return b_.bit_or(b_.ne(real, b_.zero_like(real)), b_.ne(imag, b_.zero_like(imag)));
  }

  Dense& d_;
  ir::Builder& b_;
  const Value lane_;
  const uint32_t totals_;
  Value first_ = 0, warp_ = 0;
  std::vector<Value> is_chosen_, ballots_;
};

}  // namespace

// buffers: mask, counts (uint32, one per tile); scalar: elements
ir::Kernel select_counts_kernel(DType mask) {
  Dense d(2, "select_counts");
  const uint32_t in = d.read(mask), counts = d.write(DType::uint32);
  Chosen chosen(d, in, d.number());
  d.when(d.b.eq(d.b.index(1), d.word(0)), [&] { d.store(counts, chosen.count(), d.b.index(0)); });
  return d.b.take();
}

// Number of selected elements before each tile, and in total after the last; one block. buffers: counts, begins
// (int64); scalar: tiles
ir::Kernel select_begins_kernel() {
  constexpr int each = 8;
  Dense d(2, "select_begins");
  ir::Builder& b = d.b;
  const uint32_t counts = d.read(DType::uint32), begins = d.write(DType::int64);
  const Value tiles = d.number(), t = b.index(1), zero = d.word(0);
  const uint32_t sums[2] = {b.add_array({DType::int64, select_begins_threads, true}),
                            b.add_array({DType::int64, select_begins_threads, true})};
  const auto take = [&](std::span<const Value> carried) -> std::vector<Value> {
    const Value first = b.add(carried[0], b.mul(t, d.word(each)));
    std::vector<Value> own;
    for (int k = 0; k < each; ++k) {
      const Value at = b.add(first, d.word(k));
      own.push_back(
          b.select(b.lt(at, tiles), b.cast(d.load(counts, b.min(at, b.sub(tiles, d.word(1)))), DType::int64), zero));
    }
    Value sum = zero;
    for (Value count : own) sum = b.add(sum, count);
    const Value mine = sum;
    int from = 0;
    for (int distance = 1; distance < select_begins_threads; distance *= 2, from = 1 - from) {
      b.store_array(sums[from], sum, t);
      b.barrier();
      const Value other = b.sub(t, d.word(distance));
      sum = b.add(sum, b.select(b.lt(other, zero), zero, b.load_array(sums[from], b.max(other, zero))));
    }
    b.store_array(sums[from], sum, t);
    b.barrier();
    const Value all = b.load_array(sums[from], d.word(select_begins_threads - 1));
    Value before = b.add(carried[1], b.sub(sum, mine));
    for (int k = 0; k < each; ++k) {
      const Value at = b.add(first, d.word(k));
      d.when(b.lt(at, tiles), [&] { d.store(begins, before, at); });
      before = b.add(before, own[static_cast<size_t>(k)]);
    }
    b.barrier();
    return {b.add(carried[1], all)};
  };
  const Value initial[] = {zero};
  const Value total = b.for_(zero, tiles, d.word(int64_t{each} * select_begins_threads), initial, take)[0];
  d.when(b.eq(t, zero), [&] { d.store(begins, total, tiles); });
  return b.take();
}

// buffers: mask, begins, out (int64, one per axis); scalars: elements, one extent per axis except the first
ir::Kernel nonzero_kernel(DType mask, int axes) {
  Dense d(2, "nonzero");
  ir::Builder& b = d.b;
  const uint32_t in = d.read(mask), begins = d.read(DType::int64);
  std::vector<uint32_t> out;
  for (int axis = 0; axis < axes; ++axis) out.push_back(d.write(DType::int64));
  const Value n = d.number();
  std::vector<Value> extents;
  for (int axis = 1; axis < axes; ++axis) extents.push_back(d.number());
  Chosen chosen(d, in, n);
  chosen.each(d.load(begins, b.index(0)), [&](Value place, Value at) {
    for (size_t axis = out.size(); axis-- > 1;) {
      const Value outer = d.over(place, extents[axis - 1]);
      d.store(out[axis], b.sub(place, b.mul(outer, extents[axis - 1])), at);
      place = outer;
    }
    d.store(out[0], place, at);
  });
  return b.take();
}

// Elements of `each` words. Scatters dense elements to the selected positions when `expands`, else gathers them.
// buffers: mask, begins, from, to; scalar: elements
ir::Kernel compress_kernel(DType word, int each, bool expands) {
  Dense d(2, expands ? "expand" : "compress");
  ir::Builder& b = d.b;
  const uint32_t in = d.read(DType::boolean), begins = d.read(DType::int64), from = d.read(word), to = d.write(word);
  Chosen chosen(d, in, d.number());
  chosen.each(d.load(begins, b.index(0)), [&](Value place, Value at) {
    for (int k = 0; k < each; ++k) {
      const auto part = [&](Value element) {
        return each == 1 ? element : b.add(b.mul(element, d.word(each)), d.word(k));
      };
      d.store(to, d.load(from, part(expands ? at : place)), part(expands ? place : at));
    }
  });
  return b.take();
}

}  // namespace tessera::routines
