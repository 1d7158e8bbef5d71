#include <gtest/gtest.h>

#include "tessera/engine/device/launch_form.h"
#include "tessera/ir/builder.h"

namespace tessera::engine {
namespace {

uint32_t blocks_ahead(int64_t lanes, int multiprocessors) {
  return choose_grid({.capability = 90, .team = 512, .ahead = 3}, {lanes}, multiprocessors).blocks[0];
}

TEST(LaunchGridTest, FoldsThatReadAheadHaveBlocksForEveryMultiprocessor) {
  EXPECT_EQ(blocks_ahead(100, 132), 100u);
  EXPECT_EQ(blocks_ahead(1221, 132), 3 * 132u);
  EXPECT_EQ(blocks_ahead(1221, 40), 3 * 40u);
  EXPECT_EQ(blocks_ahead(48829, 132) % (2 * 132), 0u);
  EXPECT_GT(blocks_ahead(48829, 132), 10 * 132u);
}

TEST(LaunchFormTest, LanesOfEightBytesAreTakenOneByOne) {
  const auto width = [](DType mask, DType values) {
    ir::Builder b(1, "where");
    const auto add = [&](DType dtype, bool writable) {
      return b.add_buffer({.dtype = dtype, .ndim = 1, .writable = writable, .inner = ir::InnerStride::contiguous});
    };
    const ir::Value at[] = {b.index(0)};
    const uint32_t condition = add(mask, false), x = add(values, false), out = add(values, true);
    const ir::Value value = b.load(x, at);
    b.store(out, b.select(b.load(condition, at), value, b.neg(value)), at);
    const ir::Kernel kernel = b.take();
    return choose_form(kernel, {10'000'000}, 10'000'000, 90, {.disjoint = true}).width;
  };
  EXPECT_EQ(width(DType::boolean, DType::float64), 1);
  EXPECT_EQ(width(DType::boolean, DType::int64), 1);
  EXPECT_EQ(width(DType::boolean, DType::float32), 4);
}

}  // namespace
}  // namespace tessera::engine
