#include "tessera/kernel/passes/narrow.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/ir/run_kernel.h"

namespace tessera::kernel {
namespace {

using ir::Builder;
using ir::Opcode;
using ir::Value;

constexpr Opcode divisions[] = {Opcode::div, Opcode::rem, Opcode::floor_div, Opcode::floor_mod};

/// `make` of two bytes as 64-bit integers, stored.
ir::Kernel kernel_of(DType in, const std::function<Value(Builder&, Value, Value)>& make) {
  Builder b(1);
  const uint32_t x = b.add_buffer({.dtype = in, .ndim = 1}), y = b.add_buffer({.dtype = in, .ndim = 1});
  const uint32_t out = b.add_buffer({.dtype = DType::int64, .ndim = 1, .readable = false, .writable = true});
  const std::array at{b.index(0)};
  b.store(out, make(b, b.cast(b.load(x, at), DType::int64), b.cast(b.load(y, at), DType::int64)), at);
  return b.take();
}

bool has(const ir::Kernel& kernel, const std::string& word) {
  return ir::print(kernel).find(word) != std::string::npos;
}

TEST(NarrowDivisions, SumsOfBytesAreDividedIn16Bits) {
  for (Opcode op : divisions)
    for (int64_t divisor : {9, -7, 2, 32767}) {
      const ir::Kernel wide = kernel_of(DType::int8, [&](Builder& b, Value x, Value y) {
        return b.binary(op, b.sub(b.add(x, y), b.mul(x, b.constant(DType::int64, 5))),
                        b.constant(DType::int64, static_cast<double>(divisor)));
      });
      const ir::Kernel narrow = narrow_divisions(wide);
      ir::verify(narrow);
      EXPECT_TRUE(has(narrow, std::string(ir::name(op)) + ".int16")) << ir::print(narrow);
      std::vector<int8_t> x, y;
      for (int k = 0; k < 65536; ++k) {
        x.push_back(static_cast<int8_t>(k));
        y.push_back(static_cast<int8_t>(k >> 8));
      }
      std::vector<int64_t> results[2];
      for (int k = 0; k < 2; ++k) {
        auto a = ir::TestArray::of(DType::int8, {65536}, x), b = ir::TestArray::of(DType::int8, {65536}, y);
        ir::TestArray out = ir::TestArray::zeros(DType::int64, {65536});
        ir::run_kernel(k ? narrow : wide, {65536}, {&a, &b, &out});
        results[k] = out.values<int64_t>();
      }
      EXPECT_EQ(results[0], results[1]) << ir::name(op) << " " << divisor;
    }
}

TEST(NarrowDivisions, WiderNumbersTake32BitsOrStay) {
  const auto divided = [](DType in, int64_t factor, double divisor) {
    return narrow_divisions(kernel_of(in, [&](Builder& b, Value x, Value y) {
      const Value product = b.mul(b.add(x, y), b.constant(Scalar::of_int(DType::int64, factor)));
      return b.binary(Opcode::floor_div, product, b.constant(DType::int64, divisor));
    }));
  };
  EXPECT_TRUE(has(divided(DType::int16, 3, 10), "floor_div.int32"));
  EXPECT_TRUE(has(divided(DType::uint8, 1, 100000), "floor_div.int32"));
  EXPECT_TRUE(has(divided(DType::int32, 2, 10), "floor_div.int64"));
  EXPECT_TRUE(has(divided(DType::int8, 1, -1), "floor_div.int64"));
  EXPECT_TRUE(has(divided(DType::int8, int64_t{1} << 60, 7), "floor_div.int64"));
}

// The array that is named first in the copy is the second one.
TEST(NarrowDivisions, FunctionsInOtherCodeAndTheArraysThatTheyGetStay) {
  Builder b(1);
  const uint32_t x = b.add_buffer({.dtype = DType::int8, .ndim = 1, .writable = true});
  const uint32_t first = b.add_array({.dtype = DType::int32, .size = 4}),
                 second = b.add_array({.dtype = DType::int32, .size = 8});
  b.add_foreign({.name = "f", .parameters = {DType::int64}});
  const uint32_t g = b.add_foreign({.name = "g", .parameters = {DType::int64}});
  const std::array at{b.index(0)};
  const Value place = b.binary(Opcode::floor_div, b.cast(b.load(x, at), DType::int64), b.constant(DType::int64, 4));
  b.store_array(second, b.constant(DType::int32, 1), place);
  b.call_foreign(g, std::array{b.address(Opcode::address_array, first, std::array{b.constant(DType::int64, 0)})});
  const ir::Kernel narrowed = narrow_divisions(b.take());
  ASSERT_EQ(narrowed.foreign.size(), 1u);
  EXPECT_EQ(narrowed.foreign[0].name, "g");
  for (const ir::Instruction& i : narrowed.instructions) {
    if (i.op == Opcode::store_array) EXPECT_EQ(narrowed.arrays[i.imm].size, 8);
    if (i.op == Opcode::address_array) EXPECT_EQ(narrowed.arrays[i.imm].size, 4);
    if (i.op == Opcode::call_foreign) EXPECT_EQ(i.imm, 0u);
  }
  EXPECT_TRUE(has(narrowed, "address_array"));
}

}  // namespace
}  // namespace tessera::kernel
