/// RandomKernel: generates random valid kernels with branches, loops, reductions and memory accesses, for tests.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "tessera/ir/builder.h"

namespace tessera::ir {

/// Kernels have two axes. Buffers: 0 float64 [2] read, 1 int64 [1] read, 2 float64 [2] and 3 int64 [2] read and written
/// at the lane's own index, 4 int64 [1] with atomic counters. One float64 and one int64 scalar; two flag slots.
class RandomKernel {
 public:
  explicit RandomKernel(uint64_t seed) : random_(seed), b_(2, "random") {}

  Kernel make() {
    b_.add_buffer({.dtype = f64, .ndim = 2});
    b_.add_buffer({.dtype = i64, .ndim = 1});
    b_.add_buffer({.dtype = f64, .ndim = 2, .readable = true, .writable = true});
    b_.add_buffer({.dtype = i64, .ndim = 2, .readable = true, .writable = true});
    b_.add_buffer({.dtype = i64, .ndim = 1, .readable = true, .writable = true});
    b_.add_flag_slot();
    b_.add_flag_slot();
    own_ = {b_.index(0), b_.index(1)};
    Pool pool;
    pool.floats = {b_.scalar(b_.add_scalar(f64)), b_.constant(f64, 0.5), b_.load(0, own_)};
    pool.ints = {b_.scalar(b_.add_scalar(i64)), b_.index(0), b_.index(1), b_.constant(i64, 3)};
    pool.bools = {b_.lt(pool.ints[1], pool.ints[2])};
    if (pick(2)) {
      array_ = static_cast<int>(b_.add_array({.dtype = f64, .size = 4, .shared = false}));
      for (int k = 0; k < 4; ++k) b_.store_array(array_, pool.floats[static_cast<size_t>(k) % 3], b_.constant(i64, k));
    }
    if (pick(2)) make_function();
    statements(pool, 8 + pick(12), 0);
    b_.store(2, any(pool.floats), own_);
    b_.store(3, any(pool.ints), own_);
    return b_.take();
  }

 private:
  static constexpr DType f64 = DType::float64;
  static constexpr DType i64 = DType::int64;

  struct Pool {
    std::vector<Value> floats, ints, bools;
  };

  // Calls itself while its integer is positive, which the first calls choose below 4.
  void make_function() {
    const std::array<Value, 2> outer = own_;
    const uint32_t function = b_.add_function({.name = "f", .parameters = {f64, i64}, .results = {f64, i64}});
    const std::vector<Value> args = b_.begin_function(function);
    own_ = {b_.index(0), b_.index(1)};
    in_function_ = true;
    Pool pool;
    pool.floats = {args[0], b_.constant(f64, 1.25)};
    pool.ints = {b_.index(1), args[1]};
    pool.bools = {b_.lt(args[0], b_.constant(f64, 3))};
    statements(pool, 2 + pick(4), 1);
    const auto again = [&](std::span<const Value>) {
      return b_.call(function, std::array{any(pool.floats), b_.sub(args[1], number(1))});
    };
    keep(pool, b_.if_(b_.gt(args[1], number(0)), again,
                      [&](std::span<const Value>) { return std::vector<Value>{any(pool.floats), any(pool.ints)}; }));
    statements(pool, pick(3), 2);
    b_.end_function(function, std::array{any(pool.floats), any(pool.ints)});
    in_function_ = false;
    own_ = outer;
    function_ = static_cast<int>(function);
  }

  size_t pick(size_t n) { return random_() % n; }
  // Prefers recent values, so that expressions get deep.
  Value any(const std::vector<Value>& values) {
    return values[values.size() - 1 - std::min(pick(values.size()), pick(values.size()))];
  }
  Value number(int64_t v) { return b_.constant(Scalar::of_int(i64, v)); }
  Value small(Pool& pool, int64_t limit) { return b_.binary(Opcode::floor_mod, any(pool.ints), number(limit)); }

  void statements(Pool& pool, size_t count, int depth) {
    for (size_t k = 0; k < count; ++k) statement(pool, depth);
  }

  void statement(Pool& pool, int depth) {
    if (function_ >= 0 && reducing_ == 0 && pick(12) == 0)
      return keep(pool, b_.call(static_cast<uint32_t>(function_), std::array{any(pool.floats), small(pool, 4)}));
    switch (pick(depth < 3 ? 16 : 10)) {
      case 0:
      case 1: return pool.floats.push_back(float_expression(pool));
      case 2:
      case 3: return pool.ints.push_back(int_expression(pool));
      case 4: return pool.bools.push_back(bool_expression(pool));
      case 5: return pool.floats.push_back(load(pool));
      case 6:
        return pool.ints.push_back(
            b_.load(1, std::array{b_.binary(Opcode::floor_mod, any(pool.ints), b_.dimension(1, 0))}));
      case 7: return write(pool);
      case 8: {
        const Value x = any(pool.floats), y = any(pool.floats), r = b_.mul(x, y);
        if (!in_function_)
          b_.check(pick(2) ? ErrorRule::arithmetic : ErrorRule::divide, static_cast<uint32_t>(pick(2)), r,
                   std::array{x, y});
        return pool.floats.push_back(r);
      }
      case 9: return pool.floats.push_back(b_.select(any(pool.bools), any(pool.floats), any(pool.floats)));
      case 10:
      case 11: return branch(pool, depth);
      case 12:
      case 13: return count(pool, depth);
      case 14: return repeat(pool, depth);
      default: return reduction(pool, depth);
    }
  }

  Value float_expression(Pool& pool) {
    const Value x = any(pool.floats), y = any(pool.floats);
    switch (pick(9)) {
      case 0: return b_.add(x, y);
      case 1: return b_.sub(x, y);
      case 2: return b_.mul(x, y);
      case 3: return b_.min(x, y);
      case 4: return b_.max(x, y);
      case 5: return b_.neg(x);
      case 6: return b_.unary(Opcode::floor, x);
      case 7: return b_.cast(any(pool.ints), f64);
      default: return b_.div(x, y);
    }
  }

  Value int_expression(Pool& pool) {
    const Value x = any(pool.ints), y = any(pool.ints);
    switch (pick(9)) {
      case 0: return b_.add(x, y);
      case 1: return b_.sub(x, y);
      case 2: return b_.mul(x, number(static_cast<int64_t>(pick(5)) - 2));
      case 3: return b_.mul(x, y);
      case 4: return b_.min(x, y);
      case 5: return b_.bit_xor(x, y);
      case 6: return b_.binary(Opcode::floor_div, x, y);
      case 7: return b_.neg(x);
      default: return b_.cast(any(pool.floats), i64);
    }
  }

  Value bool_expression(Pool& pool) {
    switch (pick(5)) {
      case 0: return b_.lt(any(pool.floats), any(pool.floats));
      case 1: return b_.ge(any(pool.ints), any(pool.ints));
      case 2: return b_.bit_and(any(pool.bools), any(pool.bools));
      case 3: return b_.bit_not(any(pool.bools));
      default: return b_.eq(small(pool, 3), number(1));
    }
  }

  Value load(Pool& pool) {
    switch (pick(array_ < 0 ? 4 : 6)) {
      case 0: return b_.load(0, own_);
      case 1: return b_.load(2, own_);
      case 2: return b_.load(0, std::array{own_[0], b_.binary(Opcode::floor_mod, any(pool.ints), b_.dimension(0, 1))});
      case 3: return b_.load(0, std::array{b_.binary(Opcode::floor_mod, any(pool.ints), b_.dimension(0, 0)), own_[1]});
      case 4: return b_.load_array(static_cast<uint32_t>(array_), number(static_cast<int64_t>(pick(4))));
      default: return b_.load_array(static_cast<uint32_t>(array_), small(pool, 4));
    }
  }

  void write(Pool& pool) {
    // The elements of a reduction are independent: only atomic sums may share an address.
    switch (reducing_ ? 2 : pick(array_ < 0 ? 3 : 5)) {
      case 0: return b_.store(2, any(pool.floats), own_);
      case 1: return b_.store(3, any(pool.ints), own_);
      case 2:
        b_.atomic(AtomicKind::add, 4, any(pool.ints),
                  std::array{b_.binary(Opcode::floor_mod, any(pool.ints), b_.dimension(4, 0))});
        return;
      default: return b_.store_array(static_cast<uint32_t>(array_), any(pool.floats), small(pool, 4));
    }
  }

  void keep(Pool& pool, const std::vector<Value>& results) {
    pool.floats.push_back(results[0]);
    pool.ints.push_back(results[1]);
  }

  void branch(Pool& pool, int depth) {
    const auto side = [&](std::span<const Value>) {
      Pool inner = pool;
      statements(inner, pick(5), depth + 1);
      return std::vector<Value>{any(inner.floats), any(inner.ints)};
    };
    keep(pool, b_.if_(any(pool.bools), side, side));
  }

  void count(Pool& pool, int depth) {
    const bool down = pick(3) == 0;
    const Value from = pick(2) ? number(0) : small(pool, 3);
    const Value to = pick(2) ? number(4) : small(pool, 5);
    const Value step = number(down ? -1 : 1 + static_cast<int64_t>(pick(2)));
    const std::array initial{any(pool.floats), any(pool.ints), any(pool.floats)};
    const std::vector<Value> results =
        b_.for_(down ? to : from, down ? from : to, step, initial, [&](std::span<const Value> args) {
          Pool inner = pool;
          inner.ints.push_back(args[0]);
          inner.floats.push_back(args[1]);
          inner.ints.push_back(args[2]);
          inner.floats.push_back(args[3]);
          statements(inner, pick(5), depth + 1);
          return std::vector<Value>{pick(3) ? any(inner.floats) : args[3],
                                    pick(3) ? any(inner.ints) : b_.add(args[2], number(2)),
                                    pick(3) ? any(inner.floats) : args[1]};
        });
    keep(pool, results);
    pool.floats.push_back(results[2]);
  }

  void repeat(Pool& pool, int depth) {
    const std::array initial{small(pool, 5), any(pool.floats), any(pool.ints)};
    const std::vector<Value> results = b_.while_(
        initial,
        [&](std::span<const Value> args) {
          Pool inner = pool;
          inner.floats.push_back(args[1]);
          statements(inner, pick(3), depth + 2);
          const Value goes_on = b_.gt(args[0], number(0));
          return std::vector<Value>{pick(2) ? b_.bit_and(goes_on, any(inner.bools)) : goes_on, args[0],
                                    any(inner.floats), args[2]};
        },
        [&](std::span<const Value> args) {
          Pool inner = pool;
          inner.floats.push_back(args[1]);
          inner.ints.push_back(args[2]);
          statements(inner, pick(4), depth + 1);
          return std::vector<Value>{b_.sub(args[0], number(1)), any(inner.floats), any(inner.ints)};
        });
    keep(pool, {results[1], results[2]});
  }

  void reduction(Pool& pool, int depth) {
    static constexpr std::array kinds{ReduceKind::add, ReduceKind::mul, ReduceKind::min, ReduceKind::max_num};
    const ReduceKind kind = kinds[pick(kinds.size())];
    const ReduceOrder order = static_cast<ReduceOrder>(pick(3));
    const Value from = pick(2) ? number(0) : small(pool, 4);
    const Value to = pick(2) ? b_.dimension(0, 1) : pick(2) ? number(7) : small(pool, 20);
    const bool whole = pick(3) == 0;
    const bool continues = order == ReduceOrder::sequential && pick(2);
    const Value initial = !continues ? no_value : whole ? any(pool.ints) : any(pool.floats);
    ++reducing_;
    const Value total = b_.reduce(
        kind, order, from, to,
        [&](Value k) {
          Pool inner = pool;
          inner.ints.push_back(k);
          const Value column = b_.binary(Opcode::floor_mod, k, b_.dimension(0, 1));
          inner.floats.push_back(
              pick(2) ? b_.load(0, std::array{own_[0], column})
                      : b_.load(0, std::array{b_.binary(Opcode::floor_mod, k, b_.dimension(0, 0)), own_[1]}));
          statements(inner, pick(4), depth + 2);
          return whole ? any(inner.ints) : any(inner.floats);
        },
        initial);
    --reducing_;
    (whole ? pool.ints : pool.floats).push_back(total);
  }

  std::mt19937_64 random_;
  Builder b_;
  std::array<Value, 2> own_{};
  int array_ = -1;
  int reducing_ = 0;
  int function_ = -1;
  bool in_function_ = false;
};

}  // namespace tessera::ir
