#include <gtest/gtest.h>

#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/ir/builder.h"

namespace tessera::engine {
namespace {

uint32_t double_buffered_blocks(int64_t lanes, int multiprocessors) {
  return choose_grid({.capability = 90, .team = 512, .double_buffered = 3}, {lanes}, multiprocessors).blocks[0];
}

TEST(LaunchGridTest, DoubleBufferedReductionsHaveBlocksForEveryMultiprocessor) {
  EXPECT_EQ(double_buffered_blocks(100, 132), 100u);
  EXPECT_EQ(double_buffered_blocks(1221, 132), 3 * 132u);
  EXPECT_EQ(double_buffered_blocks(1221, 40), 3 * 40u);
  EXPECT_EQ(double_buffered_blocks(48829, 132) % (2 * 132), 0u);
  EXPECT_GT(double_buffered_blocks(48829, 132), 10 * 132u);
}

TEST(LaunchFormTest, ChunksOfComplexNumbersAreDoubleBufferedAsThoseOfOthers) {
  const auto double_buffered = [](DType dtype, bool adds_other) {
    ir::Builder b(1, "reduction_chunks");
    const uint32_t x = b.add_buffer({.dtype = dtype, .ndim = 1, .inner = ir::InnerStride::contiguous}),
                   y = b.add_buffer({.dtype = dtype, .ndim = 1, .inner = ir::InnerStride::contiguous});
    const uint32_t out = b.add_buffer(
        {.dtype = dtype, .ndim = 1, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
    const ir::Value at[] = {b.index(0)}, size = b.constant(DType::int64, 8192), lower = b.mul(at[0], size);
    const auto element = [&](ir::Value k) {
      const std::span<const ir::Value> place(&k, 1);
      return adds_other ? b.add(b.load(x, place), b.load(y, place)) : b.load(x, place);
    };
    b.store(out,
            b.reduce(ir::ReduceKind::add, ir::ReduceOrder::pairwise, lower,
                     b.min(b.add(lower, size), b.dimension(x, 0)), element),
            at);
    return choose_mapping(b.take(), {1000}, 1000 * 8192, 90, {.disjoint = true}).double_buffered;
  };
  for (const DType dtype : {DType::float64, DType::complex64, DType::complex128}) {
    EXPECT_EQ(double_buffered(dtype, false), 3) << name(dtype);
    EXPECT_EQ(double_buffered(dtype, true), 0) << name(dtype);
  }
}

}  // namespace
}  // namespace tessera::engine
