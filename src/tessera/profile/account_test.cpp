#include "tessera/profile/account.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tessera::profile {
namespace {

void pass(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(Account, time_is_of_the_innermost_row) {
  const Measured measured;
  {
    const InRow outer(Row::planning);
    pass(2);
    {
      const InRow inner(Row::compiling);
      pass(4);
    }
    pass(2);
  }
  const Rows rows = measured.rows();
  EXPECT_GE(rows.of(Row::compiling), 4e-3);
  EXPECT_GE(rows.of(Row::planning), 4e-3);
  EXPECT_EQ(rows.of(Row::running), 0);
}

TEST(Account, rows_add_up_to_the_time_that_passed) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration passed) { return std::chrono::duration<double>(passed).count(); };
  const auto before = Clock::now();
  const Measured measured;
  const auto begin = Clock::now();
  for (const Row row : {Row::recording, Row::queueing, Row::running}) {
    const InRow in(row);
    pass(1);
  }
  const auto end = Clock::now();
  const Rows rows = measured.rows();
  const double all = rows.inside() + rows.of(Row::program);
  EXPECT_GE(all, seconds(end - begin) - 1e-6);
  EXPECT_LE(all, seconds(Clock::now() - before) + 1e-6);
}

TEST(Account, nothing_is_kept_while_it_is_off) {
  const Rows before = Account::own().rows();
  {
    const InRow in(Row::running);
    pass(2);
  }
  const Measured measured;
  EXPECT_LT(measured.rows().inside(), 1e-3);
  EXPECT_EQ((Account::own().rows() - before).of(Row::running), 0);
}

TEST(Account, each_thread_has_its_own) {
  const Measured measured;
  std::thread([] {
    const InRow in(Row::running);
    pass(2);
  }).join();
  EXPECT_EQ(measured.rows().of(Row::running), 0);
}

TEST(Account, the_first_use_of_memory_is_taken_from_what_ran) {
  const double before = Account::set_first_touch(1e-10);
  const Measured measured;
  {
    const InRow in(Row::running);
    Account::own().note_fresh(1'000'000);
    pass(2);
  }
  const Rows rows = measured.rows();
  Account::set_first_touch(before);
  EXPECT_NEAR(rows.of(Row::first_touch), 1e-4, 2e-9);
  EXPECT_GE(rows.of(Row::first_touch) + rows.of(Row::running), 2e-3);
}

}  // namespace
}  // namespace tessera::profile
