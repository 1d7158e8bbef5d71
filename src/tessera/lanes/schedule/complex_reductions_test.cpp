#include <gtest/gtest.h>

#include "tessera/ir/builder.h"
#include "tessera/lanes/schedule/complex_reductions.h"

namespace tessera::lanes {
namespace {

ir::Kernel sum_kernel(DType dtype, const std::function<ir::Value(ir::Builder&, ir::Value)>& element) {
  ir::Builder b(1, "sum");
  const uint32_t a = b.add_buffer({.dtype = dtype, .ndim = 2, .inner = ir::InnerStride::contiguous});
  const uint32_t out = b.add_buffer({.dtype = dtype, .ndim = 1, .readable = false, .writable = true});
  const ir::Value row[] = {b.index(0)};
  const ir::Value sum = b.reduce(ir::ReduceKind::add, ir::ReduceOrder::pairwise, b.constant(DType::int64, 0),
                                 b.dimension(a, 1), [&](ir::Value k) {
                                   const ir::Value at[] = {row[0], k};
                                   return element(b, b.load(a, at));
                                 });
  b.store(out, sum, row);
  return b.take();
}

ir::Value itself(ir::Builder&, ir::Value x) { return x; }

TEST(ComplexReductions, are_the_two_of_a_complex_sum) {
  const ir::Kernel kernel = sum_kernel(DType::complex64, itself);
  const auto reductions = find_complex_reductions(kernel);
  ASSERT_EQ(reductions.size(), 1u);
  EXPECT_TRUE(load_alike(kernel, reductions.begin()->first, reductions.begin()->second));
  EXPECT_EQ(
      find_complex_reductions(sum_kernel(DType::complex128, [](ir::Builder& b, ir::Value x) { return b.mul(x, x); }))
          .size(),
      1u);
}

TEST(ComplexReductions, are_none_of_real_numbers) {
  EXPECT_TRUE(find_complex_reductions(sum_kernel(DType::float64, itself)).empty());
}

TEST(ComplexReductions, do_not_go_together_where_one_needs_the_other) {
  const std::string sums =
      "kernel sums 1 flags 0 {\n  buffer complex64 2 read contiguous no_alias\n  buffer float32 1 write contiguous "
      "no_alias\n"
      "  %0 = constant.int64 0\n  %1 = dimension.int64 @0.1\n  %2 = index.int64 @0\n"
      "  %3 = reduce.float32 add pairwise_complex %0 %1 {(%4:int64)\n    %5 = load.complex64 @0 %2 %4\n    %6 = "
      "real.float32 %5\n    yield %6\n  }\n"
      "  %8 = reduce.float32 add pairwise_complex %0 %1 {(%9:int64)\n    %10 = load.complex64 @0 %2 %9\n    %11 = "
      "real.float32 %10\n"
      "    %12 = sub.float32 %11 ";
  const std::string end = "\n    yield %12\n  }\n  %14 = add.float32 %3 %8\n  store.float32 @1 %14 %2\n}\n";
  EXPECT_EQ(find_complex_reductions(ir::parse(sums + "%11" + end)).size(), 1u);
  EXPECT_TRUE(find_complex_reductions(ir::parse(sums + "%3" + end)).empty());
}

}  // namespace
}  // namespace tessera::lanes
