#include "tessera/ir/math/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "tessera/ir/math/accuracy.h"
#include "tessera/ir/math/reference.h"

namespace tessera::math {
namespace {

template <Real T>
void expect_within_bounds(int64_t samples) {
  const DType type = sizeof(T) == 8 ? DType::float64 : DType::float32;
  for (const Reference& r : references) {
    const double bound = max_ulp(r.op, type);
    int failures = 0;
    const auto visit = [&](T x) {
      const double error = ulp_error(r, x);
      if (error <= bound || ++failures > 3) return;
      ADD_FAILURE() << ir::name(r.op) << "(" << x << ") is off by " << error << " units, not " << bound;
    };
    visit_hard_cases<T>(visit);
    visit_samples<T>(r, samples, 7, visit);
  }
}

TEST(Math, doubles_stay_within_their_error_bounds) { expect_within_bounds<double>(4000); }
TEST(Math, floats_stay_within_their_error_bounds) { expect_within_bounds<float>(4000); }

/// Tests all floats with TESSERA_MATH_STRIDE=1, which takes minutes; the reference is double, which is tested above.
TEST(Math, floats_over_the_whole_range_agree_with_doubles) {
  const char* chosen = std::getenv("TESSERA_MATH_STRIDE");
  const int64_t stride = chosen ? std::atoll(chosen) : 65521;
  for (const Reference& r : references) {
    const double bound = max_ulp(r.op, DType::float32);
    int failures = 0;
    for (int64_t b = 0; b < int64_t{1} << 32; b += stride) {
      const float x = from_bits(static_cast<uint32_t>(b));
      const double error = ulp_error(r.f32(x), static_cast<long double>(r.f64(x)), error_floor(r, x));
      if (error > bound && ++failures <= 3) {
        ADD_FAILURE() << ir::name(r.op) << "(" << x << ") is off by " << error << " units, not " << bound;
      }
    }
  }
}

const double specials[] = {0.0,   1.0,   2.0,  3.0,    0.5,    1.5,        2.5,    0x1p-1074, 0x1p-1022, 1e-200,
                           1e200, 1e308, 1e17, 0x1p53, 0x1p52, 0x1p53 - 1, 1024.0, 1074.0,    INFINITY,  NAN};

template <class F>
void for_special_pairs(F f) {
  for (double a : specials) {
    for (double b : specials) {
      for (double x : {a, -a}) {
        for (double y : {b, -b}) f(x, y);
      }
    }
  }
}

template <Real T>
bool same(T x, T y) {
  return bits(x) == bits(y) || (is_nan(x) && is_nan(y));
}

template <Real T>
void expect_machine_division(T x, T y) {
  EXPECT_TRUE(same(written_div(x, y), x / y))
      << std::hexfloat << x << " / " << y << " is " << x / y << ", not " << written_div(x, y);
  EXPECT_TRUE(same(written_sqrt(x), std::sqrt(x)))
      << std::hexfloat << "the root of " << x << " is " << std::sqrt(x) << ", not " << written_sqrt(x);
}

TEST(Math, divisions_and_roots_written_out_are_the_machines) {
  for_special_pairs([](double x, double y) {
    expect_machine_division(x, y);
    expect_machine_division(static_cast<float>(x), static_cast<float>(y));
  });
  std::mt19937_64 random(7);
  for (int k = 0; k < 400'000; ++k) {
    const uint64_t a = random(), b = random();
    expect_machine_division(from_bits(a), from_bits(b));
    expect_machine_division(from_bits(static_cast<uint32_t>(a)), from_bits(static_cast<uint32_t>(b)));
    // Quotients and roots near numbers and near midpoints between two, quotients near both limits of the range.
    const double x = from_bits((a & fraction_bits) | bits(1.0)), y = from_bits((b & fraction_bits) | bits(1.0));
    expect_machine_division(x * y, y);
    expect_machine_division(x * x, x);
    expect_machine_division(from_bits(bits(x * x) + 1), x);
    expect_machine_division(x * 0x1p-1000, y * from_bits((b >> 58 << 52) + bits(1.0)));
    expect_machine_division(x * 0x1p1000, y * 0x1p-23);
    expect_machine_division(from_bits(a >> 12), y);
    expect_machine_division(from_bits(a >> (12 + b % 50)), from_bits(b >> (12 + a % 50)));
    expect_machine_division(from_bits(bits(1.0) + (a & 7)), from_bits(bits(2.0) - (b & 7)));
    expect_machine_division(from_bits(bits(2.0) - (a & 7)), from_bits(bits(1.0) + (b & 7)));
    if (testing::Test::HasFailure()) return;
  }
}

void expect_same(const char* name, double x, double y, double got, double want, double tolerance) {
  if (std::isnan(want) || std::isinf(want) || want == 0) {
    EXPECT_TRUE((std::isnan(got) && std::isnan(want)) || (got == want && std::signbit(got) == std::signbit(want)))
        << name << "(" << x << ", " << y << ") is " << got << ", not " << want;
  } else {
    EXPECT_LE(std::fabs(got - want), tolerance * std::fabs(want)) << name << "(" << x << ", " << y << ")";
  }
}

TEST(Math, pairs_of_special_values_follow_the_c_standard) {
  for_special_pairs([](double x, double y) {
    expect_same("pow", x, y, pow(x, y), std::pow(x, y), 0x1p-52);
    expect_same("hypot", x, y, hypot(x, y), std::hypot(x, y), 0x1p-52);
    expect_same("atan2", x, y, atan2(x, y), std::atan2(x, y), 0x1p-52);
    expect_same("fmod", x, y, fmod(x, y), std::fmod(x, y), 0);
    const float a = static_cast<float>(x), b = static_cast<float>(y);
    expect_same("powf", a, b, pow(a, b), std::pow(a, b), 0x1p-23);
    expect_same("hypotf", a, b, hypot(a, b), std::hypot(a, b), 0x1p-23);
    expect_same("atan2f", a, b, atan2(a, b), std::atan2(a, b), 0x1p-23);
    expect_same("fmodf", a, b, fmod(a, b), std::fmod(a, b), 0);
    expect_same("next_after", x, y, next_after(x, y), std::nextafter(x, y), 0);
    expect_same("next_afterf", a, b, next_after(a, b), std::nextafter(a, b), 0);
  });
}

TEST(Math, powers_are_within_their_error_bound) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-300, 300), mantissa(1, 2);
  for (int i = 0; i < 40000; ++i) {
    const double x = std::ldexp(mantissa(random), static_cast<int>(random() % 8) - 4), y = exponent(random);
    EXPECT_LE(ulp_error(pow(x, y), powl(x, y)), max_ulp(ir::Opcode::pow, DType::float64)) << x << " " << y;
    const float a = static_cast<float>(x), b = static_cast<float>(y);
    EXPECT_LE(ulp_error(pow(a, b), powl(a, b)), max_ulp(ir::Opcode::pow, DType::float32)) << a << " " << b;
  }
}

TEST(Math, remainders_are_exact_over_the_whole_range) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::bit_cast<double>(random()), y = std::bit_cast<double>(random());
    expect_same("fmod", x, y, fmod(x, y), std::fmod(x, y), 0);
    const float a = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const float b = std::bit_cast<float>(static_cast<uint32_t>(random()));
    expect_same("fmodf", a, b, fmod(a, b), std::fmod(a, b), 0);
  }
}

template <class T>
void expect_quick_division(T x, T y) {
  if (!divide_quickly(x, y).is_right) return;
  const QuotientRemainder<T> whole = floor_divide_remainder(x, y);
  EXPECT_EQ(bits(quick_floor_div(x, y)), bits(whole.quotient)) << x << " " << y;
  EXPECT_EQ(bits(quick_floor_mod(x, y)), bits(whole.remainder)) << x << " " << y;
  EXPECT_EQ(bits(quick_rem(x, y)), bits(std::fmod(x, y))) << x << " " << y;
}

void expect_quick_divisions(double x, double y) {
  expect_quick_division(x, y);
  expect_quick_division(static_cast<float>(x), static_cast<float>(y));
}

TEST(Math, quick_divisions_have_the_bits_of_all_the_steps_where_they_are_right) {
  for_special_pairs(expect_quick_divisions);
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> exponent(-60, 60);
  for (int i = 0; i < 300000; ++i) {
    const double x = std::exp2(exponent(random)), y = std::exp2(exponent(random));
    const double signs[] = {i & 1 ? -1.0 : 1.0, i & 2 ? -1.0 : 1.0};
    expect_quick_divisions(signs[0] * x, signs[1] * y);
    expect_quick_divisions(signs[0] * std::rint(x), signs[1] * std::rint(y));
    const double multiple =
        signs[0] * std::rint(std::exp2(std::fabs(exponent(random)) * 0.8)) * y;  // quotients close to integers
    for (const double beside : {multiple, std::nextafter(multiple, 0.0), std::nextafter(multiple, 2 * multiple)})
      expect_quick_divisions(beside, signs[1] * y);
    expect_quick_divisions(std::bit_cast<double>(random()), std::bit_cast<double>(random()));
    const float drawn = std::bit_cast<float>(static_cast<uint32_t>(random())), near = static_cast<float>(multiple);
    for (const float beside : {near, std::nextafter(near, 0.0f), std::nextafter(near, 2 * near), drawn})
      expect_quick_division(beside, static_cast<float>(signs[1] * y));
  }
}

TEST(Math, floor_division_rounds_down_and_takes_the_divisors_sign) {
  EXPECT_EQ(floor_div(7.0, 2.0), 3.0);
  EXPECT_EQ(floor_div(-7.0, 2.0), -4.0);
  EXPECT_EQ(floor_mod(-7.0, 2.0), 1.0);
  EXPECT_EQ(floor_mod(7.0, -2.0), -1.0);
  EXPECT_EQ(floor_div(1.0, 0.1), 9.0);
  EXPECT_EQ(floor_div(1.0, 0.0), INFINITY);
  EXPECT_TRUE(std::isnan(floor_mod(1.0, 0.0)));
  EXPECT_TRUE(std::signbit(floor_mod(-4.0, -2.0)));
  EXPECT_EQ(floor_mod(1.0, -infinity), -infinity);
}

template <class T>
void expect_exact_division(T a, T b) {
  T q = 0, r = 0;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
    q = static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
  } else if (b != 0) {
    q = static_cast<T>(a / b);
    r = static_cast<T>(a % b);
  }
  const bool down = r != 0 && (r < 0) != (b < 0);
  for (bool same : {integer_div<true>(a, b) == q, integer_rem<true>(a, b) == r, integer_div<false>(a, b) == q,
                    integer_floor_div<true>(a, b) == static_cast<T>(q - down),
                    integer_floor_mod<true>(a, b) == static_cast<T>(down ? r + b : r)})
    EXPECT_TRUE(same) << +a << " / " << +b;
}

template <class T>
void expect_exact_divisions() {
  std::mt19937_64 random(9);
  const auto any = [&] { return static_cast<T>(random() >> (random() % 64)); };
  std::vector<T> hard;
  for (size_t k = 0; k < 8 * sizeof(T); ++k) {
    for (int step = -2; step <= 2; ++step) {
      hard.push_back(static_cast<T>((uint64_t{1} << k) + static_cast<uint64_t>(step)));
      hard.push_back(static_cast<T>(uint64_t{0} - static_cast<uint64_t>(hard.back())));
    }
  }
  for (T a : hard)
    for (T b : hard) expect_exact_division(a, b);
  for (int i = 0; i < 100000; ++i) {
    const T b = any(), multiple = static_cast<T>(static_cast<uint64_t>(b) * static_cast<uint64_t>(any()));
    expect_exact_division(any(), b);
    expect_exact_division(multiple, b);
    expect_exact_division(static_cast<T>(static_cast<uint64_t>(multiple) - 1), b);
  }
}

TEST(Math, integers_divide_exactly_by_floats) {
  expect_exact_divisions<int8_t>();
  expect_exact_divisions<uint8_t>();
  expect_exact_divisions<int16_t>();
  expect_exact_divisions<uint16_t>();
  expect_exact_divisions<int32_t>();
  expect_exact_divisions<uint32_t>();
  expect_exact_divisions<int64_t>();
  expect_exact_divisions<uint64_t>();
}

TEST(Math, scaling_splits_and_joins_every_float) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (std::isnan(x)) continue;
    int e = 0;
    const double m = std::frexp(x, &e);
    EXPECT_EQ(frexp_mantissa(x), m);
    EXPECT_EQ(frexp_exponent(x), std::isinf(x) ? 0 : e);
    const int k = static_cast<int>(random() % 4400) - 2200;
    EXPECT_EQ(ldexp(x, k), std::ldexp(x, k)) << x << " " << k;
    EXPECT_EQ(ldexp(static_cast<float>(x), k / 8), std::ldexp(static_cast<float>(x), k / 8));
  }
}

TEST(Math, minima_and_maxima_order_zeros_and_pass_nan) {
  EXPECT_TRUE(std::signbit(min(0.0, -0.0)) && std::signbit(min(-0.0, 0.0)));
  EXPECT_FALSE(std::signbit(max(0.0, -0.0)) || std::signbit(max(-0.0, 0.0)));
  EXPECT_TRUE(std::isnan(min(1.0, quiet_nan)) && std::isnan(max(quiet_nan, 1.0)));
  EXPECT_EQ(min_num(1.0, quiet_nan), 1.0);
  EXPECT_EQ(max_num(quiet_nan, 1.0), 1.0);
}

}  // namespace
}  // namespace tessera::math
