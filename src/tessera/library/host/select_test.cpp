#include "tessera/library/host/select.h"

#include <gtest/gtest.h>

#include <vector>

#include "tessera/library/host/random_data.h"

namespace tessera::library {
namespace {

TEST(SelectTest, NonzeroElementsAreCountedAndListed) {
  for (int64_t n : {0, 1, 7, 1000, 200000}) {
    TestArray<double> data = random_data<double>(n, 3, 9);
    std::vector<int64_t> expected;
    for (int64_t k = 0; k < n; ++k)
      if (data[k] != 0) expected.push_back(k);
    auto* bytes = reinterpret_cast<const char*>(data.data());
    auto count = static_cast<int64_t>(expected.size());
    ASSERT_EQ(count_nonzero(bytes, DType::float64, n), count);
    std::vector<int64_t> flat(count), rows(count), columns(count);
    int64_t* one[] = {flat.data()};
    nonzero(bytes, DType::float64, Dims{n}, one);
    EXPECT_EQ(flat, expected);
    if (n % 10) continue;
    int64_t* two[] = {rows.data(), columns.data()};
    nonzero(bytes, DType::float64, Dims{n / 10, 10}, two);
    for (int64_t k = 0; k < count; ++k) ASSERT_EQ(rows[k] * 10 + columns[k], expected[k]);
  }
}

TEST(SelectTest, MasksCompactBlocksOfAnySize) {
  int64_t n = 100000;
  TestArray<uint8_t> bits = random_data<uint8_t>(n, 2, 4);
  std::vector<char> mask(n);
  for (int64_t k = 0; k < n; ++k) mask[k] = bits[k] != 0;
  for (int64_t block : {1, 3, 4, 8, 12, 16}) {
    std::vector<char> blocks(n * block), expected;
    for (size_t k = 0; k < blocks.size(); ++k) blocks[k] = static_cast<char>(k * 31);
    for (int64_t k = 0; k < n; ++k)
      if (mask[k]) expected.insert(expected.end(), blocks.begin() + k * block, blocks.begin() + (k + 1) * block);
    std::vector<char> out(expected.size());
    compress(reinterpret_cast<uint8_t*>(mask.data()), n, blocks.data(), block, out.data());
    EXPECT_EQ(out, expected);
  }
}

TEST(SelectTest, MasksAssignThroughViews) {
  std::vector<int32_t> data(40, 0), values{1, 2, 3, 4};
  std::vector<char> mask{0, 1, 1, 0};
  // Every second row of an 8 by 5 matrix; the mask selects rows, and the columns follow in order.
  View to = View::contiguous(Dims{8, 5}, DType::int32).slice(0, 0, 2, 4).slice(1, 0, 2, 2);
  View mask_view = View::contiguous(Dims{4}, DType::boolean);
  mask_assign(reinterpret_cast<char*>(data.data()), to, mask.data(), mask_view, reinterpret_cast<char*>(values.data()),
              false);
  EXPECT_EQ(data[10], 1);
  EXPECT_EQ(data[12], 2);
  EXPECT_EQ(data[20], 3);
  EXPECT_EQ(data[22], 4);
  mask_assign(reinterpret_cast<char*>(data.data()), to, mask.data(), mask_view, reinterpret_cast<char*>(values.data()),
              true);
  EXPECT_EQ(data[22], 1);
  EXPECT_EQ(data[11], 0);
}

}  // namespace
}  // namespace tessera::library
