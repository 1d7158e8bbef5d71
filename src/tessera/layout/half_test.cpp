#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tessera/layout/dtype.h"

namespace tessera {
namespace {

TEST(HalfTest, EveryHalfSurvivesARoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = half_to_float(static_cast<uint16_t>(bits));
    EXPECT_EQ(float_to_half(value), bits);
    // Widening to double quiets a signalling NaN.
    EXPECT_EQ(double_to_half(value), std::isnan(value) ? bits | 0x200 : bits);
  }
}

TEST(HalfTest, TiesRoundToEven) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    double low = half_to_float(static_cast<uint16_t>(bits)), high = half_to_float(static_cast<uint16_t>(bits + 1));
    double middle = (low + high) / 2;
    EXPECT_EQ(double_to_half(middle), bits + (bits & 1));
    EXPECT_EQ(float_to_half(static_cast<float>(middle)), bits + (bits & 1));
    EXPECT_EQ(double_to_half(std::nextafter(middle, 0.0)), bits);
    EXPECT_EQ(double_to_half(std::nextafter(middle, 1e9)), bits + 1);
  }
  EXPECT_EQ(double_to_half(65519.999), 0x7BFF);
  EXPECT_EQ(double_to_half(65520), 0x7C00);
  EXPECT_EQ(float_to_half(1e-8f), 0);
}

TEST(HalfTest, Bfloat16RoundsToNearestEven) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.00390625f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.01171875f), 0x3F82);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(NAN))));
}

}  // namespace
}  // namespace tessera
