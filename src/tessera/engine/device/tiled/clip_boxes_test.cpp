#include "tessera/engine/device/tiled/clip_boxes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tessera::engine {
namespace {

/// How often each byte is in the boxes.
std::map<int64_t, int> bytes_of(const std::vector<plan::ByteBox>& boxes) {
  std::map<int64_t, int> bytes;
  for (const plan::ByteBox& box : boxes) {
    int64_t repetitions = 1;
    for (const int64_t count : box.counts) repetitions *= count;
    for (int64_t flat = 0; flat < repetitions; ++flat) {
      int64_t at = box.offset, rest = flat;
      for (size_t axis = box.counts.size(); axis-- > 0; rest /= box.counts[axis])
        at += rest % box.counts[axis] * box.strides[axis];
      for (int64_t byte = 0; byte < box.nbytes; ++byte) ++bytes[at + byte];
    }
  }
  return bytes;
}

TEST(ClipBoxesTest, HaveTheBytesOfTheBoxesThatLieInTheRange) {
  std::mt19937 random(11);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 5000; ++trial) {
    plan::ByteBox box{.offset = 200, .counts = {}, .strides = {}, .nbytes = pick(1, 6)};
    int64_t pitch = box.nbytes;
    std::vector<std::pair<int64_t, int64_t>> axes;
    for (int64_t axis = pick(0, 2); axis > 0; --axis) {
      const int64_t count = pick(0, 5), stride = pitch + pick(0, 4);
      axes.insert(axes.begin(), {count, pick(0, 4) ? stride : -stride});
      pitch = stride * std::max<int64_t>(count, 1);
    }
    for (const auto& [count, stride] : axes) box.counts.push_back(count), box.strides.push_back(stride);
    const int64_t begin = pick(0, 400);
    const tile::Range range{begin, begin + pick(0, 200)};
    std::map<int64_t, int> wanted;
    for (const auto& [byte, times] : bytes_of({box}))
      if (range.begin <= byte && byte < range.end) wanted[byte] = times;
    ASSERT_EQ(bytes_of(clip_boxes({box}, range)), wanted) << print(box) << " in " << print(range);
  }
}

TEST(ClipBoxesTest, KeepRepetitionsTogether) {
  const plan::ByteBox box{.offset = 0, .counts = {1'000'000}, .strides = {16}, .nbytes = 8};
  EXPECT_EQ(clip_boxes({box}, {4, 8'000'004}).size(), 3u);
}

}  // namespace
}  // namespace tessera::engine
