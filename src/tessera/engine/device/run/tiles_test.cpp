#include "tessera/engine/device/run/tiles.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tessera/engine/device/run/simulated_device.h"
#include "tessera/engine/engine.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {
namespace {

/// Copies to the simulated device take effect only when they are waited for.
TEST(Tiles, are_copied_both_ways_while_the_device_computes) {
  Engine& engine = Engine::instance();
  runtime::Device& device = simulated_device();
  const int64_t shape[] = {1 << 18};
  engine.settings().set_device("cpu");
  Array x = engine.empty(shape, DType::float64);
  auto* values = reinterpret_cast<double*>(engine.write(x));
  for (int64_t k = 0; k < shape[0]; ++k) values[k] = 1.0 + static_cast<double>(k % 1000);
  device.set_limit(device.statistics().bytes_in_use + (1 << 20));
  engine.settings().set_device("simulated");
  const int64_t launches = profile::value(profile::Counter::device_launches);
  const Array root = engine.map("sqrt", {x});
  const Array even = root.with_view(root.view.slice(0, 0, 2, shape[0] / 2));
  engine.assign(even, engine.map("negative", {even}), Context{});
  const auto* results = reinterpret_cast<const double*>(engine.read(root));
  EXPECT_GT(profile::value(profile::Counter::device_launches) - launches, 16);
  for (int64_t k = 0; k < shape[0]; ++k)
    ASSERT_EQ(results[k], (k % 2 ? 1 : -1) * std::sqrt(1.0 + static_cast<double>(k % 1000))) << k;
  device.set_limit(0);
  engine.settings().set_device("cpu");
}

}  // namespace
}  // namespace tessera::engine
