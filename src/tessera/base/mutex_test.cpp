#include "tessera/base/mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tessera {
namespace {

TEST(Mutex, a_thread_that_waits_for_a_condition_holds_no_lock) {
  Mutex mutex;
  Condition changed;
  bool is_set = false;
  std::thread other([&] {
    const std::lock_guard lock(mutex);  // while this thread waits
    is_set = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return is_set; }));
  }
  other.join();
  assert_nothing_locked("the test");
}

#ifdef TESSERA_DEBUG

TEST(Mutex, debug_builds_count_what_this_thread_holds) {
  Mutex mutex;
  RecursiveMutex recursive;
  const std::lock_guard one(mutex);
  const std::lock_guard two(recursive), again(recursive);
  EXPECT_EQ(locks_held(), 3);
  std::thread([] { EXPECT_EQ(locks_held(), 0); }).join();
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_EQ(locks_held(), 3);
}

TEST(MutexDeathTest, debug_builds_end_where_python_is_asked_with_a_lock_held) {
  Mutex mutex;
  const std::lock_guard lock(mutex);
  EXPECT_DEATH(assert_nothing_locked("Python is asked"), "Python is asked while this thread holds 1 of the engine");
}

#endif

}  // namespace
}  // namespace tessera
