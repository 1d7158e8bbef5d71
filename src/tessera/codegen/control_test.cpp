#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tessera/codegen/samples/sample_kernels.h"

namespace tessera::codegen {
namespace {

using ir::Builder;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;

constexpr DType i64 = DType::int64;
constexpr DType f64 = DType::float64;

class Control : public testing::TestWithParam<Tier> {
 protected:
  std::unique_ptr<Compiler> compiler = open_compiler();

  uint32_t input(Builder& b, DType dtype, uint8_t ndim = 1) {
    return b.add_buffer({.dtype = dtype, .ndim = ndim, .inner = ir::InnerStride::contiguous});
  }
  uint32_t output(Builder& b, DType dtype, uint8_t ndim = 1) {
    return b.add_buffer(
        {.dtype = dtype, .ndim = ndim, .readable = true, .writable = true, .inner = ir::InnerStride::contiguous});
  }
  void run(const ir::Kernel& kernel, Binding& binding) {
    compiler->print_llvm(kernel, GetParam());  // verifies
    binding.run(compiler->compile(kernel, GetParam())->entry());
  }
};

INSTANTIATE_TEST_SUITE_P(Tiers, Control, testing::Values(Tier::quick, Tier::full));

TEST_P(Control, a_branch_joins_its_values) {
  Builder b(1);
  const uint32_t in = input(b, i64), out = output(b, i64);
  const Value at[] = {b.index(0)};
  const Value x = b.load(in, at);
  const Values r = b.if_(
      b.lt(x, b.constant(i64, 0)), [&](auto) { return Values{b.neg(x), b.constant(i64, 1)}; },
      [&](auto) { return Values{b.mul(x, x), b.constant(i64, 2)}; });
  b.store(out, b.add(r[0], r[1]), at);
  std::vector<int64_t> a(1000), got(1000);
  std::iota(a.begin(), a.end(), -500);
  Binding binding({1000});
  run(b.take(), binding.add(a.data(), {1000}, 8).add(got.data(), {1000}, 8));
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(got[k], a[k] < 0 ? -a[k] + 1 : a[k] * a[k] + 2);
}

TEST_P(Control, a_loop_ends_where_the_next_index_is_no_int64) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> lower{3, most - 10, most - 10, least, -5, least + 7, most, 5}, counts(8);
  std::vector<int64_t> upper{most, most, most, most, least, least, least, most};
  std::vector<int64_t> step{most, 3, 5, most, -most, -3, least, most / 2};
  Builder b(1);
  const uint32_t from = input(b, i64), to = input(b, i64), by = input(b, i64), out = output(b, i64);
  const Value at[] = {b.index(0)};
  const Values start{b.constant(i64, 0)};
  const Values r = b.for_(b.load(from, at), b.load(to, at), b.load(by, at), start,
                          [&](std::span<const Value> args) { return Values{b.add(args[1], b.constant(i64, 1))}; });
  b.store(out, r[0], at);
  Binding binding({8});
  for (std::vector<int64_t>* numbers : {&lower, &upper, &step, &counts}) binding.add(numbers->data(), {8}, 8);
  run(b.take(), binding);
  EXPECT_EQ(counts, (std::vector<int64_t>{1, 4, 2, 3, 1, 3, 2, 2}));
}

TEST_P(Control, a_loop_all_lanes_share_goes_around_them) {
  // A polynomial by Horner's rule with coefficients from memory, and a swap of two carried values.
  Builder b(1);
  const uint32_t in = input(b, f64), coefficients = input(b, f64), out = output(b, f64);
  const Value at[] = {b.index(0)};
  const Value x = b.load(in, at);
  const Value zero = b.constant(f64, 0);
  const Values initial = {zero, x, b.add(x, b.constant(f64, 1))};
  const Values r = b.for_(b.constant(i64, 0), b.dimension(coefficients, 0), b.constant(i64, 1), initial,
                          [&](std::span<const Value> args) {
                            const Value index[] = {args[0]};
                            return Values{b.add(b.mul(args[1], x), b.load(coefficients, index)), args[3], args[2]};
                          });
  b.store(out, b.add(r[0], b.sub(r[1], r[2])), at);
  std::vector<double> a(3000), c = {1, -2, 0.5, 3, 7}, got(3000);
  for (int k = 0; k < 3000; ++k) a[k] = k * 0.01 - 15;
  Binding binding({3000});
  run(b.take(), binding.add(a.data(), {3000}, 8).add(c.data(), {5}, 8).add(got.data(), {3000}, 8));
  for (int k = 0; k < 3000; ++k) {
    double sum = 0, first = a[k], second = a[k] + 1;
    for (double coefficient : c) {
      sum = sum * a[k] + coefficient;
      std::swap(first, second);
    }
    EXPECT_EQ(got[k], sum + (first - second));
  }
}

TEST_P(Control, a_loop_may_count_down_or_not_run) {
  Builder b(1);
  const uint32_t step_in = input(b, i64), out = output(b, i64);
  const Value at[] = {b.index(0)};
  const Value step = b.load(step_in, at);
  const Value initial[] = {b.constant(i64, 0)};
  const Values r = b.for_(b.constant(i64, 10), b.constant(i64, 3), step, initial, [&](std::span<const Value> args) {
    return Values{b.add(b.mul(args[1], b.constant(i64, 100)), args[0])};
  });
  b.store(out, r[0], at);
  std::vector<int64_t> steps = {-1, -3, 1, 0, -7, -8}, got(6);
  Binding binding({6});
  run(b.take(), binding.add(steps.data(), {6}, 8).add(got.data(), {6}, 8));
  EXPECT_EQ(got, (std::vector<int64_t>{10090807060504, 100704, 0, 0, 10, 10}));
}

TEST_P(Control, lanes_leave_a_while_loop_on_their_own) {
  // Steps of the Collatz sequence.
  Builder b(1);
  const uint32_t out = output(b, i64);
  const Value at[] = {b.index(0)};
  const Value one = b.constant(i64, 1), two = b.constant(i64, 2);
  const Value initial[] = {b.add(b.index(0), one), b.constant(i64, 0)};
  const Values r = b.while_(
      initial, [&](std::span<const Value> args) { return Values{b.gt(args[0], one)}; },
      [&](std::span<const Value> args) {
        const Value odd = b.eq(b.bit_and(args[0], one), one);
        const Value up = b.add(b.mul(args[0], b.constant(i64, 3)), one);
        return Values{b.select(odd, up, b.binary(Opcode::floor_div, args[0], two)), b.add(args[1], one)};
      });
  b.store(out, r[1], at);
  std::vector<int64_t> got(100);
  Binding binding({100});
  run(b.take(), binding.add(got.data(), {100}, 8));
  for (int64_t k = 0; k < 100; ++k) {
    int64_t n = k + 1, steps = 0;
    for (; n > 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
    EXPECT_EQ(got[k], steps);
  }
}

TEST_P(Control, local_arrays_belong_to_a_lane) {
  Builder b(1);
  const uint32_t out = output(b, i64);
  const uint32_t local = b.add_array({.dtype = i64, .size = 4, .shared = false});
  const Value at[] = {b.index(0)};
  for (int k = 0; k < 4; ++k) b.store_array(local, b.mul(b.index(0), b.constant(i64, k + 1)), b.constant(i64, k));
  const Value initial[] = {b.constant(i64, 0)};
  const Values r =
      b.for_(b.constant(i64, 0), b.constant(i64, 4), b.constant(i64, 1), initial, [&](std::span<const Value> args) {
        return Values{b.add(b.mul(args[1], b.constant(i64, 10)), b.load_array(local, args[0]))};
      });
  b.store(out, r[0], at);
  std::vector<int64_t> got(5000);
  Binding binding({5000});
  run(b.take(), binding.add(got.data(), {5000}, 8));
  for (int64_t k = 0; k < 5000; ++k) EXPECT_EQ(got[k], k * 1234);
}

TEST_P(Control, barriers_separate_writes_from_reads_of_a_block) {
  // Each row is a block: a tree sum in shared memory, with the loop around the barriers.
  Builder b(2);
  const uint32_t in = input(b, i64, 2), out = output(b, i64, 2);
  const uint32_t shared = b.add_array({.dtype = i64, .size = 64, .shared = true});
  const Value lane = b.index(1);
  const Value at[] = {b.index(0), lane};
  b.store_array(shared, b.load(in, at), lane);
  b.barrier();
  const Value zero = b.constant(i64, 0);
  const Value initial[] = {b.constant(i64, 32)};
  b.while_(
      initial, [&](std::span<const Value> args) { return Values{b.gt(args[0], zero)}; },
      [&](std::span<const Value> args) {
        b.if_(
            b.lt(lane, args[0]),
            [&](auto) {
              b.store_array(shared, b.add(b.load_array(shared, lane), b.load_array(shared, b.add(lane, args[0]))),
                            lane);
              return Values{};
            },
            nullptr);
        b.barrier();
        return Values{b.binary(Opcode::shift_right, args[0], b.constant(i64, 1))};
      });
  b.store(out, b.add(b.load_array(shared, zero), lane), at);
  std::vector<int64_t> a(5 * 64), got(5 * 64);
  std::iota(a.begin(), a.end(), 0);
  Binding binding({5, 64});
  run(b.take(), binding.add(a.data(), {5, 64}, 8).add(got.data(), {5, 64}, 8));
  for (int64_t row = 0; row < 5; ++row) {
    const int64_t sum = std::accumulate(a.begin() + row * 64, a.begin() + (row + 1) * 64, int64_t{0});
    for (int64_t k = 0; k < 64; ++k) EXPECT_EQ(got[row * 64 + k], sum + k);
  }
}

TEST_P(Control, atomics_lose_no_update) {
  Builder b(1);
  const uint32_t in = input(b, i64), counts = b.add_buffer({.dtype = DType::int32, .ndim = 1, .writable = true});
  const uint32_t most = b.add_buffer({.dtype = f64, .ndim = 1, .writable = true});
  const Value at[] = {b.index(0)};
  const Value bin[] = {b.load(in, at)};
  const Value zero[] = {b.constant(i64, 0)};
  b.atomic(ir::AtomicKind::add, counts, b.constant(DType::int32, 1), bin);
  b.atomic(ir::AtomicKind::max, most, b.cast(bin[0], f64), zero);
  std::vector<int64_t> a(999);
  for (int k = 0; k < 999; ++k) a[k] = k % 10;
  std::vector<int32_t> got(10);
  double largest = -1;
  Binding binding({999});
  run(b.take(), binding.add(a.data(), {999}, 8).add(got.data(), {10}, 4).add(&largest, {1}, 8));
  EXPECT_EQ(got, (std::vector<int32_t>{100, 100, 100, 100, 100, 100, 100, 100, 100, 99}));
  EXPECT_EQ(largest, 9);
}

TEST_P(Control, streamed_results_reach_any_alignment) {
  std::shared_ptr<NativeKernel> native = compiler->compile(stencil_kernel(f64, true), GetParam());
  for (int64_t width : {1, 5, 7, 64, 100, 513, 1001}) {
    const int64_t rows = 4, n = width + 2;
    std::vector<double> a((rows + 2) * n), got((rows + 2) * n, -1);
    for (size_t k = 0; k < a.size(); ++k) a[k] = static_cast<double>(k * k % 101);
    Binding binding({rows, width});
    for (int64_t offset : {n + 1, int64_t{1}, 2 * n + 1, n, n + 2})
      binding.add(a.data() + offset, {rows, width}, std::vector<int64_t>{n * 8, 8});
    binding.add(got.data() + n + 1, {rows, width}, std::vector<int64_t>{n * 8, 8})
        .add_scalar(Scalar::of_float(f64, 0.2));
    binding.run(native->entry());
    for (int64_t i = 0; i < rows + 2; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const bool inside = i > 0 && i <= rows && j > 0 && j <= width;
        const auto at = [&](int64_t y, int64_t x) { return a[y * n + x]; };
        EXPECT_EQ(got[i * n + j],
                  inside ? 0.2 * ((((at(i, j) + at(i - 1, j)) + at(i + 1, j)) + at(i, j - 1)) + at(i, j + 1)) : -1);
      }
    }
  }
}

TEST_P(Control, checks_report_events_of_any_lane) {
  Builder b(1);
  const uint32_t x_in = input(b, f64), y_in = input(b, f64), out = output(b, f64);
  const uint32_t slot = b.add_flag_slot();
  const Value at[] = {b.index(0)};
  const Value x = b.load(x_in, at), y = b.load(y_in, at), q = b.div(x, y);
  const Value operands[] = {x, y};
  b.check(ir::ErrorRule::divide, slot, q, operands);
  b.store(out, q, at);
  const ir::Kernel kernel = b.take();
  const auto events = [&](double numerator, double denominator) {
    std::vector<double> a(101, 1.0), c(101, 2.0), r(101);
    a[77] = numerator;
    c[77] = denominator;
    Binding binding({101});
    run(kernel, binding.add(a.data(), {101}, 8).add(c.data(), {101}, 8).add(r.data(), {101}, 8));
    return binding.flags[slot];
  };
  EXPECT_EQ(events(1, 2), 0u);
  EXPECT_EQ(events(1, 0), ir::event_divide);
  EXPECT_EQ(events(0, 0), ir::event_invalid);
  EXPECT_EQ(events(1e300, 1e-300), ir::event_overflow);
  EXPECT_EQ(events(std::numeric_limits<double>::infinity(), 0), 0u);
  EXPECT_EQ(events(std::nan(""), 0), 0u);
}

TEST_P(Control, reduced_magnitudes_of_infinite_or_unknown_parts_are_no_events) {
  Builder b(1);
  const uint32_t in = input(b, DType::complex128, 2), out = output(b, f64);
  const uint32_t slot = b.add_flag_slot();
  const Value row = b.index(0);
  const Value sum = b.reduce(
      ir::ReduceKind::add, ir::ReduceOrder::pairwise, b.constant(DType::int64, 0), b.dimension(in, 1), [&](Value k) {
        const Value place[] = {row, k};
        const Value z = b.load(in, place), magnitude = b.binary(ir::Opcode::hypot, b.real(z), b.imag(z));
        b.check(ir::ErrorRule::arithmetic, slot, magnitude, std::array{z});
        return magnitude;
      });
  const Value at[] = {row};
  b.store(out, sum, at);
  const ir::Kernel kernel = b.take();
  const auto events = [&](double real, double imag) {
    std::vector<double> a(2 * 303, 1.0), r(3);
    a[154] = real, a[155] = imag;
    Binding binding({3});
    run(kernel, binding.add(a.data(), {3, 101}, 16).add(r.data(), {3}, 8));
    return binding.flags[slot];
  };
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_EQ(events(1.5e308, 1.5e308), ir::event_overflow);
  for (const auto& [real, imag] : {std::pair{infinity, 1.0}, {1.0, infinity}, {nan, 1.0}, {1.0, nan}, {nan, infinity}})
    EXPECT_EQ(events(real, imag), 0u);
}

TEST_P(Control, a_result_in_its_operands_place_survives_events) {
  for (bool streaming : {false, true}) {
    Builder b(2);
    const uint32_t x_in = input(b, f64, 2), y_in = input(b, f64, 2);
    const uint32_t out = b.add_buffer({.dtype = f64,
                                       .ndim = 2,
                                       .readable = false,
                                       .writable = true,
                                       .streaming = streaming,
                                       .inner = ir::InnerStride::contiguous});
    const uint32_t first = b.add_flag_slot(), second = b.add_flag_slot();
    const Value at[] = {b.index(0), b.index(1)};
    const Value x = b.load(x_in, at), y = b.load(y_in, at);
    const Value q = b.div(x, y), sum = b.add(q, x);
    const Value of_q[] = {x, y}, of_sum[] = {q, x};
    b.check(ir::ErrorRule::divide, first, q, of_q);
    b.check(ir::ErrorRule::arithmetic, second, sum, of_sum);
    b.store(out, sum, at);
    const ir::Kernel kernel = b.take();
    for (double divisor : {4.0, 0.0}) {
      for (bool in_place : {false, true}) {
        const int64_t rows = 3, columns = 1500;
        std::vector<double> a(rows * columns), c(rows * columns, 4.0), fresh(rows * columns), expected(rows * columns);
        std::iota(a.begin(), a.end(), 1.0);
        c[columns + 1234] = divisor;
        for (size_t k = 0; k < a.size(); ++k) expected[k] = a[k] / c[k] + a[k];
        std::vector<double>& result = in_place ? a : fresh;
        Binding binding({rows, columns});
        run(kernel, binding.add(a.data(), {rows, columns}, 8)
                        .add(c.data(), {rows, columns}, 8)
                        .add(result.data(), {rows, columns}, 8));
        EXPECT_EQ(result, expected);
        EXPECT_EQ(binding.flags[first], divisor == 0 ? ir::event_divide : 0u);
        EXPECT_EQ(binding.flags[second], 0u);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::codegen
