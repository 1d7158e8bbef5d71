#include "tessera/ir/interpreter.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "tessera/ir/builder.h"
#include "tessera/ir/run_kernel.h"

namespace tessera::ir {
namespace {

std::vector<double> ramp(int64_t n, double scale = 1) {
  std::vector<double> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = scale * static_cast<double>((i * 7919) % 1013) - 300.5;
  return values;
}

BufferParam in(DType t, uint8_t ndim = 1) { return {.dtype = t, .ndim = ndim}; }
BufferParam out(DType t, uint8_t ndim = 1) { return {.dtype = t, .ndim = ndim, .readable = false, .writable = true}; }

TEST(Interpreter, adds_two_arrays_of_any_length) {
  Builder b(1);
  const uint32_t x = b.add_buffer(in(f64)), y = b.add_buffer(in(f64)), z = b.add_buffer(out(f64));
  const std::array at{b.index(0)};
  b.store(z, b.add(b.load(x, at), b.mul(b.load(y, at), b.constant(f64, 0.5))), at);
  const Kernel kernel = b.take();
  for (int64_t n : {0, 1, 7, 10, 63, 64, 1023, 1024, 1025, 5000}) {
    TestArray a = TestArray::of(f64, {n}, ramp(n)), c = TestArray::of(f64, {n}, ramp(n, 3)),
              r = TestArray::zeros(f64, {n});
    run_kernel(kernel, {n}, {&a, &c, &r});
    const std::vector<double> u = ramp(n), v = ramp(n, 3), w = r.values<double>();
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(w[i], u[i] + v[i] * 0.5) << n << " " << i;
  }
}

TEST(Interpreter, tells_which_elements_are_aligned) {
  Builder b(1);
  const uint32_t x = b.add_buffer(in(DType::float32)), z = b.add_buffer(out(DType::boolean));
  const std::array at{b.index(0)}, first{b.constant(i64, 0)},
      turned{b.sub(b.extent(0), b.add(at[0], b.constant(i64, 1)))};
  const Value own = b.bit_xor(b.is_aligned(x, at, 16), b.is_aligned(x, first, 16));
  b.store(z, b.bit_xor(own, b.is_aligned(x, turned, 8)), at);
  const Kernel kernel = b.take();
  for (int64_t n : {1, 5, 70}) {
    TestArray a = TestArray::of(DType::float32, {n}, std::vector<float>(static_cast<size_t>(n))),
              r = TestArray::zeros(DType::boolean, {n});
    run_kernel(kernel, {n}, {&a, &r});
    const auto address = reinterpret_cast<uintptr_t>(a.bytes.data());
    const auto is_aligned = [&](int64_t k, uintptr_t bytes) {
      return (address + 4 * static_cast<uintptr_t>(k)) % bytes == 0;
    };
    for (int64_t k = 0; k < n; ++k)
      EXPECT_EQ(r.bytes[static_cast<size_t>(k)] != 0, is_aligned(k, 16) ^ is_aligned(0, 16) ^ is_aligned(n - 1 - k, 8))
          << k;
  }
}

TEST(Interpreter, stores_in_place_and_to_several_results) {
  Builder b(2);
  const uint32_t x = b.add_buffer({.dtype = f64, .ndim = 2, .readable = true, .writable = true});
  const uint32_t z = b.add_buffer(out(f64, 2));
  const std::array at{b.index(0), b.index(1)};
  const Value old = b.load(x, at);
  b.store(x, b.add(old, b.constant(f64, 1)), at);
  b.store(z, b.mul(old, old), at);
  TestArray a = TestArray::of(f64, {3, 40}, ramp(120)), r = TestArray::zeros(f64, {3, 40});
  run_kernel(b.take(), {3, 40}, {&a, &r});
  for (int i = 0; i < 120; ++i) {
    EXPECT_EQ(a.values<double>()[i], ramp(120)[i] + 1);
    EXPECT_EQ(r.values<double>()[i], ramp(120)[i] * ramp(120)[i]);
  }
}

TEST(Interpreter, divergent_branches_take_effect_per_lane) {
  Builder b(1);
  const uint32_t x = b.add_buffer(in(f64)), z = b.add_buffer(out(f64));
  const std::array at{b.index(0)};
  const Value v = b.load(x, at);
  const Value zero = b.zero_like(v);
  const std::vector<Value> r = b.if_(
      b.lt(v, zero), [&](auto) { return std::vector<Value>{b.neg(v)}; },
      [&](auto) {
        return b.if_(
            b.gt(v, b.constant(f64, 100)), [&](auto) { return std::vector<Value>{b.constant(f64, 100)}; },
            [&](auto) { return std::vector<Value>{v}; });
      });
  b.store(z, r[0], at);
  TestArray a = TestArray::of(f64, {3000}, ramp(3000)), o = TestArray::zeros(f64, {3000});
  run_kernel(b.take(), {3000}, {&a, &o});
  const std::vector<double> given = ramp(3000), got = o.values<double>();
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], given[i] < 0 ? -given[i] : std::min(given[i], 100.0));
}

TEST(Interpreter, loops_run_for_as_long_as_each_lane_wants) {
  // The number of Collatz steps, starting from the lane's index.
  Builder b(1);
  const uint32_t z = b.add_buffer(out(i64));
  const std::array at{b.index(0)};
  const auto number = [&](double v) { return b.constant(i64, v); };
  const std::array initial{b.add(b.index(0), number(1)), number(0)};
  const std::vector<Value> r = b.while_(
      initial, [&](std::span<const Value> args) { return std::vector<Value>{b.ne(args[0], number(1))}; },
      [&](std::span<const Value> args) {
        const Value odd = b.ne(b.bit_and(args[0], number(1)), number(0));
        const Value next =
            b.select(odd, b.add(b.mul(args[0], number(3)), number(1)), b.binary(Opcode::floor_div, args[0], number(2)));
        return std::vector<Value>{next, b.add(args[1], number(1))};
      });
  b.store(z, r[1], at);
  TestArray o = TestArray::zeros(i64, {2000});
  run_kernel(b.take(), {2000}, {&o});
  const std::vector<int64_t> got = o.values<int64_t>();
  for (int64_t i = 0; i < 2000; ++i) {
    int64_t steps = 0;
    for (int64_t k = i + 1; k != 1; k = k % 2 ? 3 * k + 1 : k / 2) ++steps;
    ASSERT_EQ(got[i], steps) << i;
  }
}

TEST(Interpreter, counted_loops_carry_values_with_uniform_and_own_bounds) {
  for (const bool own : {false, true}) {
    Builder b(1);
    const uint32_t z = b.add_buffer(out(i64));
    const std::array at{b.index(0)};
    const auto number = [&](double v) { return b.constant(i64, v); };
    const Value upper = own ? b.binary(Opcode::floor_mod, b.index(0), number(17)) : number(9);
    const std::array initial{number(0), number(1)};
    // Fibonacci: the carried values are swapped.
    const std::vector<Value> r = b.for_(number(0), upper, number(1), initial, [&](std::span<const Value> args) {
      return std::vector<Value>{args[2], b.add(args[1], args[2])};
    });
    b.store(z, r[0], at);
    TestArray o = TestArray::zeros(i64, {100});
    run_kernel(b.take(), {100}, {&o});
    const std::vector<int64_t> got = o.values<int64_t>();
    for (int64_t i = 0; i < 100; ++i) {
      int64_t x = 0, y = 1;
      for (int64_t k = 0; k < (own ? i % 17 : 9); ++k) y = std::exchange(x, y) + y;
      ASSERT_EQ(got[i], x) << i;
    }
  }
}

TEST(Interpreter, gathers_and_scatters_through_index_arrays) {
  Builder b(1);
  const uint32_t x = b.add_buffer(in(f64)), k = b.add_buffer(in(i64)), z = b.add_buffer(out(f64));
  const std::array at{b.index(0)};
  const Value index = b.load(k, at);
  b.store(z, b.load(x, std::array{index}), std::array{b.sub(b.constant(i64, 999), index)});
  std::vector<int64_t> indices(1000);
  for (int64_t i = 0; i < 1000; ++i) indices[i] = (i * 37) % 1000;
  TestArray a = TestArray::of(f64, {1000}, ramp(1000)), idx = TestArray::of(i64, {1000}, indices),
            o = TestArray::zeros(f64, {1000});
  run_kernel(b.take(), {1000}, {&a, &idx, &o});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(o.values<double>()[999 - i], ramp(1000)[i]);
}

TEST(Interpreter, shared_arrays_and_barriers_see_the_whole_block) {
  // Each lane reads its mirrored position through the shared array.
  Builder b(2);
  const uint32_t x = b.add_buffer(in(f64, 2)), z = b.add_buffer(out(f64, 2));
  const uint32_t shared = b.add_array({.dtype = f64, .size = 1500, .shared = true});
  const uint32_t mine = b.add_array({.dtype = f64, .size = 3, .shared = false});
  const std::array at{b.index(0), b.index(1)};
  b.store_array(shared, b.load(x, at), b.index(1));
  b.barrier();
  b.store_array(mine, b.load_array(shared, b.sub(b.constant(i64, 1499), b.index(1))),
                b.binary(Opcode::floor_mod, b.index(1), b.constant(i64, 3)));
  b.store(z, b.load_array(mine, b.binary(Opcode::floor_mod, b.index(1), b.constant(i64, 3))), at);
  TestArray a = TestArray::of(f64, {2, 1500}, ramp(3000)), o = TestArray::zeros(f64, {2, 1500});
  run_kernel(b.take(), {2, 1500}, {&a, &o});
  const std::vector<double> given = ramp(3000), got = o.values<double>();
  for (int r = 0; r < 2; ++r) {
    for (int i = 0; i < 1500; ++i) ASSERT_EQ(got[r * 1500 + i], given[r * 1500 + 1499 - i]);
  }
}

TEST(Interpreter, ballots_of_a_warp_see_its_lanes_alone) {
  Builder b(2);
  const uint32_t x = b.add_buffer(in(i64, 2)), z = b.add_buffer(out(DType::uint32, 2));
  const std::array at{b.index(0), b.index(1)};
  b.store(z, b.ballot(b.gt(b.load(x, at), b.constant(i64, 0))), at);
  std::vector<int64_t> given(2 * 100);
  for (size_t k = 0; k < given.size(); ++k) given[k] = static_cast<int64_t>(k * k % 7) - 3;
  TestArray a = TestArray::of(i64, {2, 100}, given), o = TestArray::zeros(DType::uint32, {2, 100});
  run_kernel(b.take(), {2, 100}, {&a, &o});
  const std::vector<uint32_t> got = o.values<uint32_t>();
  for (size_t k = 0; k < given.size(); ++k) {
    const size_t row = k / 100 * 100, warp = row + (k - row) / 32 * 32;
    uint32_t votes = 0;
    for (size_t lane = warp; lane < std::min(warp + 32, row + 100); ++lane)
      votes |= uint32_t{given[lane] > 0} << (lane - warp);
    EXPECT_EQ(got[k], votes) << k;
  }
}

TEST(Interpreter, lanes_of_a_warp_find_those_with_their_lowest_byte) {
  Builder b(2);
  const uint32_t x = b.add_buffer(in(DType::uint32, 2)), z = b.add_buffer(out(DType::uint32, 2));
  const std::array at{b.index(0), b.index(1)};
  b.store(z, b.match_byte(b.load(x, at)), at);
  std::vector<uint32_t> given(2 * 100);
  for (uint32_t k = 0; k < given.size(); ++k) given[k] = k * k % 7 + 256 * k;
  TestArray a = TestArray::of(DType::uint32, {2, 100}, given), o = TestArray::zeros(DType::uint32, {2, 100});
  run_kernel(b.take(), {2, 100}, {&a, &o});
  const std::vector<uint32_t> got = o.values<uint32_t>();
  for (size_t k = 0; k < given.size(); ++k) {
    const size_t row = k / 100 * 100, warp = row + (k - row) / 32 * 32;
    uint32_t peers = 0;
    for (size_t lane = warp; lane < std::min(warp + 32, row + 100); ++lane)
      peers |= uint32_t{(given[lane] & 255) == (given[k] & 255)} << (lane - warp);
    ASSERT_EQ(got[k], peers) << k;
  }
}

TEST(Interpreter, atomics_count_a_histogram) {
  Builder b(1);
  const uint32_t h = b.add_buffer({.dtype = i64, .ndim = 1, .readable = true, .writable = true});
  const Value bin = b.binary(Opcode::floor_mod, b.mul(b.index(0), b.index(0)), b.constant(i64, 10));
  b.atomic(AtomicKind::add, h, b.constant(i64, 1), std::array{bin});
  TestArray o = TestArray::zeros(i64, {10});
  run_kernel(b.take(), {10000}, {&o});
  std::vector<int64_t> wanted(10);
  for (int64_t i = 0; i < 10000; ++i) ++wanted[(i * i) % 10];
  EXPECT_EQ(o.values<int64_t>(), wanted);
}

TEST(Interpreter, checks_report_events_of_active_lanes_only) {
  Builder b(1);
  const uint32_t x = b.add_buffer(in(f64)), z = b.add_buffer(out(f64));
  const std::array at{b.index(0)};
  const Value v = b.load(x, at);
  const uint32_t quiet = b.add_flag_slot(), loud = b.add_flag_slot();
  const Value inverse = b.div(b.one_like(v), v);
  b.if_(b.ne(v, b.zero_like(v)),
        [&](auto) {
          b.check(ErrorRule::divide, quiet, inverse, std::array{b.one_like(v), v});
          return std::vector<Value>{};
        },
        {});
  b.check(ErrorRule::divide, loud, inverse, std::array{b.one_like(v), v});
  b.store(z, inverse, at);
  std::vector<double> values = ramp(1000);
  values[500] = 0;
  TestArray a = TestArray::of(f64, {1000}, values), o = TestArray::zeros(f64, {1000});
  EXPECT_EQ(run_kernel(b.take(), {1000}, {&a, &o}), (std::vector<uint32_t>{0, event_divide}));
}

TEST(Interpreter, complex_arithmetic_follows_its_parts) {
  const DType c128 = DType::complex128;
  Builder b(1);
  const uint32_t x = b.add_buffer(in(c128)), z = b.add_buffer(out(c128)), m = b.add_buffer(out(f64));
  const std::array at{b.index(0)};
  const Value v = b.load(x, at);
  b.store(z, b.add(b.mul(v, v), b.constant(Scalar::of_complex(c128, {1, -2}))), at);
  b.store(m, b.abs(v), at);
  std::vector<std::complex<double>> values(300);
  for (int i = 0; i < 300; ++i) values[i] = {0.25 * i, 7.0 - i};
  TestArray a = TestArray::of(c128, {300}, values), o = TestArray::zeros(c128, {300}), s = TestArray::zeros(f64, {300});
  run_kernel(b.take(), {300}, {&a, &o, &s});
  for (int i = 0; i < 300; ++i) {
    const double re = values[i].real(), im = values[i].imag();
    EXPECT_EQ(o.values<std::complex<double>>()[i], std::complex<double>(re * re - im * im + 1, re * im + re * im - 2));
    EXPECT_NEAR(s.values<double>()[i], std::hypot(re, im), 1e-12);
  }
}

}  // namespace
}  // namespace tessera::ir
