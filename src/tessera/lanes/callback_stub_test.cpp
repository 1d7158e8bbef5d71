#include "tessera/lanes/callback_stub.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

namespace tessera::lanes {
namespace {

struct Seen {
  std::vector<uint64_t> floats, integers, stack;
};

uint64_t note(const void* context, const CallbackArguments* registers, const uint64_t* stack) {
  Seen& seen = *static_cast<Seen*>(const_cast<void*>(context));
  seen.floats.assign(registers->floats, registers->floats + 8);
  seen.integers.assign(registers->integers, registers->integers + 6);
  seen.stack.assign(stack, stack + 3);
  return std::bit_cast<uint64_t>(2.5);
}

TEST(CallbackStub, arguments_arrive_from_registers_and_the_stack) {
  Seen seen;
  const CallbackStub stub(note, &seen);
  using Function = double(double, int64_t, double, double, double, double, double, double, double, double, int64_t,
                          int64_t, int64_t, int64_t, int64_t, int64_t, float);
  auto* function = reinterpret_cast<Function*>(stub.address());
  EXPECT_EQ(function(1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1.5f), 2.5);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(std::bit_cast<double>(seen.floats[k]), k + 1);
  EXPECT_EQ(static_cast<int64_t>(seen.integers[0]), -1);
  for (int k = 1; k < 6; ++k) EXPECT_EQ(seen.integers[k], 9u + k);
  EXPECT_EQ(std::bit_cast<double>(seen.stack[0]), 9);
  EXPECT_EQ(seen.stack[1], 15u);
  EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(seen.stack[2])), 1.5f);
}

TEST(CallbackStub, a_result_is_an_integer_as_well) {
  Seen seen;
  const CallbackStub stub(note, &seen);
  EXPECT_EQ(reinterpret_cast<uint64_t (*)()>(stub.address())(), std::bit_cast<uint64_t>(2.5));
}

}  // namespace
}  // namespace tessera::lanes
