#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tessera/base/error.h"
#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/ir/loops.h"

namespace tessera::codegen {
namespace {

using ir::Opcode;
using ir::Value;

constexpr DType real_types[] = {DType::boolean, DType::int8,    DType::uint8,  DType::int16,
                                DType::uint16,  DType::int32,   DType::uint32, DType::int64,
                                DType::uint64,  DType::float32, DType::float64};

/// Values at which arithmetic is most likely to fail, then random values of every magnitude.
std::vector<Scalar> hard_values(DType dtype) {
  std::vector<Scalar> values;
  if (is_boolean(dtype)) return {Scalar::of_bool(false), Scalar::of_bool(true)};
  std::mt19937_64 random(static_cast<uint64_t>(dtype));
  if (is_integer(dtype)) {
    for (int64_t v : {0, 1, -1, 2, -2, 3, 5, 7, -7, 31, 32, 33, 63, 64, 127, -128, 255})
      values.push_back(Scalar::of_int(dtype, v));
    for (int64_t v : {INT64_MIN, INT64_MAX, INT64_MIN + 1})
      values.push_back(Scalar::of_int(dtype, v >> (64 - 8 * itemsize(dtype))));
    for (int k = 0; k < 12; ++k)
      values.push_back(Scalar::of_int(dtype, static_cast<int64_t>(random() >> (random() % 64))));
    return values;
  }
  const double inf = std::numeric_limits<double>::infinity();
  for (double v : {0.0,
                   -0.0,
                   1.0,
                   -1.0,
                   0.5,
                   -0.5,
                   1.5,
                   2.5,
                   -2.5,
                   3.0,
                   7.0,
                   -7.0,
                   0.1,
                   1e-3,
                   1e10,
                   -1e10,
                   1e30,
                   1e-30,
                   inf,
                   -inf,
                   std::nan(""),
                   65504.0,
                   65520.0,
                   127.0,
                   128.0,
                   255.0,
                   256.0,
                   -129.0,
                   2147483647.0,
                   2147483648.0,
                   -2147483649.0,
                   4294967296.0,
                   9.2e18,
                   9223372036854775808.0,
                   -9223372036854775808.0,
                   1.8e19,
                   18446744073709551616.0})
    values.push_back(Scalar::of_float(dtype, v));
  const double tiny = dtype == DType::float32 ? 0x1p-149 : 0x1p-1074;
  for (double v : {tiny, -tiny, 3 * tiny}) values.push_back(Scalar::of_float(dtype, v));
  std::normal_distribution<double> normal;
  for (int k = 0; k < 12; ++k) values.push_back(Scalar::of_float(dtype, normal(random) * std::exp(normal(random) * 4)));
  return values;
}

std::vector<char> bytes_of(const std::vector<Scalar>& values) {
  std::vector<char> bytes;
  for (const Scalar& v : values) bytes.insert(bytes.end(), v.bytes, v.bytes + itemsize(v.dtype));
  return bytes;
}

bool is_nan_at(DType dtype, const char* p) {
  if (dtype == DType::float32) {
    float x;
    std::memcpy(&x, p, 4);
    return x != x;
  }
  if (dtype == DType::float64) {
    double x;
    std::memcpy(&x, p, 8);
    return x != x;
  }
  uint16_t bits;
  if (dtype != DType::float16 && dtype != DType::bfloat16) return false;
  std::memcpy(&bits, p, 2);
  return (bits & 0x7fff) > (dtype == DType::float16 ? 0x7c00 : 0x7f80);
}

/// Equal bits; all NaNs are equal.
void expect_equal(DType dtype, const std::vector<char>& got, const std::vector<char>& expected,
                  const std::string& what) {
  const int64_t size = itemsize(dtype);
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t at = 0; at < got.size(); at += size) {
    if (std::memcmp(&got[at], &expected[at], size) == 0) continue;
    if (is_nan_at(dtype, &got[at]) && is_nan_at(dtype, &expected[at])) continue;
    Scalar a{.dtype = dtype}, b{.dtype = dtype};
    std::memcpy(a.bytes, &got[at], size);
    std::memcpy(b.bytes, &expected[at], size);
    ADD_FAILURE() << what << " at " << at / size << ": " << a << " is not " << b;
    return;
  }
}

class Primitives : public testing::Test {
 protected:
  std::unique_ptr<Compiler> compiler = open_compiler();

  /// Runs result = body(operands) in both tiers against the precompiled loop.
  void compare(Opcode op, std::vector<DType> types,
               const std::function<Value(ir::Builder&, std::vector<Value>)>& body) {
    std::vector<std::vector<Scalar>> columns(types.size());
    const std::vector<Scalar> first = hard_values(types[0]);
    const std::vector<Scalar> second = types.size() > 1 ? hard_values(types[1]) : std::vector<Scalar>{first[0]};
    const std::vector<Scalar> third = types.size() > 2 ? hard_values(types[2]) : std::vector<Scalar>{first[0]};
    for (size_t i = 0; i < first.size(); ++i)
      for (size_t j = 0; j < second.size(); ++j) {
        columns[0].push_back(first[i]);
        if (types.size() > 1) columns[1].push_back(second[j]);
        if (types.size() > 2) columns[2].push_back(third[(i * 7 + j * 3) % third.size()]);
      }
    const int64_t n = static_cast<int64_t>(columns[0].size());
    ir::Builder b(1, "primitive");
    std::vector<Value> operands;
    const Value at[] = {b.index(0)};
    std::vector<std::vector<char>> data;
    for (size_t k = 0; k < types.size(); ++k) {
      operands.push_back(
          b.load(b.add_buffer({.dtype = types[k], .ndim = 1, .inner = ir::InnerStride::contiguous}), at));
      data.push_back(bytes_of(columns[k]));
    }
    Value result;
    try {
      result = body(b, operands);
    } catch (const Error&) {
      return;  // the IR has no such operation on this type
    }
    const DType type = b.type(result);
    const ir::Loop loop = ir::find_loop(op, types[0], type);
    if (!loop) return;
    ++compared;
    b.store(b.add_buffer(
                {.dtype = type, .ndim = 1, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous}),
            result, at);
    const ir::Kernel kernel = b.take();
    std::vector<char> expected(n * itemsize(type)), got(n * itemsize(type));
    std::vector<char*> pointers;
    std::vector<int64_t> strides;
    for (size_t k = 0; k < types.size(); ++k) {
      pointers.push_back(data[k].data());
      strides.push_back(itemsize(types[k]));
    }
    pointers.push_back(expected.data());
    strides.push_back(itemsize(type));
    loop(pointers.data(), strides.data(), n);
    for (Tier tier : {Tier::quick, Tier::full}) {
      Binding binding({n});
      for (size_t k = 0; k < types.size(); ++k) binding.add(data[k].data(), {n}, itemsize(types[k]));
      binding.add(got.data(), {n}, itemsize(type));
      binding.run(compiler->compile(kernel, tier)->entry());
      expect_equal(type, got, expected,
                   std::string(ir::name(op)) + " of " + std::string(name(types[0])) + " to " + std::string(name(type)));
    }
  }
  int compared = 0;
};

TEST_F(Primitives, with_one_operand_give_the_loops_bits) {
  for (int op = static_cast<int>(Opcode::neg); op <= static_cast<int>(Opcode::sign_bit); ++op)
    for (DType type : real_types)
      compare(static_cast<Opcode>(op), {type},
              [&](ir::Builder& b, auto x) { return b.unary(static_cast<Opcode>(op), x[0]); });
  EXPECT_GT(compared, 100);
}

TEST_F(Primitives, with_two_operands_give_the_loops_bits) {
  for (int op = static_cast<int>(Opcode::add); op <= static_cast<int>(Opcode::shift_right); ++op) {
    if (static_cast<Opcode>(op) == Opcode::ldexp) continue;
    for (DType type : real_types)
      compare(static_cast<Opcode>(op), {type, type},
              [&](ir::Builder& b, auto x) { return b.binary(static_cast<Opcode>(op), x[0], x[1]); });
  }
  for (DType type : {DType::float32, DType::float64})
    compare(Opcode::ldexp, {type, DType::int32},
            [&](ir::Builder& b, auto x) { return b.binary(Opcode::ldexp, x[0], x[1]); });
  for (int op = static_cast<int>(Opcode::eq); op <= static_cast<int>(Opcode::ge); ++op)
    for (DType type : real_types)
      compare(static_cast<Opcode>(op), {type, type},
              [&](ir::Builder& b, auto x) { return b.compare(static_cast<Opcode>(op), x[0], x[1]); });
  EXPECT_GT(compared, 200);
}

TEST_F(Primitives, with_three_operands_give_the_loops_bits) {
  for (DType type : {DType::float32, DType::float64})
    compare(Opcode::fma, {type, type, type}, [&](ir::Builder& b, auto x) { return b.fma(x[0], x[1], x[2]); });
  EXPECT_EQ(compared, 2);
}

TEST_F(Primitives, casts_give_the_loops_bits) {
  for (DType from : real_types)
    for (DType to : real_types)
      if (from != to) compare(Opcode::cast, {from}, [&](ir::Builder& b, auto x) { return b.cast(x[0], to); });
  for (DType from : {DType::float32, DType::float64})
    for (DType to : {DType::float16, DType::bfloat16})
      compare(Opcode::cast, {from}, [&](ir::Builder& b, auto x) { return b.cast(x[0], to); });
  EXPECT_GT(compared, 100);
}

class OlderProcessors : public Primitives, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { compiler = open_compiler({.cpu_level = GetParam()}); }
};

TEST_P(OlderProcessors, compute_the_same_bits) {
  for (Opcode op : {Opcode::floor, Opcode::rint, Opcode::exp, Opcode::sign, Opcode::sqrt})
    compare(op, {DType::float64}, [&](ir::Builder& b, auto x) { return b.unary(op, x[0]); });
  for (Opcode op : {Opcode::min, Opcode::max_num, Opcode::pow, Opcode::floor_mod})
    compare(op, {DType::float64, DType::float64}, [&](ir::Builder& b, auto x) { return b.binary(op, x[0], x[1]); });
  for (DType to : {DType::int64, DType::uint64, DType::uint8, DType::float16, DType::bfloat16, DType::float32})
    compare(Opcode::cast, {DType::float64}, [&](ir::Builder& b, auto x) { return b.cast(x[0], to); });
  compare(Opcode::fma, {DType::float64, DType::float64, DType::float64},
          [&](ir::Builder& b, auto x) { return b.fma(x[0], x[1], x[2]); });
  EXPECT_GT(compared, 12);
}

INSTANTIATE_TEST_SUITE_P(Levels, OlderProcessors, testing::Values(2, 3));

TEST(Halves, read_and_write_every_bit_pattern) {
  for (int level : {2, 0}) {
    std::unique_ptr<Compiler> compiler = open_compiler({.cpu_level = level});
    for (DType half : {DType::float16, DType::bfloat16}) {
      ir::Builder b(1, "halves");
      const Value at[] = {b.index(0)};
      const uint32_t in = b.add_buffer({.dtype = half, .ndim = 1, .inner = ir::InnerStride::contiguous});
      const uint32_t wide = b.add_buffer({.dtype = DType::float32,
                                          .ndim = 1,
                                          .readable = false,
                                          .writable = true,
                                          .inner = ir::InnerStride::contiguous});
      const uint32_t back = b.add_buffer(
          {.dtype = half, .ndim = 1, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
      const Value x = b.cast(b.load(in, at), DType::float32);
      b.store(wide, x, at);
      b.store(back, b.cast(x, half), at);
      const ir::Kernel kernel = b.take();
      std::vector<uint16_t> bits(65536), again(65536);
      std::vector<float> floats(65536);
      for (int k = 0; k < 65536; ++k) bits[k] = static_cast<uint16_t>(k);
      Binding(std::vector<int64_t>{65536})
          .add(bits.data(), {65536}, 2)
          .add(floats.data(), {65536}, 4)
          .add(again.data(), {65536}, 2)
          .run(compiler->compile(kernel, Tier::full)->entry());
      for (int k = 0; k < 65536; ++k) {
        const float expected = half == DType::float16 ? half_to_float(bits[k]) : bfloat16_to_float(bits[k]);
        if (expected != expected) {
          EXPECT_NE(floats[k], floats[k]);
          continue;
        }
        EXPECT_EQ(floats[k], expected);
        EXPECT_EQ(again[k], bits[k]);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::codegen
