#include "tessera/runtime/host/fibers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <stdexcept>
#include <vector>

namespace tessera::runtime {

TEST(Fibers, UnitsThatMeetSeeWhatAllHaveDoneBefore) {
  constexpr int64_t count = 37;
  std::vector<std::atomic<int>> steps(count);
  std::atomic<int> early{0};
  auto unit = [&](int64_t k, int64_t) {
    for (int step = 1; step <= 5; ++step) {
      steps[static_cast<size_t>(k)] = step;
      meet_fibers();
      for (const std::atomic<int>& other : steps) early += other < step;
      meet_fibers();
    }
  };
  run_fibers(count, unit);
  EXPECT_EQ(early, 0);
}

TEST(Fibers, AUnitWaitsForOneThatComesLater) {
  constexpr int64_t count = 300;
  std::vector<std::atomic<bool>> done(count + 1);
  done[count] = true;
  auto unit = [&](int64_t k, int64_t) {
    while (!done[static_cast<size_t>(k) + 1]) pause_fiber();
    done[static_cast<size_t>(k)] = true;
  };
  run_fibers(count, unit);
  EXPECT_TRUE(done[0]);
}

TEST(Fibers, ALockIsHeldByOneAtATime) {
  std::atomic<int> lock{0};
  int64_t sum = 0;
  auto unit = [&](int64_t k, int64_t) {
    int open = 0;
    while (!lock.compare_exchange_weak(open, 1)) {
      open = 0;
      pause_fiber();
    }
    sum += k;
    lock = 0;
  };
  run_fibers(1000, unit);
  EXPECT_EQ(sum, 499500);
}

TEST(Fibers, UnitsThatEndAreNotWaitedForAndExceptionsReachTheCaller) {
  std::atomic<int> met{0};
  auto unit = [&](int64_t k, int64_t) {
    if (k == 3) throw std::runtime_error("third");
    if (k % 2) return;
    meet_fibers();
    ++met;
  };
  EXPECT_THROW(run_fibers(10, unit), std::runtime_error);
  EXPECT_EQ(met, 5);
}

TEST(Fibers, GroupsMeetByThemselves) {
  constexpr int64_t groups = 3, members = 20;
  std::deque<Meeting> meetings;
  for (int64_t k = 0; k < groups; ++k) meetings.emplace_back(members);
  std::vector<std::atomic<int>> steps(groups);
  std::atomic<int> early{0};
  auto unit = [&](int64_t k, int64_t) {
    const auto group = static_cast<size_t>(k / members);
    for (int step = 1; step <= 4 && k % members != 5; ++step) {
      ++steps[group];
      meetings[group].meet();
      early += steps[group] != step * (members - 1);
      meetings[group].meet();
    }
    meetings[group].leave();
  };
  run_fibers(groups * members, unit);
  EXPECT_EQ(early, 0);
}

TEST(Fibers, OutsideOfUnitsNothingIsWaitedFor) {
  pause_fiber();
  meet_fibers();
}

}  // namespace tessera::runtime
