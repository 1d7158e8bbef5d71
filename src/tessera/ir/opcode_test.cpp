#include "tessera/ir/opcode.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "tessera/ir/builder.h"
#include "tessera/ir/run_kernel.h"

namespace tessera::ir {
namespace {

/// A kernel that applies op to whole arrays through the interpreter.
Kernel kernel_of(Opcode op, DType t, int operands) {
  Builder b(1);
  std::vector<uint32_t> in;
  for (int k = 0; k < operands; ++k) in.push_back(b.add_buffer({.dtype = t, .ndim = 1}));
  const std::array types{t, t};
  const uint32_t z = b.add_buffer({.dtype = result_type(op, {types.data(), static_cast<size_t>(operands)}),
                                   .ndim = 1,
                                   .readable = false,
                                   .writable = true});
  const std::array at{b.index(0)};
  const Value x = b.load(in[0], at);
  b.store(z, operands == 2 ? b.binary(op, x, b.load(in[1], at)) : b.unary(op, x), at);
  return b.take();
}

using Wide = __int128;

/// The integer rules of kernel.h, in arithmetic wide enough never to wrap; `bits` is the width of the type.
std::optional<Wide> integer_rule(Opcode op, Wide a, Wide b, int bits, bool is_signed) {
  const Wide floor_quotient = b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
  const Wide unsigned_count = b < 0 ? bits : b;
  switch (op) {
    case Opcode::add: return a + b;
    case Opcode::sub: return a - b;
    case Opcode::mul: return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    case Opcode::div: return b == 0 ? 0 : a / b;
    case Opcode::floor_div: return floor_quotient;
    case Opcode::rem: return b == 0 ? 0 : a % b;
    case Opcode::floor_mod: return b == 0 ? 0 : a - floor_quotient * b;
    case Opcode::min:
    case Opcode::min_num: return a < b ? a : b;
    case Opcode::max:
    case Opcode::max_num: return a > b ? a : b;
    case Opcode::bit_and: return a & b;
    case Opcode::bit_or: return a | b;
    case Opcode::bit_xor: return a ^ b;
    case Opcode::shift_left:
      return unsigned_count >= bits
                 ? 0
                 : static_cast<Wide>(static_cast<unsigned __int128>(a) << static_cast<int>(unsigned_count));
    case Opcode::shift_right: return unsigned_count >= bits ? (a < 0 ? -1 : 0) : a >> static_cast<int>(unsigned_count);
    case Opcode::gcd: {
      Wide x = a < 0 ? -a : a, y = b < 0 ? -b : b;
      while (y) x = std::exchange(y, x % y);
      return x;
    }
    case Opcode::lcm: {
      const Wide g = *integer_rule(Opcode::gcd, a, b, bits, is_signed);
      return g == 0 ? 0 : integer_rule(Opcode::mul, (a < 0 ? -a : a) / g, b < 0 ? -b : b, bits, is_signed);
    }
    case Opcode::pow: {
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
      unsigned __int128 result = 1;
      for (Wide k = 0; k < b && k < 4096; ++k) result *= static_cast<unsigned __int128>(a);
      return b < 4096 ? std::optional<Wide>(static_cast<Wide>(result)) : std::nullopt;
    }
    case Opcode::neg: return -a;
    case Opcode::abs: return a < 0 ? -a : a;
    case Opcode::sign: return (a > 0) - (a < 0);
    case Opcode::bit_not: return ~a;
    case Opcode::popcount: return std::popcount(static_cast<uint64_t>(a) << (64 - bits));
    case Opcode::leading_zeros: {
      Wide count = 0;
      while (count < bits && !(static_cast<uint64_t>(a) >> (bits - 1 - count) & 1)) ++count;
      return count;
    }
    case Opcode::reverse_bits: {
      uint64_t reversed = 0;
      for (int k = 0; k < bits; ++k) reversed |= (static_cast<uint64_t>(a) >> k & 1) << (bits - 1 - k);
      return static_cast<Wide>(reversed);
    }
    case Opcode::mul_high:
      return is_signed
                 ? (a * b) >> bits
                 : static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) >> bits);
    case Opcode::eq: return a == b;
    case Opcode::ne: return a != b;
    case Opcode::lt: return a < b;
    case Opcode::le: return a <= b;
    case Opcode::gt: return a > b;
    case Opcode::ge: return a >= b;
    default: return std::nullopt;
  }
}

template <class T>
void expect_integer_rules(DType t) {
  std::mt19937_64 random(17);
  std::vector<T> a(700), b(700);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(i % 3 ? random() : random() % 20);
    b[i] = static_cast<T>(i % 2 ? random() : random() % 9);
  }
  a[0] = std::numeric_limits<T>::min();
  b[0] = static_cast<T>(-1);
  b[1] = 0;
  for (int k = 0; k < opcode_count; ++k) {
    const Opcode op = static_cast<Opcode>(k);
    if (!accepts(op, t)) continue;
    const int operands = info(op).operands;
    const int64_t n = static_cast<int64_t>(a.size());
    TestArray x = TestArray::of(t, {n}, a), y = TestArray::of(t, {n}, b);
    const Kernel kernel = kernel_of(op, t, operands);
    TestArray z = TestArray::zeros(kernel.buffers.back().dtype, {n});
    std::vector<TestArray*> buffers{&x};
    if (operands == 2) buffers.push_back(&y);
    buffers.push_back(&z);
    run_kernel(kernel, {n}, buffers);
    for (int64_t i = 0; i < n; ++i) {
      const auto wanted = integer_rule(op, a[i], b[i], 8 * sizeof(T), std::is_signed_v<T>);
      if (!wanted) continue;
      const int64_t size = itemsize(z.dtype);
      const uint64_t expected = static_cast<uint64_t>(*wanted);
      EXPECT_EQ(std::memcmp(z.bytes.data() + i * size, &expected, size), 0)
          << name(op) << " " << tessera::name(t) << " " << +a[i] << " " << +b[i];
    }
  }
}

TEST(Opcodes, integers_follow_the_rules_of_the_ir) {
  expect_integer_rules<int8_t>(DType::int8);
  expect_integer_rules<uint8_t>(DType::uint8);
  expect_integer_rules<int16_t>(DType::int16);
  expect_integer_rules<uint16_t>(DType::uint16);
  expect_integer_rules<int32_t>(DType::int32);
  expect_integer_rules<uint32_t>(DType::uint32);
  expect_integer_rules<int64_t>(DType::int64);
  expect_integer_rules<uint64_t>(DType::uint64);
}

/// The reference result of op on floats, by the C library in long double.
std::optional<long double> float_rule(Opcode op, long double a, long double b) {
  switch (op) {
    case Opcode::add: return a + b;
    case Opcode::sub: return a - b;
    case Opcode::mul: return a * b;
    case Opcode::div: return a / b;
    case Opcode::rem: return std::fmod(a, b);
    case Opcode::floor_mod: {
      const long double r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : std::copysign(r, r == 0 ? b : r);
    }
    case Opcode::floor_div: return std::floor((a - *float_rule(Opcode::floor_mod, a, b)) / b + 0.25L);
    case Opcode::pow: return std::pow(a, b);
    case Opcode::min:
    case Opcode::min_num: return std::fmin(a, b);
    case Opcode::max:
    case Opcode::max_num: return std::fmax(a, b);
    case Opcode::atan2: return std::atan2(a, b);
    case Opcode::hypot: return std::hypot(a, b);
    case Opcode::copysign: return std::copysign(a, b);
    case Opcode::neg: return -a;
    case Opcode::abs: return std::fabs(a);
    case Opcode::sign: return (a > 0) - (a < 0);
    case Opcode::sqrt: return std::sqrt(a);
    case Opcode::cbrt: return std::cbrt(a);
    case Opcode::exp: return std::exp(a);
    case Opcode::exp2: return std::exp2(a);
    case Opcode::expm1: return std::expm1(a);
    case Opcode::log: return std::log(a);
    case Opcode::log2: return std::log2(a);
    case Opcode::log10: return std::log10(a);
    case Opcode::log1p: return std::log1p(a);
    case Opcode::sin: return std::sin(a);
    case Opcode::cos: return std::cos(a);
    case Opcode::tan: return std::tan(a);
    case Opcode::asin: return std::asin(a);
    case Opcode::acos: return std::acos(a);
    case Opcode::atan: return std::atan(a);
    case Opcode::sinh: return std::sinh(a);
    case Opcode::cosh: return std::cosh(a);
    case Opcode::tanh: return std::tanh(a);
    case Opcode::asinh: return std::asinh(a);
    case Opcode::acosh: return std::acosh(a);
    case Opcode::atanh: return std::atanh(a);
    case Opcode::erf: return std::erf(a);
    case Opcode::erfc: return std::erfc(a);
    case Opcode::tgamma: return std::tgamma(a);
    case Opcode::lgamma: return std::lgamma(a);
    case Opcode::floor: return std::floor(a);
    case Opcode::ceil: return std::ceil(a);
    case Opcode::trunc: return std::trunc(a);
    case Opcode::rint: return std::rint(a);
    case Opcode::guess_reciprocal: return 1 / a;
    default: return std::nullopt;
  }
}

template <class T>
void expect_float_rules(DType t) {
  std::mt19937_64 random(19);
  std::uniform_real_distribution<double> spread(-6, 6);
  std::vector<T> a(600), b(600);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(i % 3 ? spread(random) : spread(random) / 6);
    b[i] = static_cast<T>(spread(random));
  }
  const int64_t n = static_cast<int64_t>(a.size());
  for (int k = 0; k < opcode_count; ++k) {
    const Opcode op = static_cast<Opcode>(k);
    if (!accepts(op, t) || !float_rule(op, 1, 1)) continue;
    const int operands = info(op).operands;
    TestArray x = TestArray::of(t, {n}, a), y = TestArray::of(t, {n}, b), z = TestArray::zeros(t, {n});
    std::vector<TestArray*> buffers{&x};
    if (operands == 2) buffers.push_back(&y);
    buffers.push_back(&z);
    run_kernel(kernel_of(op, t, operands), {n}, buffers);
    const std::vector<T> got = z.values<T>();
    for (int64_t i = 0; i < n; ++i) {
      const T wanted = static_cast<T>(*float_rule(op, a[i], b[i]));
      if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(got[i])) << name(op) << " " << a[i] << " " << b[i];
      } else {
        const T ulp = std::nextafter(std::fabs(wanted), std::numeric_limits<T>::infinity()) - std::fabs(wanted);
        // Gamma near its poles and lgamma near its zeros are less accurate than elsewhere.
        const T allowed =
            op == Opcode::tgamma || op == Opcode::lgamma ? 32 * ulp + 4 * std::numeric_limits<T>::epsilon() : 3 * ulp;
        EXPECT_LE(std::fabs(got[i] - wanted), allowed) << name(op) << " " << a[i] << " " << b[i] << " gives " << got[i];
      }
    }
  }
}

TEST(Opcodes, floats_agree_with_the_c_library) {
  expect_float_rules<double>(DType::float64);
  expect_float_rules<float>(DType::float32);
}

TEST(Opcodes, names_lead_back_to_opcodes) {
  for (int k = 0; k < opcode_count; ++k)
    EXPECT_EQ(opcode_from_name(name(static_cast<Opcode>(k))), static_cast<Opcode>(k));
  EXPECT_EQ(opcode_from_name("nothing"), std::nullopt);
}

TEST(Opcodes, meeting_points_are_neither_pure_nor_arithmetic) {
  using enum Opcode;
  const std::pair<Opcode, int> operands[] = {{barrier, 0}, {barrier_count, 1}, {warp_barrier, -1},
                                             {ballot, -1}, {match_byte, 1},    {match_any, 2},
                                             {shuffle, 3}, {active_mask, 0},   {fence, 0}};
  for (const auto& [op, count] : operands) {
    EXPECT_EQ(info(op).operands, count) << name(op);
    EXPECT_EQ(info(op).form, OpcodeForm::control) << name(op);
    EXPECT_FALSE(is_pure(op)) << name(op);
    for (const DType t : {DType::uint32, DType::int64, DType::float64}) EXPECT_FALSE(accepts(op, t)) << name(op);
  }
}

}  // namespace
}  // namespace tessera::ir
