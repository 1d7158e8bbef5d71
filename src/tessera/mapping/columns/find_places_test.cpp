#include "tessera/mapping/columns/find_places.h"

#include <gtest/gtest.h>

namespace tessera::mapping {
namespace {

constexpr int64_t pitch = 4096 * 8;

/// A result and views of one array, each at an offset of rows and lanes.
Operands views_of(const std::vector<std::pair<int, int>>& views, int64_t row) {
  Operands operands{.extents = {4094, 4094}, .strides = {{row, 8}}, .memory = {0}, .offsets = {0}};
  for (const auto& [rows, lanes] : views) {
    operands.strides.push_back({row, 8});
    operands.memory.push_back(1);
    operands.offsets.push_back((1 + rows) * pitch + 8 * (1 + lanes));
  }
  return operands;
}

ir::Kernel kernel_of(size_t views) {
  ir::Kernel kernel{.ndim = 2};
  for (size_t k = 0; k <= views; ++k)
    kernel.buffers.push_back({.dtype = DType::float64,
                              .ndim = 2,
                              .readable = k > 0,
                              .writable = k == 0,
                              .inner = ir::InnerStride::contiguous});
  return kernel;
}

TEST(PlacesOfViews, are_distances_from_the_first_view) {
  const std::vector<PlaceIn> expected{{0}, {1}, {1, -1, 0}, {1, 1, 0}, {1, 0, 1}, {1, 0, -1}};
  EXPECT_EQ(find_places(kernel_of(5), views_of({{0, 0}, {-1, 0}, {1, 0}, {0, 1}, {0, -1}}, pitch)), expected);
}

TEST(PlacesOfViews, that_are_reversed_count_rows_the_other_way) {
  EXPECT_EQ(find_places(kernel_of(2), views_of({{0, 0}, {-1, 0}}, -pitch))[2], (PlaceIn{1, 1, 0}));
}

TEST(PlacesOfViews, are_none_where_no_rows_are_shared) {
  EXPECT_TRUE(find_places(kernel_of(4), views_of({{0, 0}, {0, 1}, {0, -1}, {0, 2}}, pitch)).empty());
  EXPECT_TRUE(find_places(kernel_of(2), views_of({{0, 0}, {9, 0}}, pitch)).empty()) << "far from each other";
}

}  // namespace
}  // namespace tessera::mapping
