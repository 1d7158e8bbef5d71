#include "tessera/ir/loops.h"
#include "tessera/ir/math/power.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tessera::ir {
namespace {

/// NumPy's tree for one chunk, written as in its definition.
template <class T>
T tree_sum(const T* a, int64_t n, int lanes) {
  if (n < lanes) {
    T sum = a[0];
    for (int64_t i = 1; i < n; ++i) sum += a[i];
    return sum;
  }
  if (n <= 16 * lanes) {
    std::vector<T> r(a, a + lanes);
    int64_t i = lanes;
    for (; i < n - n % lanes; i += lanes) {
      for (int k = 0; k < lanes; ++k) r[k] += a[i + k];
    }
    T sum =
        lanes == 8 ? ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])) : (r[0] + r[1]) + (r[2] + r[3]);
    for (; i < n; ++i) sum += a[i];
    return sum;
  }
  int64_t half = n / 2;
  half -= half % lanes;
  return tree_sum(a, half, lanes) + tree_sum(a + half, n - half, lanes);
}

template <class T>
std::vector<T> noise(int64_t n) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> spread(-1e3, 1e3);
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(spread(random));
  return values;
}

template <class R, class A>
R apply(Opcode op, DType operand, DType result, std::initializer_list<A> operands) {
  R out{};
  std::vector<A> in(operands);
  char* pointers[4];
  int64_t strides[4] = {};
  size_t k = 0;
  for (; k < in.size(); ++k) pointers[k] = reinterpret_cast<char*>(&in[k]);
  pointers[k] = reinterpret_cast<char*>(&out);
  const Loop loop = find_loop(op, operand, result);
  EXPECT_NE(loop, nullptr);
  loop(pointers, strides, 1);
  return out;
}

template <class T>
void expect_tree(DType type, ReduceOrder order, int lanes) {
  const std::vector<T> values = noise<T>(8192);
  const ReduceLoop loop = find_reduce_loop(ReduceKind::add, order, type);
  for (int64_t n : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200, 1000, 4097, 8191, 8192}) {
    T sum = 0;
    loop(reinterpret_cast<const char*>(values.data()), sizeof(T), n, reinterpret_cast<char*>(&sum));
    EXPECT_EQ(sum, tree_sum(values.data(), n, lanes)) << n;
    if (n > 4096) continue;
    std::vector<T> packed;
    for (int64_t i = 0; i < n; ++i) packed.push_back(values[2 * i]);
    loop(reinterpret_cast<const char*>(values.data()), 2 * sizeof(T), n, reinterpret_cast<char*>(&sum));
    EXPECT_EQ(sum, tree_sum(packed.data(), n, lanes)) << n << " strided";
  }
}

TEST(Loops, powers_have_the_bits_of_the_math_library_in_any_company) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double odd[] = {0.0,        -0.0,      1.0, -1.0, inf, -inf,  nan,  0x1p-1074,
                        -0x1p-1074, 0x1p-1022, 2.0, -3.0, 0.5, 1e300, 699.0};
  std::vector<double> x, y;
  for (double a : odd) {
    for (double b : odd) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> base(0.0, 100.0), exponent(-200.0, 200.0);
  for (int k = 0; k < 20'000; ++k) {
    x.push_back(base(random));
    y.push_back(exponent(random));
  }
  std::vector<double> r(x.size());
  char* pointers[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data()),
                      reinterpret_cast<char*>(r.data())};
  const int64_t strides[] = {8, 8, 8};
  find_loop(Opcode::pow, DType::float64, DType::float64)(pointers, strides, static_cast<int64_t>(x.size()));
  for (size_t k = 0; k < x.size(); ++k) {
    const double expected = math::pow(x[k], y[k]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(r[k])) << x[k] << " " << y[k];
    } else {
      EXPECT_EQ(std::bit_cast<uint64_t>(r[k]), std::bit_cast<uint64_t>(expected)) << x[k] << " " << y[k];
    }
  }
}

TEST(Loops, pairwise_sums_follow_the_tree_to_the_bit) {
  expect_tree<double>(DType::float64, ReduceOrder::pairwise, 8);
  expect_tree<float>(DType::float32, ReduceOrder::pairwise, 8);
  expect_tree<double>(DType::float64, ReduceOrder::pairwise_complex, 4);
  expect_tree<float>(DType::float32, ReduceOrder::pairwise_complex, 4);
}

TEST(Loops, extremes_propagate_nan_and_order_zeros) {
  const double nan = std::nan("");
  const auto both = [](Opcode op, double a, double b) {
    return apply<double, double>(op, DType::float64, DType::float64, {a, b});
  };
  EXPECT_TRUE(std::isnan(both(Opcode::min, nan, 1)));
  EXPECT_TRUE(std::isnan(both(Opcode::max, 1, nan)));
  EXPECT_EQ(both(Opcode::min_num, nan, 1), 1);
  EXPECT_TRUE(std::signbit(both(Opcode::min, 0.0, -0.0)));
  EXPECT_FALSE(std::signbit(both(Opcode::max, -0.0, 0.0)));
  std::vector<double> values(1000, 2.0);
  values[777] = nan;
  const ReduceLoop least = find_reduce_loop(ReduceKind::min, ReduceOrder::sequential, DType::float64);
  double result = 5;
  least(reinterpret_cast<const char*>(values.data()), 8, 1000, reinterpret_cast<char*>(&result));
  EXPECT_TRUE(std::isnan(result));
}

TEST(Loops, extremes_of_many_elements_settle_nans_and_zeros) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const auto combine = [](ReduceKind kind, std::vector<double> values) {
    double result = values[0];
    find_reduce_loop(kind, ReduceOrder::pairwise, DType::float64)(reinterpret_cast<const char*>(values.data()), 8,
                                                                  static_cast<int64_t>(values.size()),
                                                                  reinterpret_cast<char*>(&result));
    return result;
  };
  std::vector<double> zeros(500, 0.0), nans(500, nan), mixed(500, nan);
  zeros[123] = -0.0;
  mixed[321] = -inf;
  EXPECT_TRUE(std::signbit(combine(ReduceKind::min, zeros)));
  EXPECT_FALSE(std::signbit(combine(ReduceKind::max, zeros)));
  EXPECT_FALSE(std::signbit(combine(ReduceKind::min, std::vector<double>(500, 0.0))));
  EXPECT_TRUE(std::signbit(combine(ReduceKind::max, std::vector<double>(500, -0.0))));
  EXPECT_TRUE(std::isnan(combine(ReduceKind::max_num, nans)));
  EXPECT_EQ(combine(ReduceKind::max_num, mixed), -inf);
  EXPECT_EQ(combine(ReduceKind::min_num, mixed), -inf);
  EXPECT_TRUE(std::isnan(combine(ReduceKind::min, mixed)));
  EXPECT_EQ(combine(ReduceKind::min, std::vector<double>(500, inf)), inf);
}

TEST(Loops, integer_division_is_defined_everywhere) {
  const auto divide = [](Opcode op, int64_t a, int64_t b) {
    return apply<int64_t, int64_t>(op, DType::int64, DType::int64, {a, b});
  };
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(divide(Opcode::div, 7, 0), 0);
  EXPECT_EQ(divide(Opcode::floor_div, least, -1), least);
  EXPECT_EQ(divide(Opcode::floor_mod, least, -1), 0);
  EXPECT_EQ(divide(Opcode::floor_div, -7, 2), -4);
  EXPECT_EQ(divide(Opcode::floor_mod, -7, 2), 1);
  EXPECT_EQ(divide(Opcode::rem, -7, 2), -1);
}

template <class T>
void expect_division(DType type) {
  std::mt19937_64 random(3);
  std::vector<T> a(5000), b(5000), q(5000), m(5000);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(random());
    b[i] = static_cast<T>(static_cast<T>(random()) >> (random() % (8 * sizeof(T))));
  }
  a[0] = std::numeric_limits<T>::min();
  b[0] = static_cast<T>(-1);
  const auto run = [&](Opcode op, std::vector<T>& r) {
    char* pointers[] = {reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data()),
                        reinterpret_cast<char*>(r.data())};
    const int64_t strides[] = {sizeof(T), sizeof(T), sizeof(T)};
    find_loop(op, type, type)(pointers, strides, static_cast<int64_t>(a.size()));
  };
  run(Opcode::floor_div, q);
  run(Opcode::floor_mod, m);
  for (size_t i = 0; i < a.size(); ++i) {
    const __int128 x = a[i];
    const __int128 y = b[i];
    __int128 quotient = y == 0 ? 0 : x / y;
    if (y != 0 && x % y != 0 && (x < 0) != (y < 0)) --quotient;
    EXPECT_EQ(q[i], static_cast<T>(quotient));
    EXPECT_EQ(m[i], y == 0 ? T(0) : static_cast<T>(x - quotient * y));
  }
}

TEST(Loops, vectorised_integer_division_is_exact) {
  expect_division<int8_t>(DType::int8);
  expect_division<uint8_t>(DType::uint8);
  expect_division<int16_t>(DType::int16);
  expect_division<uint16_t>(DType::uint16);
  expect_division<int32_t>(DType::int32);
  expect_division<uint32_t>(DType::uint32);
  expect_division<int64_t>(DType::int64);
  expect_division<uint64_t>(DType::uint64);
}

TEST(Loops, halves_convert_both_ways_as_the_scalar_functions_do) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float wide = apply<float, uint16_t>(Opcode::cast, DType::float16, DType::float32, {static_cast<uint16_t>(h)});
    const float wanted = half_to_float(static_cast<uint16_t>(h));
    EXPECT_TRUE(wide == wanted || (std::isnan(wide) && std::isnan(wanted)));
  }
  std::mt19937 random(5);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t bits = static_cast<uint32_t>(random());
    float x;
    std::memcpy(&x, &bits, 4);
    const uint16_t half = apply<uint16_t, float>(Opcode::cast, DType::float32, DType::float16, {x});
    const uint16_t brain = apply<uint16_t, float>(Opcode::cast, DType::float32, DType::bfloat16, {x});
    if (std::isnan(x)) continue;
    EXPECT_EQ(half, float_to_half(x)) << x;
    EXPECT_EQ(brain, float_to_bfloat16(x)) << x;
    const double near = static_cast<double>(x) * (1 + 0x1p-40);
    EXPECT_EQ((apply<uint16_t, double>(Opcode::cast, DType::float64, DType::float16, {near})), double_to_half(near))
        << near;
  }
}

TEST(Loops, floats_out_of_range_cast_as_x86_does) {
  const auto cast = [](double x, DType to) { return apply<int64_t, double>(Opcode::cast, DType::float64, to, {x}); };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cast(1e300, DType::int64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(static_cast<int32_t>(cast(std::nan(""), DType::int32)), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(static_cast<uint8_t>(cast(300.7, DType::uint8)), 44);
  EXPECT_EQ(static_cast<uint8_t>(cast(-1.0, DType::uint8)), 255);
  EXPECT_EQ(static_cast<int16_t>(cast(inf, DType::int16)), 0);
  EXPECT_EQ(static_cast<uint32_t>(cast(-1.0, DType::uint32)), 0xFFFFFFFFu);
  EXPECT_EQ(static_cast<uint64_t>(cast(1.8e19, DType::uint64)), 18000000000000000000ull);
  EXPECT_EQ(static_cast<uint64_t>(cast(-2.0, DType::uint64)), 0xFFFFFFFFFFFFFFFEull);
  EXPECT_EQ(cast(-2147483648.5, DType::int32) & 0xFFFFFFFF, 0x80000000);
}

TEST(Loops, events_come_from_values) {
  const auto events = [](ErrorRule rule, double r, double a, double b) {
    return find_events(rule, DType::float64, DType::float64, reinterpret_cast<const char*>(&r), 8,
                       reinterpret_cast<const char*>(&a), 8, reinterpret_cast<const char*>(&b), 8, 1);
  };
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  EXPECT_EQ(events(ErrorRule::divide, inf, 1, 0), event_divide);
  EXPECT_EQ(events(ErrorRule::divide, nan, 0, 0), event_invalid);
  EXPECT_EQ(events(ErrorRule::divide, inf, inf, 0), 0);
  EXPECT_EQ(events(ErrorRule::divide, nan, nan, 0), 0);
  EXPECT_EQ(events(ErrorRule::divide, inf, 1e300, 1e-300), event_overflow);
  EXPECT_EQ(events(ErrorRule::arithmetic, nan, inf, -inf), event_invalid);
  EXPECT_EQ(events(ErrorRule::power, inf, 0, -1), event_divide);
  EXPECT_EQ(events(ErrorRule::arithmetic, 3, 1, 2), 0);
  int32_t quotients[] = {0, 1}, dividends[] = {1, 1}, divisors[] = {0, 1};
  EXPECT_EQ(find_events(ErrorRule::integer_divide, DType::int32, DType::int32, reinterpret_cast<char*>(quotients), 4,
                        reinterpret_cast<char*>(dividends), 4, reinterpret_cast<char*>(divisors), 4, 2),
            event_divide);
}

}  // namespace
}  // namespace tessera::ir
