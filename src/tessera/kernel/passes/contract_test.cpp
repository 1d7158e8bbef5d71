#include "tessera/kernel/passes/contract.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tessera/ir/builder.h"

namespace tessera::kernel {
namespace {

using ir::Builder;
using ir::Value;

/// The contracted text of what `make` computes from three numbers, stored in an array.
std::string contracted(const std::function<Value(Builder&, Value, Value, Value)>& make, DType type = DType::float64) {
  Builder b(1);
  const uint32_t out = b.add_buffer({.dtype = type, .ndim = 1, .readable = false, .writable = true});
  const Value x = b.scalar(b.add_scalar(type)), y = b.scalar(b.add_scalar(type)), z = b.scalar(b.add_scalar(type));
  b.store(out, make(b, x, y, z), std::array{b.index(0)});
  const ir::Kernel kernel = contract_products(b.take());
  ir::verify(kernel);
  return ir::print(kernel);
}

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

TEST(Contraction, a_product_that_is_added_to_something_becomes_fma) {
  for (const bool is_first : {true, false}) {
    const std::string text = contracted([&](Builder& b, Value x, Value y, Value z) {
      return is_first ? b.add(b.mul(x, y), z) : b.add(z, b.mul(x, y));
    });
    EXPECT_TRUE(has(text, "fma.float64")) << text;
    EXPECT_FALSE(has(text, "mul") || has(text, "add")) << text;
  }
}

TEST(Contraction, differences_negate_what_is_taken_away) {
  const std::string from = contracted([](Builder& b, Value x, Value y, Value z) { return b.sub(z, b.mul(x, y)); });
  EXPECT_TRUE(has(from, "neg.float64") && has(from, "fma.float64") && !has(from, "sub")) << from;
  const std::string to = contracted([](Builder& b, Value x, Value y, Value z) { return b.sub(b.mul(x, y), z); });
  EXPECT_TRUE(has(to, "neg.float64") && has(to, "fma.float64") && !has(to, "sub")) << to;
}

TEST(Contraction, a_product_with_another_use_stays) {
  const std::string text = contracted([](Builder& b, Value x, Value y, Value z) {
    const Value product = b.mul(x, y);
    return b.div(b.add(product, z), product);
  });
  EXPECT_TRUE(has(text, "mul.float64") && has(text, "add.float64") && !has(text, "fma")) << text;
}

TEST(Contraction, a_product_made_before_a_loop_stays_outside) {
  const std::string text = contracted([](Builder& b, Value x, Value y, Value z) {
    const Value product = b.mul(x, y);
    const Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
    return b.for_(zero, b.extent(0), one, std::array{z},
                  [&](std::span<const Value> args) { return std::vector{b.add(args[1], product)}; })[0];
  });
  EXPECT_TRUE(has(text, "mul.float64") && has(text, "add.float64") && !has(text, "fma")) << text;
}

TEST(Contraction, integers_stay_as_they_are) {
  const std::string text =
      contracted([](Builder& b, Value x, Value y, Value z) { return b.add(b.mul(x, y), z); }, DType::int64);
  EXPECT_FALSE(has(text, "fma")) << text;
}

}  // namespace
}  // namespace tessera::kernel
