#include <gtest/gtest.h>

#include <cstring>

#include "tessera/engine/engine.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {
namespace {

class LaunchWave : public ::testing::Test {
 protected:
  ~LaunchWave() override {
    runtime::set_thread_count(threads_);
    engine_.settings().options() = options_;
    engine_.settings().apply_options();
  }

  Array add(const Array& a, const Array& b) { return engine_.map("add", {a, b}); }
  Array scaled(const Array& a, double by) {
    return engine_.map("multiply", {a, Operand(Scalar::of_float(DType::float64, by))});
  }
  static Array part(const Array& a, int64_t row, int64_t column) {
    return a.with_view(a.view.slice(0, row, 1, a.shape()[0] - 2).slice(1, column, 1, a.shape()[1] - 2));
  }

  /// A stencil in place whose border is written again in every iteration.
  std::vector<double> heat(int iterations) {
    const int64_t shape[] = {900, 60};
    Array grid = engine_.empty(shape, DType::float64);
    auto* data = reinterpret_cast<double*>(engine_.write(grid));
    for (int64_t k = 0; k < grid.size(); ++k) data[k] = static_cast<double>(k * 37 % 101) / 7;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      const Array sum = add(add(part(grid, 0, 1), part(grid, 2, 1)), add(part(grid, 1, 0), part(grid, 1, 2)));
      engine_.assign(part(grid, 1, 1), scaled(sum, 0.24), {});
      engine_.assign(grid.with_view(grid.view.slice(0, 0, 1, 1)), grid.with_view(grid.view.slice(0, 1, 1, 1)), {});
    }
    const auto* result = reinterpret_cast<const double*>(engine_.read(grid));
    return {result, result + grid.size()};
  }

  Engine& engine_ = Engine::instance();
  const Settings::Options options_ = engine_.settings().options();
  const int threads_ = runtime::thread_count();
};

TEST_F(LaunchWave, ThreadsThatMarchTogetherGetTheBitsOfOneStepAfterAnother) {
  engine_.settings().options().wave_bytes = 0;
  engine_.settings().apply_options();
  runtime::set_thread_count(1);
  const std::vector<double> expected = heat(50);
  engine_.settings().options().wave_bytes = 60'000;
  engine_.settings().apply_options();
  for (const int threads : {1, 2, 3, 5}) {
    runtime::set_thread_count(threads);
    const int64_t before = profile::value(profile::Counter::waves);
    const std::vector<double> got = heat(50);
    EXPECT_GT(profile::value(profile::Counter::waves), before) << threads << " threads";
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), expected.size() * sizeof(double)), 0) << threads << " threads";
  }
}

}  // namespace
}  // namespace tessera
