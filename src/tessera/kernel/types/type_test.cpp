#include "tessera/kernel/types/type.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace tessera::kernel {
namespace {

TEST(KernelType, integers_compute_in_64_bits) {
  EXPECT_EQ(arithmetic_dtype(DType::int8, DType::int16), DType::int64);
  EXPECT_EQ(arithmetic_dtype(DType::uint8, DType::uint32), DType::uint64);
  EXPECT_EQ(arithmetic_dtype(DType::uint32, DType::int64), DType::int64);
  EXPECT_EQ(arithmetic_dtype(DType::uint64, DType::int64), DType::int64);  // as in Numba from 0.68 on
  EXPECT_EQ(arithmetic_dtype(DType::boolean, DType::boolean), DType::int64);
}

TEST(KernelType, floats_promote_as_in_numpy) {
  EXPECT_EQ(arithmetic_dtype(DType::float32, DType::float32), DType::float32);
  EXPECT_EQ(arithmetic_dtype(DType::float32, DType::int64), DType::float64);
  EXPECT_EQ(arithmetic_dtype(DType::float16, DType::float32), DType::float32);
}

TEST(KernelType, tuples_unify_element_by_element) {
  const Type a = Type::tuple({Type::scalar(DType::int64), Type::scalar(DType::float32)});
  const Type b = Type::tuple({Type::scalar(DType::float64), Type::scalar(DType::float32)});
  EXPECT_EQ(describe(*unify(a, b)), "tuple(float64, float32)");
  EXPECT_FALSE(unify(a, Type::scalar(DType::int64)));
  EXPECT_FALSE(unify(a, Type::tuple({Type::scalar(DType::int64)})));
}

TEST(KernelType, equal_types_are_one) {
  const Type a = Type::tuple({Type::scalar(DType::int64)}, {"x"}), b = Type::tuple({Type::scalar(DType::int64)}, {"x"});
  EXPECT_EQ(&*a, &*b);
  EXPECT_NE(&*a, &*Type::tuple({Type::scalar(DType::int64)}, {"y"}));
  EXPECT_EQ(&*Type(), &*Type::tuple({Type()})->elements[0]);
}

TEST(KernelType, what_a_type_holds_ends_with_it) {
  auto function = std::make_shared<const Function>();
  const std::weak_ptr<const Function> alive = function;
  {
    const Type one = Type::tuple({Type::of_entity({.kind = EntityKind::function, .function = std::move(function)})});
    EXPECT_EQ(one, Type::tuple({Type::of_entity({.kind = EntityKind::function, .function = alive.lock()})}));
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace tessera::kernel
