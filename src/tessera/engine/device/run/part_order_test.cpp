#include "tessera/engine/device/run/part_order.h"

#include <gtest/gtest.h>

namespace tessera::engine {
namespace {

using Order = std::vector<std::vector<int32_t>>;

/// A read of bytes [begin, end).
Touched read(int begin, int end) {
  static const char memory[8192] = {};
  return {memory + begin, memory + end, false};
}
Touched write(int begin, int end) {
  Touched touched = read(begin, end);
  touched.writes = true;
  return touched;
}

constexpr int64_t large_part = 1000;

TEST(PartOrder, reads_of_one_array_wait_for_nobody) {
  const std::vector<Touched> parts[] = {
      {read(0, 8), write(10, 18)}, {read(0, 8), write(20, 28)}, {read(0, 8), write(30, 38)}};
  EXPECT_EQ(order_parts(parts, large_part), (Order{{}, {}, {}}));
}

TEST(PartOrder, a_reader_waits_for_the_writer_and_the_next_writer_for_all_readers) {
  const std::vector<Touched> parts[] = {
      {write(0, 8)}, {read(0, 8), write(10, 18)}, {read(4, 6), write(20, 28)}, {write(7, 8)}, {write(50, 58)}};
  EXPECT_EQ(order_parts(parts, large_part), (Order{{}, {0}, {0}, {1}, {}}));
}

TEST(PartOrder, what_others_wait_for_already_is_left_out) {
  const std::vector<Touched> parts[] = {
      {write(0, 8)}, {read(0, 8), write(0, 8)}, {read(0, 8), write(10, 18)}, {write(20, 28)}, {write(30, 38)}};
  EXPECT_EQ(order_parts(parts, large_part), (Order{{}, {0}, {1}, {}, {}}));
}

TEST(PartOrder, what_touches_much_keeps_its_order) {
  const std::vector<Touched> parts[] = {
      {write(0, 2000)}, {write(2000, 4000)}, {write(5000, 5010)}, {write(6000, 8000)}, {write(5010, 5020)}};
  EXPECT_EQ(order_parts(parts, large_part), (Order{{}, {0}, {}, {1}, {}}));
}

TEST(PartOrder, a_chain_needs_no_branches) {
  std::vector<std::vector<Touched>> parts;
  for (int k = 0; k < 9; ++k) parts.push_back({read(10 * k, 10 * k + 8), write(10 * k + 10, 10 * k + 18)});
  parts.push_back({write(500, 508)});
  EXPECT_TRUE(order_parts(parts, large_part).empty());
}

}  // namespace
}  // namespace tessera::engine
