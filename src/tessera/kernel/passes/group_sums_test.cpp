#include "tessera/kernel/passes/group_sums.h"

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

/// What becomes of a loop over the elements of an array that carries two numbers; they are stored.
std::string grouped(const std::function<std::vector<Value>(Builder&, Value x, std::span<const Value>)>& body) {
  Builder b(0);
  const uint32_t in = b.add_buffer({.dtype = DType::float64, .ndim = 1});
  const uint32_t out = b.add_buffer({.dtype = DType::float64, .ndim = 1, .readable = false, .writable = true});
  const Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const std::vector<Value> initial(2, b.constant(DType::float64, 0));
  const auto iterate = [&](std::span<const Value> args) { return body(b, b.load(in, std::array{args[0]}), args); };
  const std::vector<Value> sums = b.for_(zero, b.dimension(in, 0), one, initial, iterate, ir::free_sums);
  b.store(out, sums[0], std::array{zero});
  b.store(out, sums[1], std::array{one});
  const ir::Kernel kernel = group_sums(b.take());
  ir::verify(kernel);
  return ir::print(kernel);
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(GroupSums, SumsBecomeReductions) {
  const std::string text = grouped([](Builder& b, Value x, std::span<const Value> args) {
    return std::vector{b.add(args[1], b.sqrt(x)), b.sub(args[2], b.mul(x, x))};
  });
  EXPECT_EQ(count(text, "reduce."), 2) << text;
  EXPECT_EQ(count(text, "for"), 0) << text;
  EXPECT_EQ(count(text, "sub."), 1) << text;
}

TEST(GroupSums, LoopsThatReadTheirSumsStay) {
  const std::string read = grouped([](Builder& b, Value x, std::span<const Value> args) {
    return std::vector{b.add(args[1], x), b.add(args[2], args[1])};
  });
  EXPECT_EQ(count(read, "reduce."), 0) << read;
  const std::string read_after = grouped([](Builder& b, Value x, std::span<const Value> args) {
    const Value sum = b.add(args[1], x);
    return std::vector{sum, b.add(args[2], sum)};
  });
  EXPECT_EQ(count(read_after, "reduce."), 0) << read_after;
}

TEST(GroupSums, OtherLoopsStay) {
  const std::string product = grouped([](Builder& b, Value x, std::span<const Value> args) {
    return std::vector{b.add(args[1], x), b.mul(args[2], x)};
  });
  EXPECT_EQ(count(product, "reduce."), 0) << product;
  const std::string writes = grouped([](Builder& b, Value x, std::span<const Value> args) {
    b.store(1, x, std::array{args[0]});
    return std::vector{b.add(args[1], x), b.add(args[2], x)};
  });
  EXPECT_EQ(count(writes, "reduce."), 0) << writes;
}

}  // namespace
}  // namespace tessera::kernel
