#include "tessera/layout/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tessera {
namespace {

// numpy.promote_types as type codes, rows and columns in the order of `codes`.
constexpr std::string_view codes = "?bBhHiIlLefdFD";
constexpr std::string_view promotions[] = {
    "?bBhHiIlLefdFD", "bbhhiilldefdFD", "BhBhHiIlLefdFD", "hhhhiilldffdFD", "HiHiHiIlLffdFD",
    "iiiiiillddddDD", "IlIlIlIlLdddDD", "llllllllddddDD", "LdLdLdLdLdddDD", "eeeffddddefdFD",
    "fffffddddffdFD", "ddddddddddddDD", "FFFFFDDDDFFDFD", "DDDDDDDDDDDDDD",
};

TEST(DTypeTest, PromotionEqualsNumPys) {
  for (size_t a = 0; a < codes.size(); ++a) {
    for (size_t b = 0; b < codes.size(); ++b) {
      EXPECT_EQ(promote(*dtype_from_code(codes[a]), *dtype_from_code(codes[b])), *dtype_from_code(promotions[a][b]))
          << codes[a] << codes[b];
    }
  }
}

TEST(DTypeTest, Bfloat16MeetsOthersAsInJax) {
  EXPECT_EQ(promote(DType::bfloat16, DType::float16), DType::float32);
  EXPECT_EQ(promote(DType::int8, DType::bfloat16), DType::bfloat16);
  EXPECT_EQ(promote(DType::bfloat16, DType::float64), DType::float64);
  EXPECT_EQ(promote(DType::bfloat16, DType::complex64), DType::complex64);
}

TEST(DTypeTest, WeakScalarsKeepTheArraysType) {
  EXPECT_EQ(promote_weak(DType::uint8, DTypeKind::signed_integer), DType::uint8);
  EXPECT_EQ(promote_weak(DType::boolean, DTypeKind::signed_integer), DType::int64);
  EXPECT_EQ(promote_weak(DType::int8, DTypeKind::floating), DType::float64);
  EXPECT_EQ(promote_weak(DType::float16, DTypeKind::floating), DType::float16);
  EXPECT_EQ(promote_weak(DType::float32, DTypeKind::complex), DType::complex64);
  EXPECT_EQ(promote_weak(DType::int32, DTypeKind::complex), DType::complex128);
}

TEST(DTypeTest, CastingRulesFollowNumPy) {
  EXPECT_TRUE(can_cast(DType::int64, DType::float64, Casting::safe));
  EXPECT_FALSE(can_cast(DType::int64, DType::float32, Casting::safe));
  EXPECT_TRUE(can_cast(DType::int64, DType::float16, Casting::same_kind));
  EXPECT_TRUE(can_cast(DType::uint64, DType::int8, Casting::same_kind));
  EXPECT_FALSE(can_cast(DType::int8, DType::uint64, Casting::same_kind));
  EXPECT_FALSE(can_cast(DType::complex64, DType::float64, Casting::same_kind));
  EXPECT_FALSE(can_cast(DType::int16, DType::bfloat16, Casting::safe));
  EXPECT_FALSE(can_cast(DType::float32, DType::float64, Casting::equiv));
}

TEST(ScalarTest, CastsWrapAsOnX86) {
  EXPECT_EQ(Scalar::of_int(DType::int64, 300).cast_to(DType::uint8).as_int(), 44);
  EXPECT_EQ(Scalar::of_float(DType::float64, -1.5).cast_to(DType::uint8).as_int(), 255);
  EXPECT_EQ(Scalar::of_float(DType::float64, 1e300).cast_to(DType::int32).as_int(),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Scalar::of_float(DType::float64, NAN).cast_to(DType::int64).as_int(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Scalar::of_float(DType::float64, 0x1p63).cast_to(DType::uint64).as_int(),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Scalar::of_complex(DType::complex128, {0, 2}).cast_to(DType::boolean).as_int(), 1);
}

TEST(ScalarTest, EqualMeansSameTypeAndBits) {
  EXPECT_EQ(Scalar::of_float(DType::float32, 1), Scalar::of_float(DType::float32, 1));
  EXPECT_FALSE(Scalar::of_float(DType::float32, 1) == Scalar::of_float(DType::float64, 1));
  EXPECT_FALSE(Scalar::of_float(DType::float64, 0.0) == Scalar::of_float(DType::float64, -0.0));
}

}  // namespace
}  // namespace tessera
