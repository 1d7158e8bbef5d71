#include "tessera/kernel/types/conversion.h"

#include <gtest/gtest.h>

namespace tessera::kernel {
namespace {

std::vector<size_t> choose(DType given, std::vector<DType> wanted) {
  std::vector<std::vector<Type>> signatures;
  for (DType one : wanted) signatures.push_back({Type::scalar(one)});
  return choose_signatures(std::vector{Type::scalar(given)}, signatures);
}

TEST(Conversion, an_unsigned_integer_stays_an_integer) {
  EXPECT_EQ(choose(DType::uint8, {DType::float32, DType::int16}), (std::vector<size_t>{1}));
  EXPECT_EQ(choose(DType::uint8, {DType::uint64, DType::int64}), (std::vector<size_t>{0}));
  EXPECT_EQ(choose(DType::uint32, {DType::float64, DType::int64}), (std::vector<size_t>{1}));
}

TEST(Conversion, what_holds_the_number_comes_before_what_may_not) {
  EXPECT_EQ(choose(DType::uint16, {DType::int16, DType::uint32}), (std::vector<size_t>{1}));
  EXPECT_EQ(choose(DType::int64, {DType::int8, DType::float64}), (std::vector<size_t>{1}));
}

TEST(Conversion, an_imaginary_part_is_not_lost) {
  EXPECT_TRUE(choose(DType::complex64, {DType::float64, DType::int64}).empty());
}

TEST(Conversion, signatures_that_are_as_good_are_all_there) {
  EXPECT_EQ(choose(DType::int32, {DType::int64, DType::int64, DType::int8}), (std::vector<size_t>{0, 1}));
}

TEST(Conversion, one_bad_conversion_is_worse_than_two_good_ones) {
  const std::vector<Type> given{Type::scalar(DType::int32), Type::scalar(DType::int32)};
  const std::vector<std::vector<Type>> signatures{{Type::scalar(DType::int8), Type::scalar(DType::int32)},
                                                  {Type::scalar(DType::int64), Type::scalar(DType::int64)}};
  EXPECT_EQ(choose_signatures(given, signatures), (std::vector<size_t>{1}));
}

TEST(Conversion, a_call_without_arguments_takes_only_signatures_without_parameters) {
  const std::vector<std::vector<Type>> signatures{{Type::scalar(DType::int8)}, {}};
  EXPECT_EQ(choose_signatures({}, signatures), (std::vector<size_t>{1}));
}

TEST(Conversion, none_and_values_become_optional) {
  const Type optional = TypeParts{.kind = TypeKind::optional, .elements = {Type::scalar(DType::float64)}};
  EXPECT_EQ(conversion(Type{}, optional), Conversion::safe);
  EXPECT_EQ(conversion(Type::scalar(DType::float32), optional), Conversion::safe);
  EXPECT_EQ(conversion(Type::tuple({}), optional), std::nullopt);
}

TEST(Conversion, a_named_tuple_is_a_tuple) {
  const Type named = Type::tuple({Type::scalar(DType::int64)}, {"x"});
  EXPECT_EQ(conversion(named, Type::tuple({Type::scalar(DType::int64)})), Conversion::same);
}

TEST(Conversion, records_with_more_fields_are_taken) {
  const Type two = TypeParts{.kind = TypeKind::record,
                             .elements = {Type::scalar(DType::int8), Type::scalar(DType::int8)},
                             .names = {"a", "b"}};
  const Type one = TypeParts{.kind = TypeKind::record, .elements = {Type::scalar(DType::int8)}, .names = {"a"}};
  EXPECT_EQ(conversion(two, one), Conversion::safe);
  EXPECT_EQ(conversion(one, two), std::nullopt);
}

}  // namespace
}  // namespace tessera::kernel
