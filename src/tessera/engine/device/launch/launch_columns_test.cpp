#include <gtest/gtest.h>

#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/ir/builder.h"

namespace tessera::engine {
namespace {

using codegen::PlaceIn;

constexpr int64_t pitch = 4096 * 8;

/// A sum of views of slot 1, each at an offset of rows and lanes, into slot 0.
plan::KernelStep sum_of(const std::vector<std::pair<int, int>>& views, Dims extents = {4094, 4094}) {
  ir::Builder b(2, "sum");
  plan::KernelStep step{.extents = extents};
  const auto add = [&](int32_t slot, int64_t offset) {
    const bool writes = slot == 0;
    b.add_buffer({.dtype = DType::float64,
                  .ndim = 2,
                  .readable = !writes,
                  .writable = writes,
                  .inner = ir::InnerStride::contiguous});
    step.buffers.push_back({.slot = slot, .offset = offset, .strides = {pitch, 8}, .dimensions = extents});
  };
  add(0, pitch + 8);
  for (const auto& [rows, lanes] : views) add(1, (1 + rows) * pitch + 8 * (1 + lanes));
  const ir::Value at[] = {b.index(0), b.index(1)};
  ir::Value sum = b.load(1, at);
  for (uint32_t k = 2; k <= views.size(); ++k) sum = b.add(sum, b.load(k, at));
  b.store(0, sum, at);
  step.kernel = std::make_shared<const ir::Kernel>(b.take());
  return step;
}

codegen::DeviceMapping mapping_of(const plan::KernelStep& step) {
  return choose_mapping(*step.kernel, step.extents, step.extents[0] * step.extents[1], 90, check_operands(step));
}

TEST(Columns, of_a_stencil_know_where_its_views_lie_in_the_first) {
  const std::vector<PlaceIn> expected{{0}, {1}, {1, -1, 0}, {1, 1, 0}, {1, 0, 1}, {1, 0, -1}};
  const plan::KernelStep step = sum_of({{0, 0}, {-1, 0}, {1, 0}, {0, 1}, {0, -1}});
  EXPECT_EQ(find_places(step), expected);
  EXPECT_EQ(mapping_of(step).rows, 16);
  EXPECT_EQ(mapping_of(step).places, expected);
}

TEST(Columns, of_reversed_views_count_rows_the_other_way) {
  plan::KernelStep step = sum_of({{0, 0}, {-1, 0}});
  for (plan::Binding& binding : step.buffers) binding.strides[0] = -pitch;
  EXPECT_EQ(find_places(step)[2], (PlaceIn{1, 1, 0}));
}

TEST(Columns, are_for_operands_that_share_rows) {
  EXPECT_EQ(mapping_of(sum_of({{0, 0}, {0, 1}, {0, -1}, {0, 2}})).rows, 1) << "neighbours in a row";
  EXPECT_EQ(mapping_of(sum_of({{0, 0}, {9, 0}})).rows, 1) << "far from each other";
  EXPECT_EQ(mapping_of(sum_of({{0, 0}, {1, 0}}, {1000, 1000})).rows, 1) << "too few threads";
  plan::KernelStep apart = sum_of({{0, 0}, {1, 0}});
  apart.buffers[2].slot = 2;
  EXPECT_EQ(mapping_of(apart).rows, 1) << "two arrays";
  plan::KernelStep in_place = sum_of({{0, 0}, {1, 0}});
  in_place.buffers[0].slot = 1;
  EXPECT_EQ(mapping_of(in_place).rows, 1) << "the result lies over them";
}

}  // namespace
}  // namespace tessera::engine
