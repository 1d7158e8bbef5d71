#include "tessera/engine/kernels/swap_axes.h"

#include <gtest/gtest.h>

#include <array>

#include "tessera/ir/builder.h"

namespace tessera::engine {

namespace {

using ir::Builder;
using ir::Value;

/// out[i, j] = in[i, j] of a two-dimensional grid, where i is along `first` and j along `second`.
template <class Also>
ir::Kernel copies(int first, int second, const Also& also) {
  Builder b(6, "k", 3);
  for (bool writes : {false, true})
    b.add_buffer({.dtype = DType::int8,
                  .ndim = 2,
                  .readable = !writes,
                  .writable = writes,
                  .inner = ir::InnerStride::contiguous});
  const auto along = [&](int k) { return b.add(b.mul(b.index(2 - k), b.extent(5 - k)), b.index(5 - k)); };
  const std::array at{along(first), along(second)};
  b.store(1, b.load(0, at), at);
  also(b);
  return b.take();
}

void nothing(Builder&) {}

}  // namespace

TEST(SwapAxes, ColumnsAreFoundByWhatTheLastIndexDependsOn) {
  EXPECT_TRUE(runs_down_columns(copies(0, 1, nothing)));
  EXPECT_FALSE(runs_down_columns(copies(1, 0, nothing)));
}

TEST(SwapAxes, KernelsWhoseThreadsMeetStayAsTheyAre) {
  EXPECT_FALSE(runs_down_columns(copies(0, 1, [](Builder& b) { b.barrier(); })));
  EXPECT_FALSE(runs_down_columns(copies(0, 1, [](Builder& b) { b.fence(ir::FenceScope::device); })));
  EXPECT_FALSE(runs_down_columns(copies(0, 1, [](Builder& b) { b.active_mask(); })));
  EXPECT_FALSE(runs_down_columns(copies(0, 1, [](Builder& b) {
    b.atomic(ir::AtomicKind::add, 1, b.constant(DType::int8, 1), std::array{b.index(5), b.index(4)});
  })));
}

TEST(SwapAxes, ASwappedKernelIsTheOneThatIsWrittenSo) {
  EXPECT_EQ(ir::print(swap_axes(copies(0, 1, nothing))), ir::print(copies(1, 0, nothing)));
  const LaunchShape shape = swapped({.grid = {7, 3, 2}, .block = {16, 4, 1}});
  EXPECT_EQ(shape.grid, (std::array<int64_t, 3>{3, 7, 2}));
  EXPECT_EQ(shape.block, (std::array<int64_t, 3>{4, 16, 1}));
}

TEST(SwapAxes, BlocksWithoutThreadsAlongYAndGridsThatAreTooLongStay) {
  EXPECT_TRUE(can_swap({.grid = {65535, 1, 1}, .block = {16, 16, 1}}));
  EXPECT_FALSE(can_swap({.grid = {65536, 1, 1}, .block = {16, 16, 1}}));
  EXPECT_FALSE(can_swap({.grid = {8, 1, 1}, .block = {256, 1, 1}}));
}

}  // namespace tessera::engine
