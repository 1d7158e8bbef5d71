// Launches of user kernels: shapes, operands and the order with other work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/engine/engine.h"
#include "tessera/ir/user_kernels.h"

namespace tessera {
namespace {

using KernelRef = std::shared_ptr<const ir::Kernel>;

KernelRef share(ir::Kernel kernel) { return std::make_shared<const ir::Kernel>(std::move(kernel)); }

/// a[i] = a[i] + b[i]: reads what it writes
ir::Kernel add_to_kernel() {
  ir::UserBuilder b("add_to");
  const uint32_t to = b.write(DType::float64, 1, true), from = b.read(DType::float64, 1);
  const ir::Value i = b.whole('x');
  b.when(b.lt(i, b.dimension(to, 0)), [&] { b.put(to, b.add(b.at(to, {i}), b.at(from, {i})), {i}); });
  return b.take();
}

/// to[0] = from[0]; then to[1] = from[1] + 1 and so on, by one thread: the order of loads and stores shows
ir::Kernel chain_kernel() {
  ir::UserBuilder b("chain");
  const uint32_t from = b.read(DType::float64, 1), to = b.write(DType::float64, 1);
  const ir::Value one = b.number(1);
  b.for_(b.number(0), b.dimension(to, 0), one, {}, [&](auto args) {
    b.put(to, b.add(b.at(from, {args[0]}), b.constant(DType::float64, 1)), {args[0]});
    return std::vector<ir::Value>{};
  });
  return b.take();
}

struct Case {
  const char* device;
  Settings::Compile compile;
};

class LaunchTest : public ::testing::TestWithParam<Case> {
 protected:
  LaunchTest() {
    engine_.settings().set_device(GetParam().device);
    set_compile(GetParam().compile);
  }
  ~LaunchTest() override {
    engine_.settings().set_device("cpu");
    set_compile(Settings::Compile::when_hot);
  }
  void set_compile(Settings::Compile compile) {
    engine_.settings().options().compile = compile;
    engine_.settings().apply_options();
  }

  Array counted(Dims shape) {
    Array array = engine_.empty(shape, DType::float64);
    auto* data = reinterpret_cast<double*>(engine_.write(array));
    for (int64_t i = 0; i < array.size(); ++i) data[i] = static_cast<double>((i * 7919) % 1000) / 8 - 40;
    return array;
  }
  Array times(const Array& a, double factor) {
    return engine_.map("multiply", {a, Operand(Scalar::of_float(DType::float64, factor))});
  }
  std::vector<double> values(const Array& array) {
    const Array dense = engine_.contiguous(array, DType::float64);
    const auto* data = reinterpret_cast<const double*>(engine_.read(dense));
    return {data, data + array.size()};
  }
  void launch(const KernelRef& kernel, const LaunchShape& shape, std::vector<Array> arrays,
              std::vector<Scalar> scalars = {}) {
    engine_.launch(kernel, shape, arrays, scalars);
  }
  std::string refusal(const KernelRef& kernel, const LaunchShape& shape, std::vector<Array> arrays) {
    try {
      launch(kernel, shape, std::move(arrays));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  Engine& engine_ = Engine::instance();
  const KernelRef add_ = share(ir::vector_add_kernel()), add_to_ = share(add_to_kernel());
};

TEST_P(LaunchTest, APendingOperandIsComputedAndALaterReadSeesTheWrites) {
  const Array a = counted({50'000}), pending = times(a, 2), result = counted({50'000});
  const Array before = times(result, 1);  // recorded before the launch, run after it
  const std::vector<double> was = values(counted({50'000})), from = values(a);
  launch(add_, {.grid = {391, 1, 1}, .block = {128, 1, 1}}, {a, pending, result});
  const std::vector<double> got = values(times(result, 2)), old = values(before);
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k], 6 * from[k]);
    ASSERT_EQ(old[k], was[k]);
  }
}

TEST_P(LaunchTest, ManyLaunchesRunInTheirOrder) {
  const Array sum = times(counted({3000}), 0), one = engine_.full(Dims{3000}, Scalar::of_float(DType::float64, 1));
  for (int k = 0; k < 100; ++k) {
    launch(add_to_, {.grid = {24, 1, 1}, .block = {128, 1, 1}}, {sum, one});
    if (k % 10 == 0) engine_.assign(one, Operand(Scalar::of_float(DType::float64, k)), {});
  }
  double want = 1;
  for (int k = 1; k < 100; ++k) want += (k - 1) / 10 * 10;
  for (const double x : values(sum)) ASSERT_EQ(x, want);
}

TEST_P(LaunchTest, ViewsWithAnyStridesAreReadAndWritten) {
  const Array a = counted({40, 60}), b = counted({61, 40});
  const Array turned = a.with_view(a.view.transpose());
  const Array part = b.with_view(b.view.slice(0, 60, -1, 60));  // rows in reverse, the first one left out
  launch(share(ir::transpose_kernel()), {.grid = {3, 8, 1}, .block = {16, 8, 1}}, {turned.with_view(a.view), part},
         {Scalar::of_float(DType::float64, 1.5)});
  const std::vector<double> got = values(b), from = values(a), was = values(counted({61, 40}));
  for (size_t j = 0; j < 40; ++j) {
    ASSERT_EQ(got[j], was[j]);
    for (size_t i = 0; i < 60; ++i)
      ASSERT_EQ(got[(60 - i) * 40 + j], 1.5 * from[j * 60 + i] + (static_cast<double>(i) - static_cast<double>(j)));
  }
}

TEST_P(LaunchTest, OneArrayMayBeGivenTwiceAndOverlapItself) {
  const Array a = counted({1000});
  const std::vector<double> was = values(a);
  launch(add_, {.grid = {8, 1, 1}, .block = {128, 1, 1}}, {a, a, a});
  const std::vector<double> doubled = values(a);
  for (size_t k = 0; k < was.size(); ++k) ASSERT_EQ(doubled[k], 2 * was[k]);
  // Each element comes from the one that was stored just before.
  const Array from = a.with_view(a.view.slice(0, 0, 1, 999)), to = a.with_view(a.view.slice(0, 1, 1, 999));
  launch(share(chain_kernel()), {}, {from, to});
  const std::vector<double> got = values(a);
  for (size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], doubled[0] + static_cast<double>(k));
}

TEST_P(LaunchTest, ACopyKeepsItsContents) {
  const Array a = counted({2000}), one = engine_.full(Dims{2000}, Scalar::of_float(DType::float64, 1));
  const Array copy = engine_.copy(a, DType::float64, Order::c);
  const std::vector<double> was = values(counted({2000}));
  launch(add_to_, {.grid = {16, 1, 1}, .block = {128, 1, 1}}, {a, one});
  EXPECT_EQ(values(copy), was);
  const std::vector<double> got = values(a);
  for (size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], was[k] + 1);
}

TEST_P(LaunchTest, MemoryOfOtherCodeIsWrittenInPlace) {
  std::vector<double> memory(500, 3);
  {
    const View view = View::contiguous(Dims{500}, DType::float64);
    const Array theirs = engine_.wrap(memory.data(), 4000, view, true, [] {});
    launch(add_to_, {.grid = {4, 1, 1}, .block = {128, 1, 1}}, {theirs, times(theirs, 2)});
    for (const double x : memory) ASSERT_EQ(x, 9);
    launch(add_to_, {.grid = {4, 1, 1}, .block = {128, 1, 1}}, {theirs, theirs});
    for (const double x : memory) ASSERT_EQ(x, 18);
  }
}

TEST_P(LaunchTest, BlocksMeetAtBarriersInOneToThreeAxes) {
  const KernelRef sum = share(ir::block_sum_kernel());
  const Array a = counted({1000});
  const std::vector<double> from = values(a);
  for (const std::array<int64_t, 3>& block : {std::array<int64_t, 3>{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}) {
    const Array sums = counted({4});
    launch(sum, {.grid = {4, 1, 1}, .block = block}, {a, sums});
    const std::vector<double> got = values(sums);
    for (size_t k = 0; k < 4; ++k) {
      double want = 0;
      for (size_t i = 256 * k; i < std::min<size_t>(1000, 256 * (k + 1)); ++i) want += from[i];
      ASSERT_EQ(got[k], want);
    }
  }
}

TEST_P(LaunchTest, TilesInSharedMemoryMultiplyMatrices) {
  const Array x = counted({50, 37}), y = counted({37, 40}), z = counted({50, 40});
  launch(share(ir::matmul_kernel()), {.grid = {3, 4, 1}, .block = {16, 16, 1}}, {x, y, z});
  const std::vector<double> a = values(x), b = values(y), got = values(z);
  for (size_t i = 0; i < 50; ++i)
    for (size_t j = 0; j < 40; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 37; ++k) sum += a[i * 37 + k] * b[k * 40 + j];
      ASSERT_EQ(got[i * 40 + j], sum);
    }
}

TEST_P(LaunchTest, AtomicsCountFromAllBlocks) {
  Array from = engine_.empty(Dims{20'000}, DType::int32), counts = engine_.empty(Dims{64}, DType::int32);
  auto* data = reinterpret_cast<int32_t*>(engine_.write(from));
  std::memset(engine_.write(counts), 0, 256);
  std::vector<int32_t> want(64);
  for (int64_t k = 0; k < 20'000; ++k) ++want[static_cast<size_t>(data[k] = static_cast<int32_t>(k * k % 61))];
  launch(share(ir::histogram_kernel()), {.grid = {40, 1, 1}, .block = {128, 1, 1}}, {from, counts});
  const auto* got = reinterpret_cast<const int32_t*>(engine_.read(counts));
  EXPECT_EQ(std::vector<int32_t>(got, got + 64), want);
}

TEST_P(LaunchTest, EmptyArraysAreAccepted) {
  const Array a = engine_.empty(Dims{0}, DType::float64), b = engine_.empty(Dims{0}, DType::float64);
  launch(add_, {.grid = {2, 1, 1}, .block = {32, 1, 1}}, {a, a, b});
  EXPECT_TRUE(values(b).empty());
}

TEST_P(LaunchTest, ErrorsNameTheLimitAndTheValue) {
  const Array a = counted({10});
  EXPECT_EQ(refusal(add_, {.block = {2048, 1, 1}}, {a, a, a}),
            "launch of vector_add: block x is 2048; the limit is 1024");
  EXPECT_EQ(refusal(add_, {.block = {1, 1, 65}}, {a, a, a}), "launch of vector_add: block z is 65; the limit is 64");
  EXPECT_EQ(refusal(add_, {.block = {64, 32, 1}}, {a, a, a}),
            "launch of vector_add: 64 x 32 x 1 = 2048 threads a block; the limit is 1024");
  EXPECT_EQ(refusal(add_, {.grid = {1, 65536, 1}}, {a, a, a}),
            "launch of vector_add: grid y is 65536; the limit is 65535");
  EXPECT_EQ(refusal(add_, {.grid = {0, 1, 1}}, {a, a, a}),
            "launch of vector_add: grid x is 0; a launch needs at least 1");
  EXPECT_EQ(refusal(add_, {}, {a, a}), "launch of vector_add: 2 arrays and 0 scalars are given; it takes 3 and 0");
  const Array matrix = counted({2, 5});
  EXPECT_EQ(refusal(add_, {}, {a, matrix, a}),
            "launch of vector_add: array 1 has 2 axes of float64; the kernel takes 1 of float64");
  const Array constant = counted({10});
  constant.storage->writable = false;
  EXPECT_EQ(refusal(add_, {}, {constant, a, a}), "accepted");
  EXPECT_EQ(refusal(add_, {}, {a, a, constant}), "launch of vector_add: the kernel writes array 2, which is read-only");
}

INSTANTIATE_TEST_SUITE_P(Everywhere, LaunchTest,
                         ::testing::Values(Case{"cpu", Settings::Compile::when_hot},
                                           Case{"cpu", Settings::Compile::never},
#ifndef TESSERA_ONLY_INTERPRETED
                                           Case{"cpu", Settings::Compile::before_baseline},
                                           Case{"cpu", Settings::Compile::before_full},
#endif
                                           Case{"simulated", Settings::Compile::when_hot},
                                           Case{"auto:simulated", Settings::Compile::when_hot}));

}  // namespace
}  // namespace tessera
