#include "tessera/kernel/passes/waits.h"

#include <gtest/gtest.h>

#include "tessera/ir/builder.h"

namespace tessera::kernel {

namespace {

using ir::Builder;
using ir::Value;

/// A loop while test() is true.
template <class Test>
bool waits(const Test& test) {
  Builder b(6, "k", 3);
  b.add_buffer({.dtype = DType::int32, .ndim = 1, .readable = true, .writable = true, .no_alias = false});
  const Value zero = b.constant(DType::int64, 0), none = b.constant(DType::int32, 0);
  b.while_(
      std::array{zero}, [&](std::span<const Value> args) { return std::vector{test(b, args[0], none)}; },
      [&](std::span<const Value> args) { return std::vector{b.add(args[0], b.constant(DType::int64, 1))}; });
  ir::Kernel kernel = b.take();
  mark_waits(kernel);
  ir::verify(kernel);
  return ir::waits_for_others(kernel);
}

}  // namespace

TEST(Waits, ALoopOnAnAtomicWaits) {
  EXPECT_TRUE(waits([](Builder& b, Value i, Value none) {
    return b.eq(b.atomic(ir::AtomicKind::add, 0, none, std::array{i}), none);
  }));
}

TEST(Waits, ALoopOnItsOwnCountDoesNotWaitThoughItHasAtomics) {
  EXPECT_FALSE(waits([](Builder& b, Value i, Value none) {
    b.atomic(ir::AtomicKind::add, 0, none, std::array{i});
    return b.lt(i, b.constant(DType::int64, 10));
  }));
}

TEST(Waits, ALoadWaitsWhereItIsRepeatedOrBesideAFence) {
  EXPECT_FALSE(waits([](Builder& b, Value i, Value none) { return b.eq(b.load(0, std::array{i}), none); }));
  EXPECT_TRUE(waits(
      [](Builder& b, Value i, Value none) { return b.eq(b.load(0, std::array{i}, ir::CacheHint::reread), none); }));
  EXPECT_TRUE(waits([](Builder& b, Value i, Value none) {
    b.fence(ir::FenceScope::device);
    return b.eq(b.load(0, std::array{i}), none);
  }));
}

}  // namespace tessera::kernel
