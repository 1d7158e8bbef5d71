#include "tessera/library/host/gather.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tessera/base/error.h"

namespace tessera::library {
namespace {

TEST(GatherTest, NegativeIndicesCountFromTheEnd) {
  std::vector<int64_t> rows{0, -1, 2}, columns{1, -4, 3};
  std::vector<IndexAxis> axes{{rows.data(), 3, 32, 0}, {columns.data(), 4, 8, 1}};
  EXPECT_EQ(pick_offsets(axes, 3), (std::vector<int64_t>{8, 64, 88}));
}

TEST(GatherTest, IndicesOutOfRangeAreNamed) {
  std::vector<int64_t> rows{0, 5, 7};
  std::vector<IndexAxis> axes{{rows.data(), 3, 8, 0}};
  try {
    pick_offsets(axes, 3);
    FAIL();
  } catch (const IndexError& error) {
    EXPECT_STREQ(error.what(), "index 5 is out of bounds for axis 0 with size 3");
  }
  EXPECT_EQ(pick_offsets(axes, 3, IndexMode::wrap), (std::vector<int64_t>{0, 16, 8}));
  EXPECT_EQ(pick_offsets(axes, 3, IndexMode::clip), (std::vector<int64_t>{0, 16, 16}));
}

/// a[:, rows, :] of a (2, 3, 4) array: one axis before the picks, one after.
struct Middle {
  std::vector<int32_t> data = std::vector<int32_t>(24);
  std::vector<int64_t> offsets{32, 0, 32};
  PickBlock block;
  Middle() {
    std::iota(data.begin(), data.end(), 0);
    block.view.dtype = block.packed.dtype = DType::int32;
    block.view.shape = block.packed.shape = Dims{2, 4};
    block.view.strides = Dims{48, 4};
    block.packed.strides = Dims{48, 4};
    block.step = 16;
  }
};

TEST(GatherTest, BlocksAroundThePicksFollow) {
  Middle m;
  std::vector<int32_t> picks(24);
  gather(reinterpret_cast<char*>(m.data.data()), m.offsets, m.block, reinterpret_cast<char*>(picks.data()));
  EXPECT_EQ(picks, (std::vector<int32_t>{8,  9,  10, 11, 0,  1,  2,  3,  8,  9,  10, 11,
                                         20, 21, 22, 23, 12, 13, 14, 15, 20, 21, 22, 23}));
}

TEST(GatherTest, TheLastWriteStays) {
  Middle m;
  std::vector<int32_t> picks(24);
  std::iota(picks.begin(), picks.end(), 100);
  scatter(reinterpret_cast<char*>(m.data.data()), m.offsets, m.block, reinterpret_cast<char*>(picks.data()));
  EXPECT_EQ(m.data[8], 108);
  EXPECT_EQ(m.data[0], 104);
  EXPECT_EQ(m.data[4], 4);
  EXPECT_EQ(m.data[20], 120);
}

}  // namespace
}  // namespace tessera::library
