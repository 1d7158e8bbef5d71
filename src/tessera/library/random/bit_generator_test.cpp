#include "tessera/library/random/bit_generator.h"

#include <gtest/gtest.h>

#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/random/bounded.h"
#include "tessera/library/random/fill.h"
#include "tessera/library/random/twister_jump.h"
#include "tessera/library/random/ziggurat_tables.h"

namespace tessera::library {
namespace {

TEST(Mt19937, GivesThePublishedNumbers) {
  Mt19937 bits;
  EXPECT_EQ(bits.next32(), 3499211612u);
  for (int i = 1; i < 9999; ++i) bits.next32();
  EXPECT_EQ(bits.next32(), 4123659995u);  // the 10000th output, as specified in the C++ standard
}

TEST(Mt19937, SeedsByArrayAsPublished) {
  Mt19937 bits;
  const uint32_t numbers[] = {0x123, 0x234, 0x345, 0x456};
  bits.seed(numbers);
  EXPECT_EQ(bits.next32(), 1067595299u);
  EXPECT_EQ(bits.next32(), 955945823u);
}

TEST(Philox, GivesThePublishedBlocks) {
  const Philox::Counter zero = Philox::block({0, 0, 0, 0}, {0, 0});
  EXPECT_EQ(zero, (Philox::Counter{0x16554d9eca36314cull, 0xdb20fe9d672d0fdcull, 0xd7e772cee186176bull,
                                   0x7e68b68aec7ba23bull}));
}

TEST(Pcg64, AdvancingEqualsStepping) {
  Pcg64 walked(12, 34), jumped(12, 34);
  for (int i = 0; i < 1000; ++i) walked.next64();
  jumped.advance(1000);
  EXPECT_EQ(walked.state(), jumped.state());
  jumped.advance(-static_cast<uint128>(1000));
  EXPECT_EQ(jumped.next64(), Pcg64(12, 34).next64());
}

TEST(Pcg64, HalvesComeLowFirst) {
  Pcg64 whole(1, 2), halves(1, 2);
  const uint64_t word = whole.next64();
  EXPECT_EQ(halves.next32(), static_cast<uint32_t>(word));
  EXPECT_EQ(halves.next32(), static_cast<uint32_t>(word >> 32));
}

TEST(BitGenerator, AStateRestoresTheStream) {
  Sfc64 a({1, 2, 3}), b({4, 5, 6});
  a.next32();
  b.set_state(a.state());
  EXPECT_EQ(a.next32(), b.next32());
  EXPECT_EQ(a.next64(), b.next64());
  EXPECT_THROW(a.set_state(std::vector<uint64_t>(3)), ValueError);
}

TEST(TwisterJump, GivesTheWordsAhead) {
  Mt19937 bits;
  bits.seed(77);
  const std::vector<uint64_t> state = bits.state();
  const std::vector<uint32_t> key(state.begin(), state.begin() + Mt19937::size);
  std::vector<uint32_t> words = twister_window(key);
  std::vector<uint32_t> more((1 << 15) + 20'600);
  bits.fill_untempered(more);  // the seed's position is behind the key: the word after it is the first of these
  words.pop_back();
  words.insert(words.end(), more.begin(), more.end());
  for (int k : {0, 1, 9, 10, 13, 15}) {
    for (size_t i : {0, 1, 623}) {
      uint32_t sum = 0;
      for (uint32_t j : twister_jump(k)) sum ^= words[i + j];
      EXPECT_EQ(sum, words[i + (size_t{1} << k)]) << k;
    }
  }
}

TEST(FillUniform, LongRunsAreTheSequentialStream) {
  Pcg64 a(1, 2), b(1, 2);
  std::vector<double> filled(200'001);
  fill_uniform(a, filled);
  for (double x : filled) ASSERT_EQ(x, b.next_double());
  EXPECT_EQ(a.state(), b.state());
}

TEST(ZigguratTables, StripsHaveEqualArea) {
  const auto& t = ZigguratTables::instance().normal;
  const auto abscissa = [&](int i) { return t.width[i] * 4503599627370496.0; };
  const double area = abscissa(255) * (t.height[254] - t.height[255]);
  for (int i = 2; i < 255; ++i) EXPECT_NEAR(abscissa(i + 1) * (t.height[i] - t.height[i + 1]), area, 1e-14) << i;
  EXPECT_EQ(abscissa(255), normal_tail);
}

TEST(DrawBounded, EveryValueOfASmallRangeComesUp) {
  Pcg64 bits(3, 4);
  std::vector<int> seen(7);
  for (int i = 0; i < 1000; ++i) ++seen.at(draw_bounded(bits, 6));
  for (int count : seen) EXPECT_GT(count, 80);
  EXPECT_EQ(draw_bounded(bits, 0), 0u);
}

}  // namespace
}  // namespace tessera::library
