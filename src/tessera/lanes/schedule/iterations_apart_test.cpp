#include <gtest/gtest.h>

#include "tessera/ir/builder.h"
#include "tessera/ir/new_memory.h"
#include "tessera/lanes/schedule/iterations_apart.h"

namespace tessera::lanes {
namespace {

using ir::Builder;
using ir::Value;
using Values = std::vector<Value>;

constexpr DType i64 = DType::int64, f64 = DType::float64;

class IterationsApart : public testing::Test {
 protected:
  uint32_t table(bool no_alias = true) {
    return b.add_buffer({.dtype = f64, .ndim = 2, .writable = true, .no_alias = no_alias});
  }
  uint32_t heap() { return b.add_buffer({.dtype = f64, .ndim = 1, .writable = true, .no_alias = false}); }
  Value memory() { return b.call_host(ir::allocate, std::vector{number(100), number(12)}); }
  Value number(int64_t k) { return b.constant(i64, static_cast<double>(k)); }
  void put(uint32_t buffer, Value value, const Values& at) { b.store(buffer, value, at); }
  Value from(uint32_t buffer, const Values& at) { return b.load(buffer, at); }
  SharedElements found(const std::function<void(Value)>& body, int64_t step = 1) {
    b.for_(number(0), b.dimension(0, 1), number(step), {}, [&](std::span<const Value> args) {
      body(args[0]);
      return Values{};
    });
    const ir::Kernel kernel = b.take();
    for (Value v = 0; v < kernel.instructions.size(); ++v)
      if (kernel.instructions[v].op == ir::Opcode::for_) return find_shared_elements(kernel, v);
    return {};
  }
  Builder b{0};
};

TEST_F(IterationsApart, share_nothing_where_each_updates_its_element) {
  const uint32_t x = table();
  const Value row = b.dimension(x, 0);
  const SharedElements shared = found([&](Value j) { put(x, from(x, {row, j}), {row, j}); });
  EXPECT_TRUE(shared.none && shared.early.empty());
}

TEST_F(IterationsApart, share_nothing_where_another_row_is_read_at_the_same_place) {
  const uint32_t x = table();
  EXPECT_TRUE(found([&](Value j) { put(x, from(x, {b.dimension(x, 0), j}), {number(3), j}); }).none);
}

TEST_F(IterationsApart, share_elements_where_a_neighbour_is_read) {
  const uint32_t x = table();
  EXPECT_FALSE(found([&](Value j) { put(x, from(x, {number(0), b.add(j, number(1))}), {number(0), j}); }).none);
}

TEST_F(IterationsApart, share_elements_where_arrays_may_share_memory) {
  const uint32_t x = table(false), y = table();
  EXPECT_FALSE(found([&](Value j) { put(x, from(y, {number(0), j}), {number(0), j}); }).none);
}

TEST_F(IterationsApart, share_elements_where_all_store_one) {
  const uint32_t x = table();
  EXPECT_FALSE(found([&](Value j) { put(x, b.cast(j, f64), {number(0), number(1)}); }).none);
}

TEST_F(IterationsApart, load_one_element_early_that_one_of_them_stores) {
  const uint32_t x = table();
  const Value k = b.dimension(x, 0);
  const SharedElements shared = found([&](Value j) { put(x, from(x, {number(2), k}), {number(2), j}); });
  EXPECT_TRUE(shared.none);
  EXPECT_EQ(shared.met_at, k);
  EXPECT_EQ(shared.early.size(), 1u);
}

TEST_F(IterationsApart, do_not_load_early_what_is_stored_before) {
  const uint32_t x = table();
  const Value k = b.dimension(x, 0);
  EXPECT_FALSE(found([&](Value j) {
                 put(x, b.cast(j, f64), {number(2), j});
                 put(x, from(x, {number(2), k}), {number(3), j});
               }).none);
}

TEST_F(IterationsApart, do_not_load_early_in_steps_or_under_a_condition) {
  const uint32_t x = table();
  const Value k = b.dimension(x, 0);
  EXPECT_FALSE(found([&](Value j) { put(x, from(x, {number(2), k}), {number(2), j}); }, 2).none);
  b = Builder(0);
  const uint32_t y = table();
  const Value at = b.dimension(y, 0);
  EXPECT_FALSE(found([&](Value j) {
                 const Values chosen = b.if_(
                     b.lt(j, number(5)), [&](auto) { return Values{from(y, {number(2), at})}; },
                     [&](auto) { return Values{b.constant(f64, 0)}; });
                 put(y, chosen[0], {number(2), j});
               }).none);
}

TEST_F(IterationsApart, know_new_memory_from_arguments_and_from_other_memory) {
  const uint32_t x = table(), fresh = heap();
  const Value one = memory(), other = memory();
  EXPECT_TRUE(found([&](Value j) {
                put(fresh, from(x, {number(0), b.add(j, number(1))}), {b.add(one, j)});
                put(fresh, from(x, {number(0), j}), {b.add(other, j)});
              }).none);
}

TEST_F(IterationsApart, share_elements_of_memory_from_elsewhere) {
  const uint32_t x = table(), fresh = heap();
  const Value begin = b.dimension(x, 0);
  EXPECT_FALSE(found([&](Value j) { put(fresh, from(x, {number(0), j}), {b.add(begin, j)}); }).none);
}

TEST_F(IterationsApart, share_elements_of_two_places_in_new_memory) {
  const uint32_t x = table(), fresh = heap();
  const Value one = memory(), row = b.mul(b.dimension(x, 0), b.dimension(x, 1));
  EXPECT_FALSE(found([&](Value j) { put(fresh, from(fresh, {b.add(one, j)}), {b.add(b.add(one, row), j)}); }).none);
}

TEST_F(IterationsApart, are_not_told_where_something_else_is_called) {
  const uint32_t x = table();
  EXPECT_FALSE(found([&](Value j) {
                 b.call_host(7, std::vector{j});
                 put(x, b.cast(j, f64), {number(0), j});
               }).none);
}

}  // namespace
}  // namespace tessera::lanes
