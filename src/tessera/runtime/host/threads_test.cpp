#include "tessera/runtime/host/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/host/fork_handlers.h"
#include "tessera/runtime/host/thread_start.h"

namespace tessera::runtime {
namespace {

/// Restores the thread count that the test found.
struct KeepCount {
  int count = thread_count();
  ~KeepCount() { set_thread_count(count); }
};

int64_t sum_in_parallel(int64_t n, int64_t grain = 10) {
  std::atomic<int64_t> sum{0};
  auto body = [&](int64_t begin, int64_t end) {
    int64_t part = 0;
    for (int64_t k = begin; k < end; ++k) part += k;
    sum += part;
  };
  parallel_for(n, grain, body);
  return sum;
}

TEST(ThreadsTest, EveryIndexIsVisitedOnceForEveryThreadCount) {
  KeepCount keep;
  for (int count : {1, 2, 3, 7}) {
    set_thread_count(count);
    EXPECT_EQ(thread_count(), count);
    for (int64_t n : {0, 1, 10, 11, 19, 20, 1000, 12345}) EXPECT_EQ(sum_in_parallel(n), n * (n - 1) / 2);
  }
  EXPECT_THROW(set_thread_count(0), ValueError);
}

TEST(ThreadsTest, PiecesAreNoSmallerThanTheGrain) {
  KeepCount keep;
  set_thread_count(3);
  std::atomic<int64_t> smallest{1 << 30};
  auto body = [&](int64_t begin, int64_t end) {
    int64_t seen = smallest;
    while (end - begin < seen && !smallest.compare_exchange_weak(seen, end - begin)) {
    }
  };
  parallel_for(10007, 100, body);
  EXPECT_GE(smallest, 100);
}

TEST(ThreadsTest, AStartedThreadRunsItsBodyOnce) {
  std::atomic<int> runs{0};
  std::thread::id other;
  start_thread([&] {
    ++runs;
    other = std::this_thread::get_id();
  }).join();
  EXPECT_EQ(runs, 1);
  EXPECT_NE(other, std::this_thread::get_id());
}

TEST(ThreadsTest, SmallWorkStaysOnTheCallingThread) {
  std::thread::id here = std::this_thread::get_id(), there;
  auto body = [&](int64_t, int64_t) { there = std::this_thread::get_id(); };
  parallel_for(100, 100, body);
  EXPECT_EQ(here, there);
}

TEST(ThreadsTest, ExceptionsReachTheCaller) {
  KeepCount keep;
  for (int count : {1, 2}) {
    set_thread_count(count);
    auto body = [](int64_t begin, int64_t end) {
      require<IndexError>(end <= 900, "index {} is out of bounds", end - 1);
    };
    EXPECT_THROW(parallel_for(1000, 10, body), IndexError);
  }
  EXPECT_EQ(sum_in_parallel(1000), 499500);
}

TEST(ThreadsTest, ParallelWorkNests) {
  KeepCount keep;
  set_thread_count(2);
  std::atomic<int64_t> sum{0};
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) sum += sum_in_parallel(100);
  };
  parallel_for(50, 1, body);
  EXPECT_EQ(sum, 50 * 4950);
}

TEST(ThreadsTest, DenormalsAreKeptInsideTasks) {
  KeepCount keep;
  set_thread_count(2);
  uint32_t before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
  std::atomic<int> flushed{0};
  auto body = [&](int64_t begin, int64_t end) {
    volatile double tiny = 1e-310;
    if (tiny * 0.5 == 0) ++flushed;
  };
  parallel_for(1000, 10, body);
  EXPECT_NE(_mm_getcsr() & 0x8000, 0u);
  _mm_setcsr(before);
  EXPECT_EQ(flushed, 0);
}

TEST(ThreadsTest, CallersOnManyThreadsShareTheWorkers) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) wrong += sum_in_parallel(1000) != 499500;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadsTest, ForkedProcessesHaveWorkersOfTheirOwn) {
  KeepCount keep;
  set_thread_count(2);
  install_fork_handlers();
  for (int trial = 0; trial < 5; ++trial) {
    EXPECT_EQ(sum_in_parallel(100000), 4999950000);
    std::atomic<int> done{0};
    run_in_background([&] { ++done; });
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      bool right = sum_in_parallel(100000) == 4999950000;
      std::atomic<bool> ran{false};
      run_in_background([&] { ran = true; });
      wait_for_background();
      _exit(right && ran ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    wait_for_background();
    EXPECT_EQ(done, 1);
  }
  EXPECT_EQ(sum_in_parallel(100000), 4999950000);
}

TEST(ThreadsTest, BackgroundTasksRunInOrder) {
  std::vector<int> order;
  for (int k = 0; k < 10; ++k) run_in_background([&order, k] { order.push_back(k); });
  wait_for_background();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(ThreadsTest, ConcurrentTasksNeedNotWaitForOneAnother) {
  KeepCount keep;
  set_thread_count(8);
  constexpr int beside = 4;
  std::atomic<int> here{0}, met{0};
  for (int k = 0; k < beside; ++k)
    run_concurrently([&] {
      ++here;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (here < beside && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      met += here == beside;
    });
  wait_for_background();
  EXPECT_EQ(met, beside);
}

TEST(ThreadsTest, WhoWaitsForQueuedTasksIsWokenThoughAnotherThreadForks) {
  install_fork_handlers();
  std::atomic<bool> begun{false};
  std::atomic<int> done{0};
  run_in_background([&] {
    begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ++done;
  });
  for (int k = 0; k < 10; ++k) run_in_background([&] { ++done; });
  std::promise<void> finished;
  std::future<void> end = finished.get_future();
  std::thread waiting([&] {
    wait_for_background();
    finished.set_value();
  });
  while (!begun) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
#if __has_feature(thread_sanitizer)
    _exit(0);  // a child of a process with several threads may not start any there
#endif
    for (int k = 0; k < 3; ++k) {
      run_in_background([&] { ++done; });
      wait_for_background();
    }
    _exit(done == 14 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(end.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  wait_for_background();
  waiting.join();
  EXPECT_EQ(done, 11);
}

TEST(ThreadsTest, ConcurrentTasksOutliveForks) {
  KeepCount keep;
  set_thread_count(8);
  install_fork_handlers();
  std::atomic<int> done{0};
  for (int k = 0; k < 40; ++k)
    run_concurrently([&] { std::this_thread::sleep_for(std::chrono::milliseconds(1)), ++done; });
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::atomic<int> ran{0};
    for (int k = 0; k < 10; ++k) run_concurrently([&] { ++ran; });
    wait_for_background();
    _exit(ran == 10 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  wait_for_background();
  EXPECT_EQ(done, 40);
}

}  // namespace
}  // namespace tessera::runtime
