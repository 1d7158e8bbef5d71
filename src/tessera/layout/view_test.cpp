#include "tessera/layout/view.h"

#include <gtest/gtest.h>

#include <vector>

#include "tessera/base/error.h"

namespace tessera {
namespace {

View packed(Dims shape, DType dtype = DType::float64, Order order = Order::c) {
  return View::contiguous(shape, dtype, order);
}

TEST(ViewTest, PackedViewsAreContiguous) {
  EXPECT_TRUE(packed({3, 4, 5}).is_c_contiguous());
  EXPECT_FALSE(packed({3, 4, 5}).is_f_contiguous());
  EXPECT_TRUE(packed({3, 4, 5}, DType::int8, Order::f).is_f_contiguous());
  EXPECT_TRUE(packed({3, 1}).is_f_contiguous());
  EXPECT_TRUE(packed({3, 0}).is_f_contiguous());
  EXPECT_EQ(packed({3, 0}).strides, (Dims{0, 0}));
  EXPECT_TRUE(packed({}).is_c_contiguous());
}

TEST(ViewTest, SlicesComposeWithNegativeSteps) {
  View v = packed({10}).slice(0, 9, -2, 5).slice(0, 1, 2, 2);
  EXPECT_EQ(v.offset, 56);
  EXPECT_EQ(v.strides[0], -32);
  EXPECT_EQ(v.byte_range(), (std::pair<int64_t, int64_t>(24, 64)));
}

TEST(ViewTest, DiagonalsFollowBothSides) {
  View v = packed({3, 5}).diagonal(1, 0, 1);
  EXPECT_EQ(v.shape, (Dims{3}));
  EXPECT_EQ(v.offset, 8);
  EXPECT_EQ(v.strides[0], 48);
  EXPECT_EQ(packed({3, 5}).diagonal(-2, 0, 1).shape, (Dims{1}));
  EXPECT_EQ(packed({3, 5}).diagonal(9, 0, 1).shape, (Dims{0}));
}

TEST(ViewTest, ReshapeKeepsTheBytesWhereItCan) {
  EXPECT_EQ(packed({6, 4}).try_reshape(Dims{2, 3, -1})->shape, (Dims{2, 3, 4}));
  View rows = packed({6, 4}).slice(0, 0, 2, 3);
  EXPECT_EQ(rows.try_reshape(Dims{3, 2, 2})->strides, (Dims{64, 16, 8}));
  EXPECT_FALSE(rows.try_reshape(Dims{12}).has_value());
  EXPECT_FALSE(packed({6, 4}).transpose().try_reshape(Dims{24}).has_value());
  EXPECT_EQ(packed({6, 4}).transpose().try_reshape(Dims{24}, Order::f)->strides, (Dims{8}));
  EXPECT_EQ(packed({1}).try_reshape(Dims{})->ndim(), 0);
}

TEST(ViewTest, ReshapeErrorsSpeakNumPysWords) {
  auto message = [](Dims shape) -> std::string {
    try {
      resolve_reshape(6, shape);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({4, -1}), "cannot reshape array of size 6 into shape (4,newaxis)");
  EXPECT_EQ(message({-1, 4}), "cannot reshape array of size 6 into shape (4)");
  EXPECT_EQ(message({5}), "cannot reshape array of size 6 into shape (5,)");
  EXPECT_EQ(message({-1, -1}), "can only specify one unknown dimension");
}

TEST(ViewTest, ReinterpretingSplitsAndJoinsTheLastAxis) {
  EXPECT_EQ(packed({3, 4}).reinterpret(DType::int32).shape, (Dims{3, 8}));
  EXPECT_EQ(packed({3, 4}).reinterpret(DType::complex128).shape, (Dims{3, 2}));
  EXPECT_THROW(packed({3}).reinterpret(DType::complex128), ValueError);
  EXPECT_THROW(packed({}).reinterpret(DType::int8), ValueError);
  EXPECT_THROW(packed({4, 4}).transpose().reinterpret(DType::int8), ValueError);
}

TEST(ViewTest, BroadcastingStretchesOnesOnly) {
  EXPECT_EQ(broadcast_shapes("add", Dims{3, 1}, Dims{4}), (Dims{3, 4}));
  EXPECT_EQ(broadcast_shapes("add", Dims{1}, Dims{0}), (Dims{0}));
  EXPECT_THROW(broadcast_shapes("add", Dims{2, 3}, Dims{4}), ShapeError);
  View v = packed({3, 1}).broadcast_to(Dims{2, 3, 4});
  EXPECT_EQ(v.strides, (Dims{0, 8, 0}));
  EXPECT_FALSE(v.is_injective());
  EXPECT_THROW(packed({3}).broadcast_to(Dims{4}), ShapeError);
}

TEST(ViewTest, SizesThatOverflowAreRejected) {
  int64_t huge = int64_t{1} << 40;
  EXPECT_THROW(checked_size(Dims{huge, huge}, 8), ValueError);
  EXPECT_THROW(checked_size(Dims{0, huge, huge}, 8), ValueError);
  EXPECT_THROW(checked_size(Dims{-1}, 8), ValueError);
  EXPECT_EQ(checked_size(Dims{3, 0}, 8), 0);
}

TEST(ViewTest, NeighbouringAxesCollapse) {
  std::vector<View> views{packed({2, 3, 1, 4}), packed({2, 3, 1, 4})};
  EXPECT_EQ(collapse_axes(views), 1);
  EXPECT_EQ(views[0].shape, (Dims{24}));
  views = {packed({2, 3, 4}), packed({3, 1}).broadcast_to(Dims{2, 3, 4})};
  EXPECT_EQ(collapse_axes(views), 3);
  views = {packed({2, 3, 4}), packed({2, 1, 1}).broadcast_to(Dims{2, 3, 4})};
  EXPECT_EQ(collapse_axes(views), 2);
  EXPECT_EQ(views[1].strides, (Dims{8, 0}));
}

TEST(ViewTest, SortedAxesFallInStride) {
  std::vector<View> views{packed({2, 3, 4}, DType::float64, Order::f), packed({2, 3, 4})};
  sort_axes(views);
  EXPECT_EQ(views[0].strides, (Dims{48, 16, 8}));
  EXPECT_EQ(views[1].strides, (Dims{8, 32, 96}));
}

}  // namespace
}  // namespace tessera
