#include "tessera/engine/device/placement/credits.h"
#include "tessera/eager/host_memory.h"

#include <gtest/gtest.h>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/placement/call_history.h"
#include "tessera/engine/device/run/simulated_device.h"

namespace tessera::engine {
namespace {

constexpr plan::MachineFacts plain_machine{.to_device = 1e9, .to_host = 1e9, .synchronise = 0, .copy_start = 0};
constexpr int64_t nbytes = 1 << 20;
constexpr double move = nbytes / 1e9;

Ref<graph::Version> on_host(int64_t size = nbytes) {
  eager::install_memory_hooks();
  return eager::make_settled(size);
}

Ref<graph::Version> on_simulated() {
  const Ref<graph::Version> version = on_host();
  set_device_buffer(*version, simulated_device().allocate(nbytes));
  return version;
}

/// One use of the versions, on the device if `there`, that saves or would have saved `saving` seconds there.
OperandCredits use(Origins& origins, std::initializer_list<graph::Version*> versions, bool there, double saving) {
  OperandCredits stakes(origins, plain_machine);
  for (graph::Version* version : versions) stakes.add(*version);
  stakes.settle(there, saving, stakes.sums(nullptr, nullptr).copying_back);
  return stakes;
}

double credit(Origins& origins, graph::Version& version) {
  OperandCredits stakes(origins, plain_machine);
  stakes.add(version);
  return stakes.sums(nullptr, nullptr).credit;
}

TEST(Credits, gather_with_the_array_whatever_uses_it) {
  Origins origins;
  const auto a = on_host(), b = on_host();
  use(origins, {a.get()}, false, 3 * move);
  use(origins, {a.get(), b.get()}, false, 2 * move);
  EXPECT_NEAR(credit(origins, *a), 4 * move, 1e-6);
  EXPECT_NEAR(credit(origins, *b), move, 1e-6);
}

TEST(Credits, count_an_operand_once_that_is_named_twice) {
  Origins origins;
  const auto a = on_host();
  OperandCredits stakes(origins, plain_machine);
  stakes.add(*a), stakes.add(*a);
  EXPECT_EQ(stakes.only_on_host(), nbytes);
}

TEST(Credits, fall_with_uses_that_the_host_is_better_at) {
  Origins origins;
  const auto a = on_host();
  use(origins, {a.get()}, false, move);
  use(origins, {a.get()}, false, -0.75 * move);
  EXPECT_NEAR(credit(origins, *a), 0.25 * move, 1e-6);
  use(origins, {a.get()}, false, -move);
  EXPECT_EQ(credit(origins, *a), 0);
}

TEST(Credits, are_used_up_by_the_move) {
  Origins origins;
  const auto a = on_host();
  use(origins, {a.get()}, false, move);
  use(origins, {a.get()}, true, move);
  EXPECT_EQ(a->credit, 0);
  EXPECT_TRUE(a->was_moved);
}

TEST(Credits, of_what_a_device_has_are_owed_to_the_host) {
  Origins origins;
  const auto a = on_simulated();
  use(origins, {a.get()}, true, -0.5 * move);
  OperandCredits stakes(origins, plain_machine);
  stakes.add(*a);
  EXPECT_NEAR(stakes.sums(nullptr, nullptr).debt, 0.5 * move, 1e-6);
  EXPECT_NEAR(stakes.sums(nullptr, nullptr).copying_back, move, 1e-6);
  EXPECT_EQ(stakes.sums(nullptr, nullptr).moving, 0);
}

TEST(Credits, include_what_comes_home_because_the_array_is_there) {
  Origins origins;
  const auto a = on_host(), b = on_simulated();
  use(origins, {a.get(), b.get()}, false, 0);
  EXPECT_NEAR(credit(origins, *a), move, 1e-6);
}

TEST(Credits, do_not_send_an_array_home_to_which_new_ones_would_have_to_follow) {
  Origins origins;
  const auto written = on_simulated();
  for (int k = 0; k < 100; ++k) use(origins, {written.get(), on_simulated().get()}, true, -0.25 * move);
  OperandCredits stakes(origins, plain_machine);
  stakes.add(*written);
  EXPECT_LT(stakes.sums(nullptr, nullptr).debt, move);
  for (int k = 0; k < 100; ++k) use(origins, {written.get()}, true, -0.25 * move);
  OperandCredits alone(origins, plain_machine);
  alone.add(*written);
  EXPECT_GT(alone.sums(nullptr, nullptr).debt, 20 * move);
}

TEST(Credits, of_arrays_that_new_ones_are_written_to_are_known_for_those_to_come) {
  Origins origins;
  for (int k = 0; k < 2; ++k) {
    const auto written = on_host();
    written->origin = origins.enter(1, nbytes);
    for (int j = 0; j < 20; ++j) use(origins, {written.get(), on_simulated().get()}, false, -0.25 * move);
  }
  EXPECT_GT(origins.expected(origins.enter(1, nbytes), nbytes), 4 * move);
}

TEST(Credits, are_inherited_by_results_byte_for_byte) {
  Origins origins;
  const auto a = on_host(), half = on_host(nbytes / 2);
  use(origins, {a.get()}, false, 2 * move);
  inherit(*half, *a, false);
  EXPECT_NEAR(credit(origins, *half), move, 1e-6);
}

TEST(Credits, of_arrays_to_come_are_what_those_before_them_earned) {
  Origins origins;
  constexpr uint64_t site = 7;
  for (int k = 0; k < 8; ++k) {
    const auto a = on_host();
    a->origin = origins.enter(site, nbytes);
    EXPECT_NEAR(origins.expected(a->origin, nbytes), k == 0 ? 0 : 3 * move, 1e-5);
    use(origins, {a.get()}, k > 0, 3 * move);
  }
  EXPECT_EQ(origins.expected(origins.enter(site + 1, nbytes), nbytes), 0);
  EXPECT_EQ(origins.expected(origins.enter(site, nbytes / 2), nbytes / 2), 0);
}

TEST(Credits, ask_more_for_arrays_that_are_moved_again_and_again) {
  Origins origins;
  const auto a = on_host();
  a->origin = origins.enter(1, nbytes);
  for (int k = 0; k < 4; ++k) use(origins, {a.get()}, true, move);
  OperandCredits stakes(origins, plain_machine);
  stakes.add(*a);
  EXPECT_NEAR(stakes.sums(nullptr, nullptr).moving, 2 * move, 1e-6);
}

TEST(Credits, do_not_take_from_a_device_what_was_made_from_lent_memory) {
  Origins origins;
  const auto lent = on_simulated(), result = on_simulated(), copy = on_host();
  lent->lent = true;
  inherit(*result, *lent, true);
  inherit(*copy, *lent, false);
  OperandCredits stakes(origins, plain_machine), others(origins, plain_machine);
  stakes.add(*result);
  others.add(*copy);
  EXPECT_EQ(stakes.lender(), &simulated_device());
  EXPECT_EQ(others.lender(), nullptr);
}

TEST(Credits, of_memory_that_others_may_write_are_not_kept) {
  Origins origins;
  const auto a = on_host();
  a->foreign = true;
  use(origins, {a.get()}, false, 5 * move);
  EXPECT_EQ(credit(origins, *a), 0);
}

TEST(CallHistory, takes_the_quickest_run_of_calls_alike_in_size) {
  CallHistory history;
  const plan::CallCost sort{.op = "sort", .host_steps = 1e6}, longer{.op = "sort", .host_steps = 1e8},
      other{.op = "scan", .host_steps = 1e6};
  const double guess = history.host_time(sort);
  history.note_host(sort, 4 * guess);
  EXPECT_NEAR(history.host_time(sort), 4 * guess, 1e-9);
  history.note_host(sort, 2 * guess);
  EXPECT_NEAR(history.host_time(sort), 2 * guess, 1e-9);
  EXPECT_NEAR(history.host_time(longer), 2 * plan::host_seconds(longer), 1e-6) << "sizes not seen yet go by the others";
  EXPECT_EQ(history.host_time(other), plan::host_seconds(other));
}

TEST(CallHistory, learns_little_from_one_slow_run) {
  double known = 0;
  for (const double seen : {20.0, 8000.0}) learn(known, seen);
  EXPECT_LT(known, 25);
  for (int k = 0; k < 100; ++k) learn(known, 8000);
  EXPECT_GT(known, 4000);
}

TEST(Waits, ThatWereLongWeighLessWithEachRunOnTheHost) {
  const uint32_t maker = new_maker();
  note_queued(maker, 1e-3);
  divide_wait(0.1);
  EXPECT_DOUBLE_EQ(seconds_waited_for(maker), 0.1);
  for (int k = 0; k < 128; ++k) forget_some(maker);
  EXPECT_NEAR(seconds_waited_for(maker), 0.1 * 0.367, 1e-3);
  EXPECT_EQ(seconds_waited_for(new_maker()), 0);
}

}  // namespace
}  // namespace tessera::engine
