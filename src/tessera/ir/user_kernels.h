/// Kernels as users write them, for tests: six axes, of which the last three are a block.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/ir/builder.h"

namespace tessera::ir {

/// The coordinates of a user kernel, named as CUDA names them.
struct UserBuilder : Builder {
  explicit UserBuilder(const char* name) : Builder(6, name, 3) {}
  Value block_index(char axis) { return index('z' - axis); }
  Value thread_index(char axis) { return index(3 + 'z' - axis); }
  Value grid_size(char axis) { return extent('z' - axis); }
  Value block_size(char axis) { return extent(3 + 'z' - axis); }
  Value whole(char axis) { return add(mul(block_index(axis), block_size(axis)), thread_index(axis)); }
  Value number(int64_t n) { return constant(DType::int64, static_cast<double>(n)); }
  uint32_t read(DType dtype, uint8_t ndim) { return add_buffer({.dtype = dtype, .ndim = ndim}); }
  uint32_t write(DType dtype, uint8_t ndim, bool reads = false) {
    return add_buffer({.dtype = dtype, .ndim = ndim, .readable = reads, .writable = true});
  }
  Value at(uint32_t buffer, std::initializer_list<Value> indices) {
    return load(buffer, std::span(indices.begin(), indices.size()));
  }
  void put(uint32_t buffer, Value value, std::initializer_list<Value> indices) {
    store(buffer, value, std::span(indices.begin(), indices.size()));
  }
  void when(Value condition, const std::function<void()>& body) {
    if_(condition,
        [&](auto) {
          body();
          return std::vector<Value>{};
        },
        {});
  }
  /// Threads of the block numbered in a row.
  Value rank() {
    const Value row = add(mul(thread_index('z'), block_size('y')), thread_index('y'));
    return add(mul(row, block_size('x')), thread_index('x'));
  }
  Value block_threads() { return mul(mul(block_size('x'), block_size('y')), block_size('z')); }
};

/// c[i] = a[i] + b[i] for i < len(c)
inline Kernel vector_add_kernel() {
  UserBuilder b("vector_add");
  const uint32_t x = b.read(DType::float64, 1), y = b.read(DType::float64, 1), z = b.write(DType::float64, 1);
  const Value i = b.whole('x');
  b.when(b.lt(i, b.dimension(z, 0)), [&] { b.put(z, b.add(b.at(x, {i}), b.at(y, {i})), {i}); });
  return b.take();
}

/// out[i, j] = factor * a[j, i] + i - j, one thread an element of a grid with two axes
inline Kernel transpose_kernel() {
  UserBuilder b("transpose");
  const uint32_t from = b.read(DType::float64, 2), to = b.write(DType::float64, 2);
  const Value factor = b.scalar(b.add_scalar(DType::float64));
  const Value i = b.whole('y'), j = b.whole('x');
  b.when(b.bit_and(b.lt(i, b.dimension(to, 0)), b.lt(j, b.dimension(to, 1))), [&] {
    const Value distance = b.cast(b.sub(i, j), DType::float64);
    b.put(to, b.add(b.mul(factor, b.at(from, {j, i})), distance), {i, j});
  });
  return b.take();
}

/// sums[block] = the sum of a block's elements of `a`, by a tree in shared memory; 256 threads, in any block
inline Kernel block_sum_kernel() {
  UserBuilder b("block_sum");
  const uint32_t from = b.read(DType::float64, 1), to = b.write(DType::float64, 1);
  const uint32_t shared = b.add_array({.dtype = DType::float64, .size = 256, .shared = true});
  const Value rank = b.rank(), threads = b.block_threads();
  const Value i = b.add(b.mul(b.block_index('x'), threads), rank);
  const Value inside = b.lt(i, b.dimension(from, 0));
  const Value mine = b.if_(
      inside, [&](auto) { return std::vector<Value>{b.at(from, {i})}; },
      [&](auto) { return std::vector<Value>{b.constant(DType::float64, 0)}; })[0];
  b.store_array(shared, mine, rank);
  b.barrier();
  const std::array initial{b.div(threads, b.number(2))};
  b.while_(
      initial, [&](auto args) { return std::vector<Value>{b.gt(args[0], b.number(0))}; },
      [&](auto args) {
        const Value half = args[0];
        b.when(b.lt(rank, half), [&] {
          b.store_array(shared, b.add(b.load_array(shared, rank), b.load_array(shared, b.add(rank, half))), rank);
        });
        b.barrier();
        return std::vector<Value>{b.div(half, b.number(2))};
      });
  b.when(b.eq(rank, b.number(0)), [&] { b.put(to, b.load_array(shared, rank), {b.block_index('x')}); });
  return b.take();
}

/// counts[a[i]] += 1, counted in shared memory first; 64 counts
inline Kernel histogram_kernel() {
  UserBuilder b("histogram");
  const uint32_t from = b.read(DType::int32, 1), counts = b.write(DType::int32, 1, true);
  const uint32_t own = b.add_array({.dtype = DType::int32, .size = 64, .shared = true});
  const Value rank = b.rank(), zero = b.constant(DType::int32, 0), one = b.constant(DType::int32, 1);
  b.when(b.lt(rank, b.number(64)), [&] { b.store_array(own, zero, rank); });
  b.barrier();
  const Value step = b.mul(b.block_threads(), b.grid_size('x'));
  const Value first = b.add(b.mul(b.block_index('x'), b.block_threads()), rank);
  b.for_(first, b.dimension(from, 0), step, {}, [&](auto args) {
    b.atomic_array(AtomicKind::add, own, one, b.cast(b.at(from, {args[0]}), DType::int64));
    return std::vector<Value>{};
  });
  b.barrier();
  b.when(b.lt(rank, b.number(64)), [&] {
    const std::array at{rank};
    b.atomic(AtomicKind::add, counts, b.load_array(own, rank), at);
  });
  return b.take();
}

/// b[i] = -a[the element mirrored in the block], by way of dynamic shared memory that is floats and integers
inline Kernel mirror_kernel() {
  UserBuilder b("mirror");
  const uint32_t from = b.read(DType::float64, 1), to = b.write(DType::float64, 1);
  const uint32_t floats = b.add_array({.dtype = DType::float64, .size = 0, .shared = true});
  const uint32_t words = b.add_array({.dtype = DType::int64, .size = 0, .shared = true});
  const uint32_t halves = b.add_array({.dtype = DType::int32, .size = 0, .shared = true});
  const Value rank = b.rank(), last = b.sub(b.block_threads(), b.number(1)), i = b.whole('x');
  b.store_array(floats, b.at(from, {i}), rank);
  b.barrier();
  const Value mirrored = b.load_array(words, b.sub(last, rank));
  b.barrier();
  b.store_array(words, mirrored, rank);
  const Value upper = b.add(b.mul(rank, b.number(2)), b.number(1));
  const Value sign = b.constant(Scalar::of_int(DType::int32, INT32_MIN));
  b.store_array(halves, b.binary(Opcode::bit_xor, b.load_array(halves, upper), sign), upper);
  b.put(to, b.load_array(floats, rank), {i});
  return b.take();
}

/// c = a @ b by tiles of 16 x 16 in shared memory, for any shapes
inline Kernel matmul_kernel() {
  UserBuilder b("matmul");
  const uint32_t x = b.read(DType::float64, 2), y = b.read(DType::float64, 2), z = b.write(DType::float64, 2);
  const uint32_t left = b.add_array({.dtype = DType::float64, .size = 256, .shared = true});
  const uint32_t right = b.add_array({.dtype = DType::float64, .size = 256, .shared = true});
  const Value i = b.whole('y'), j = b.whole('x'), side = b.number(16), zero = b.constant(DType::float64, 0);
  const Value ty = b.thread_index('y'), tx = b.thread_index('x'), inner = b.dimension(x, 1);
  const Value own = b.add(b.mul(ty, side), tx);
  const auto fetch = [&](uint32_t buffer, Value row, Value column) {
    const Value inside = b.bit_and(b.lt(row, b.dimension(buffer, 0)), b.lt(column, b.dimension(buffer, 1)));
    return b.if_(
        inside, [&](auto) { return std::vector<Value>{b.at(buffer, {row, column})}; },
        [&](auto) { return std::vector<Value>{zero}; })[0];
  };
  const std::array start{zero};
  const Value sum = b.for_(b.number(0), inner, side, start, [&](auto tile) {
    b.store_array(left, fetch(x, i, b.add(tile[0], tx)), own);
    b.store_array(right, fetch(y, b.add(tile[0], ty), j), own);
    b.barrier();
    const std::array so_far{tile[1]};
    const Value next = b.for_(b.number(0), side, b.number(1), so_far, [&](auto k) {
      const Value l = b.load_array(left, b.add(b.mul(ty, side), k[0]));
      const Value r = b.load_array(right, b.add(b.mul(k[0], side), tx));
      return std::vector<Value>{b.add(k[1], b.mul(l, r))};
    })[0];
    b.barrier();
    return std::vector<Value>{next};
  })[0];
  b.when(b.bit_and(b.lt(i, b.dimension(z, 0)), b.lt(j, b.dimension(z, 1))), [&] { b.put(z, sum, {i, j}); });
  return b.take();
}

/// b[i] = the mean of the elements of `a` from the beginning of the block to i, for i < len(b); the threads beyond
/// return at once, as many programs do, and meet no others
inline Kernel early_return_kernel() {
  UserBuilder b("early_return");
  const uint32_t from = b.read(DType::float64, 1), to = b.write(DType::float64, 1);
  const uint32_t shared = b.add_array({.dtype = DType::float64, .size = 256, .shared = true});
  const Value i = b.whole('x'), rank = b.thread_index('x'), zero = b.number(0), one = b.number(1);
  b.when(b.lt(i, b.dimension(to, 0)), [&] {
    const Value mine = b.at(from, {i});
    b.store_array(shared, mine, rank);
    b.barrier();
    const std::array start{mine};
    const Value sum = b.for_(one, b.block_size('x'), one, start, [&](auto args) {
      const Value before = b.sub(rank, args[0]);
      const Value next = b.if_(
          b.ge(before, zero), [&](auto) { return std::vector<Value>{b.add(args[1], b.load_array(shared, before))}; },
          [&](auto) { return std::vector<Value>{args[1]}; })[0];
      b.barrier();
      return std::vector<Value>{next};
    })[0];
    b.put(to, b.div(sum, b.cast(b.add(rank, one), DType::float64)), {i});
  });
  return b.take();
}

/// b[i] from what even threads of a warp learn under a branch (the neighbour's element, how many are positive, how many
/// share a quad) and from how many elements of the block are positive; whole warps
inline Kernel warp_kernel() {
  UserBuilder b("warp");
  const uint32_t from = b.read(DType::float64, 1), to = b.write(DType::float64, 1);
  const Value rank = b.rank(), i = b.add(b.mul(b.block_index('x'), b.block_threads()), rank);
  const Value x = b.at(from, {i}), positive = b.gt(x, b.constant(DType::float64, 0));
  const auto count = [&](Value lanes) { return b.cast(b.unary(Opcode::popcount, lanes), DType::float64); };
  const Value learnt = b.if_(
      b.eq(b.bit_and(rank, b.number(1)), b.number(0)),
      [&](auto) {
        const Value even = b.constant(Scalar::of_int(DType::uint32, 0x55555555));
        const Value other = b.shuffle(ShuffleKind::exchange, x, b.constant(DType::int32, 2), even);
        const Value votes = count(b.ballot(positive, even));
        b.warp_barrier(even);
        const Value quad = count(b.match_any(b.binary(Opcode::shift_right, rank, b.number(2)), even));
        return std::vector<Value>{b.add(other, b.add(votes, b.mul(quad, b.constant(DType::float64, 100))))};
      },
      [&](auto) { return std::vector<Value>{b.neg(x)}; })[0];
  b.fence(FenceScope::device);
  const Value in_block = b.cast(b.barrier_count(positive), DType::float64);
  b.put(to, b.add(learnt, b.mul(in_block, b.constant(DType::float64, 1000))), {i});
  return b.take();
}

}  // namespace tessera::ir
