#include "tessera/engine/device/placement/device_set.h"

#include <gtest/gtest.h>

#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/run/simulated_device.h"

namespace tessera::engine {
namespace {

constexpr int64_t large_bytes = 1 << 20;

using Operands = std::vector<const graph::Version*>;

/// Three simulated devices that no other test uses.
class DeviceSetTest : public ::testing::Test {
 protected:
  static runtime::Device& device(int number) { return simulated_device(50 + number); }
  static Ref<graph::Version> version_on(std::initializer_list<int> numbers) {
    eager::install_memory_hooks();
    Ref<graph::Version> version = eager::make_settled(large_bytes);
    for (int number : numbers) on_device(*version, device(number));
    return version;
  }
  void TearDown() override {
    for (int number = 0; number < 3; ++number) device(number).set_limit(0);
  }
  /// The number of the device on which such work runs.
  int run(const Operands& operands, int64_t nbytes = large_bytes) {
    const DeviceSet::Chosen chosen = set_.choose(operands, nbytes);
    set_.take_turn(chosen);
    return set_.number_of(chosen.device);
  }
  int ask(const Operands& operands, int64_t nbytes = large_bytes) const {
    return set_.number_of(set_.choose(operands, nbytes).device);
  }

  DeviceSet set_{"simulated:3", {&device(0), &device(1), &device(2)}};
};

TEST_F(DeviceSetTest, work_that_runs_elsewhere_takes_no_turn) {
  const auto a = version_on({}), b = version_on({});
  EXPECT_EQ(ask({a.get()}), 0);
  EXPECT_EQ(ask({b.get()}), 0);
  EXPECT_EQ(run({a.get()}), 0);
  EXPECT_EQ(ask({b.get()}), 1);
  EXPECT_EQ(ask({}), 1);
  EXPECT_EQ(run({b.get()}), 1);
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(run({}), 0);
}

TEST_F(DeviceSetTest, work_that_is_asked_for_again_gets_the_same_device) {
  const auto a = version_on({}), b = version_on({});
  EXPECT_EQ(run({a.get(), b.get()}), 0);
  EXPECT_EQ(run({a.get()}), 0);
  EXPECT_EQ(run({b.get()}), 1);
}

TEST_F(DeviceSetTest, work_stays_with_its_data_and_takes_no_turn) {
  const auto on_second = version_on({1}), on_both = version_on({1, 2}), nowhere = version_on({});
  EXPECT_EQ(run({on_second.get()}), 1);
  EXPECT_EQ(run({nowhere.get(), on_both.get()}), 1);
  EXPECT_EQ(run({on_both.get(), version_on({2}).get()}), 2);
  EXPECT_EQ(run({nowhere.get()}), 0);
}

TEST_F(DeviceSetTest, work_that_finds_no_room_beside_its_data_takes_a_turn) {
  const auto a = version_on({1}), b = version_on({1});
  device(1).set_limit(2 * large_bytes);
  EXPECT_EQ(run({a.get()}, 3 * large_bytes), 0);
  EXPECT_EQ(run({b.get()}, 3 * large_bytes), 2);
  EXPECT_EQ(run({b.get()}), 1);
}

TEST_F(DeviceSetTest, work_that_fits_nowhere_is_told_by_the_largest) {
  device(0).set_limit(large_bytes);
  device(1).set_limit(3 * large_bytes);
  device(2).set_limit(2 * large_bytes);
  EXPECT_EQ(set_.capacity(), 3 * large_bytes);
  EXPECT_EQ(run({}, 4 * large_bytes), 1);
  EXPECT_EQ(run({}, large_bytes), 0);
}

TEST_F(DeviceSetTest, small_work_takes_no_turn) {
  EXPECT_EQ(run({}, 1000), 0);
  EXPECT_EQ(run({}, 1000), 0);
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(run({}, 1000), 1);
}

TEST_F(DeviceSetTest, memory_that_others_see_decides) {
  const auto lent = version_on({2}), rest = version_on({0});
  lent->lent = true;
  EXPECT_EQ(run({rest.get(), rest.get(), lent.get()}), 2);
  EXPECT_EQ(run({}), 0);
}

}  // namespace
}  // namespace tessera::engine
