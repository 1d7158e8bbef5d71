#include "tessera/ir/builder.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>

#include "tessera/ir/run_kernel.h"

namespace tessera::ir {
namespace {

using C = std::complex<double>;
constexpr DType c128 = DType::complex128;

/// The text of a kernel's instructions, without the header.
std::string body_of(Kernel kernel) {
  const std::string text = print(kernel);
  const size_t start = text.find("  %");
  return start == std::string::npos ? "" : text.substr(start, text.size() - start - 2);
}

TEST(Builder, folds_constants_and_drops_what_nothing_uses) {
  Builder b(1);
  const uint32_t z = b.add_buffer({.dtype = i64, .ndim = 1, .readable = false, .writable = true});
  const Value five = b.add(b.constant(i64, 2), b.constant(i64, 3));
  b.mul(b.index(0), b.index(0));
  b.store(z, b.mul(five, b.add(b.index(0), b.constant(i64, 0))), std::array{b.index(0)});
  EXPECT_EQ(body_of(b.take()),
            "  %0 = constant.int64 5\n  %1 = index.int64 @0\n  %2 = mul.int64 %0 %1\n  store.int64 @0 %2 %1\n");
}

TEST(Builder, keeps_float_identities_that_change_bits) {
  Builder b(1);
  const Value x = b.scalar(b.add_scalar(f64));
  EXPECT_EQ(b.mul(x, b.constant(f64, 1)), x);
  EXPECT_EQ(b.sub(x, b.constant(f64, 0)), x);
  EXPECT_EQ(b.neg(b.neg(x)), x);
  EXPECT_NE(b.add(x, b.constant(f64, 0)), x);
  EXPECT_NE(b.mul(x, b.constant(f64, 0)), b.constant(f64, 0));
}

TEST(Builder, shares_equal_values_where_they_are_visible) {
  Builder b(1);
  const Value x = b.scalar(b.add_scalar(f64));
  EXPECT_EQ(b.exp(x), b.exp(x));
  Value inside = no_value;
  const Value yes = b.lt(b.index(0), b.extent(0));
  b.if_(yes,
        [&](auto) {
          inside = b.log(x);
          return std::vector<Value>{};
        },
        {});
  EXPECT_NE(b.log(x), inside);
}

TEST(Builder, equal_programs_hash_equal_whatever_their_names) {
  const auto make = [](std::string name, double factor) {
    Builder b(1, std::move(name));
    const uint32_t z = b.add_buffer({.dtype = f64, .ndim = 1, .writable = true});
    b.store(z, b.mul(b.load(z, std::array{b.index(0)}), b.constant(f64, factor)), std::array{b.index(0)});
    return b.take();
  };
  EXPECT_TRUE(make("one", 2) == make("two", 2));
  EXPECT_EQ(structural_hash(make("one", 2)), structural_hash(make("two", 2)));
  EXPECT_FALSE(make("one", 2) == make("one", 3));
  EXPECT_NE(structural_hash(make("one", 2)), structural_hash(make("one", 3)));
}

std::vector<C> apply_to(Opcode op, const std::vector<C>& values) {
  Builder b(1);
  const uint32_t x = b.add_buffer({.dtype = c128, .ndim = 1}),
                 z = b.add_buffer({.dtype = c128, .ndim = 1, .readable = false, .writable = true});
  b.store(z, b.unary(op, b.load(x, std::array{b.index(0)})), std::array{b.index(0)});
  const int64_t n = static_cast<int64_t>(values.size());
  TestArray in = TestArray::of(c128, {n}, values), out = TestArray::zeros(c128, {n});
  run_kernel(b.take(), {n}, {&in, &out});
  return out.values<C>();
}

struct Function {
  Opcode op;
  C (*reference)(const C&);
};
const Function functions[] = {
    {Opcode::sqrt, std::sqrt}, {Opcode::exp, std::exp},     {Opcode::log, std::log},     {Opcode::log10, std::log10},
    {Opcode::sin, std::sin},   {Opcode::cos, std::cos},     {Opcode::tan, std::tan},     {Opcode::sinh, std::sinh},
    {Opcode::cosh, std::cosh}, {Opcode::tanh, std::tanh},   {Opcode::asin, std::asin},   {Opcode::acos, std::acos},
    {Opcode::atan, std::atan}, {Opcode::asinh, std::asinh}, {Opcode::acosh, std::acosh}, {Opcode::atanh, std::atanh}};

TEST(Builder, complex_functions_agree_with_the_c_library) {
  std::vector<C> values;
  for (double x : {-30.0, -3.0, -1.0, -0.75, -1e-3, 0.0, 1e-9, 0.3, 0.999, 1.0, 2.5, 20.0}) {
    for (double y : {-40.0, -1.5, -1.0, -1e-8, 0.0, 0.2, 0.7, 1.0, 3.0, 25.0}) values.push_back({x, y});
  }
  for (const Function& f : functions) {
    const std::vector<C> results = apply_to(f.op, values);
    for (size_t k = 0; k < values.size(); ++k) {
      const C wanted = f.reference(values[k]);
      if (!std::isfinite(wanted.real()) || !std::isfinite(wanted.imag())) continue;
      EXPECT_LE(std::abs(results[k] - wanted), 4e-15 * std::max(std::abs(wanted), 1e-12))
          << name(f.op) << values[k] << results[k] << wanted;
    }
  }
}

bool same_class(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-14 * std::abs(b) && (a != 0 || std::signbit(a) == std::signbit(b));
}

TEST(Builder, complex_functions_have_the_special_values_of_c99) {
  const double inf = INFINITY, nan = NAN;
  const std::vector<C> values{{inf, 0},  {-inf, 0}, {inf, inf}, {-inf, inf}, {inf, 1},
                              {-inf, 1}, {1, inf},  {nan, 0},   {0.0, 0.0},  {-0.0, 0.0}};
  for (const Function& f : functions) {
    const std::vector<C> results = apply_to(f.op, values);
    for (size_t k = 0; k < values.size(); ++k) {
      const C wanted = f.reference(values[k]);
      // Where C99 leaves a sign open, libraries differ; only NaN parts and magnitudes are compared.
      const auto matches = [](double a, double b) { return same_class(std::abs(a), std::abs(b)) || same_class(a, b); };
      EXPECT_TRUE(matches(results[k].real(), wanted.real()) && matches(results[k].imag(), wanted.imag()))
          << name(f.op) << values[k] << " gives " << results[k] << ", wanted " << wanted;
    }
  }
}

TEST(Builder, half_arithmetic_rounds_once_per_operation) {
  Builder b(1);
  const DType f16 = DType::float16;
  const uint32_t x = b.add_buffer({.dtype = f16, .ndim = 1}),
                 z = b.add_buffer({.dtype = f16, .ndim = 1, .readable = false, .writable = true});
  const Value v = b.load(x, std::array{b.index(0)});
  b.store(z, b.mul(b.add(v, v), b.constant(f16, 3)), std::array{b.index(0)});
  std::vector<uint16_t> values;
  for (uint32_t h = 0; h < 0x7C00; h += 7) values.push_back(static_cast<uint16_t>(h));
  const int64_t n = static_cast<int64_t>(values.size());
  TestArray in = TestArray::of(f16, {n}, values), out = TestArray::zeros(f16, {n});
  run_kernel(b.take(), {n}, {&in, &out});
  for (int64_t i = 0; i < n; ++i) {
    const float twice = half_to_float(float_to_half(2 * half_to_float(values[i])));
    ASSERT_EQ(out.values<uint16_t>()[i], float_to_half(twice * 3)) << values[i];
  }
}

}  // namespace
}  // namespace tessera::ir
