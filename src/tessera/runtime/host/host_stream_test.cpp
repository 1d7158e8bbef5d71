#include "tessera/runtime/host/host_stream.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tessera/runtime/host/fork_handlers.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {
namespace {

struct Append {
  std::vector<int>* to;
  int value;
};

void append(void* argument) noexcept {
  auto* a = static_cast<Append*>(argument);
  a->to->push_back(a->value);
}

TEST(HostStream, work_runs_in_the_order_of_its_submission) {
  std::vector<int> seen;
  std::vector<Append> work;
  for (int i = 0; i < 1000; ++i) work.push_back({&seen, i});
  HostStream& stream = HostStream::instance();
  for (Append& a : work) stream.submit(append, &a);
  stream.wait_all();
  ASSERT_EQ(seen.size(), work.size());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[i], i);
}

TEST(HostStream, a_ticket_is_done_when_its_work_is) {
  HostStream& stream = HostStream::instance();
  for (int i = 0; i < 200; ++i) {
    std::vector<int> seen;
    Append a{&seen, i};
    const uint64_t ticket = stream.submit(append, &a);
    // Occasionally long enough for the thread to fall asleep.
    if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stream.wait(ticket);
    EXPECT_GE(stream.finished().load(), ticket);
    EXPECT_EQ(seen.size(), 1u);
  }
}

TEST(HostStream, who_waits_does_what_the_thread_has_not_begun) {
  HostStream& stream = HostStream::instance();
  std::atomic<bool> held{true}, entered{false};
  struct Hold {
    std::atomic<bool>&held, &entered;
  } hold{held, entered};
  stream.submit(
      [](void* argument) noexcept {
        auto* h = static_cast<Hold*>(argument);
        h->entered = true;
        while (h->held) std::this_thread::yield();
      },
      &hold);
  // Several threads wait at once for work behind a long piece: each piece runs once and in order.
  std::vector<int> seen;
  std::vector<Append> work;
  for (int i = 0; i < 8; ++i) work.push_back({&seen, i});
  std::vector<uint64_t> tickets;
  for (Append& a : work) tickets.push_back(stream.submit(append, &a));
  std::vector<std::thread> waiters;
  for (uint64_t ticket : tickets) waiters.emplace_back([&stream, ticket] { stream.wait(ticket); });
  while (!entered) std::this_thread::yield();
  held = false;
  for (std::thread& waiter : waiters) waiter.join();
  ASSERT_EQ(seen.size(), work.size());
  for (int i = 0; i < 8; ++i) EXPECT_EQ(seen[i], i);
}

TEST(HostStream, turns_between_a_waiter_and_the_thread_lose_nothing) {
  HostStream& stream = HostStream::instance();
  std::vector<int> seen;
  std::vector<Append> work;
  for (int i = 0; i < 20000; ++i) work.push_back({&seen, i});
  for (int i = 0; i < 20000; ++i) {
    const uint64_t ticket = stream.submit(append, &work[i]);
    if (i % 3 == 0) stream.wait(ticket);
    if (i % 997 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  stream.wait_all();
  ASSERT_EQ(seen.size(), work.size());
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(seen[i], i);
}

TEST(HostStream, both_sides_of_a_fork_go_on) {
  install_fork_handlers();
  HostStream& stream = HostStream::instance();
  std::vector<int> seen;
  Append a{&seen, 1};
  stream.submit(append, &a);
  const pid_t child = fork();
  stream.submit(append, &a);
  stream.wait_all();
  if (child == 0) _exit(seen.size() == 2 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace tessera::runtime
