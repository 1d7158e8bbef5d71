#include "tessera/profile/account.h"

#include <algorithm>
#include <chrono>

namespace tessera::profile {

namespace {

constexpr std::array<std::string_view, row_count> row_names{"program",     "recording",  "planning", "compiling",
                                                            "first touch", "allocation", "staging",  "copying",
                                                            "queueing",    "running",    "waiting",  "reading"};

int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string_view name(Row row) { return row_names[static_cast<size_t>(row)]; }

double Rows::inside() const {
  double seconds = 0;
  for (size_t k = 1; k < row_count; ++k) seconds += (*this)[k];
  return seconds;
}

double Rows::of_work() const {
  double seconds = of(Row::program) + inside();
  for (const Row row : {Row::planning, Row::compiling, Row::staging, Row::copying, Row::reading}) seconds -= of(row);
  return seconds;
}

Rows Rows::operator-(const Rows& earlier) const {
  Rows difference;
  for (size_t k = 0; k < row_count; ++k) difference[k] = (*this)[k] - earlier[k];
  return difference;
}

Account& Account::own() {
  static thread_local Account account;
  return account;
}

Row Account::enter(Row row) {
  const int64_t now = nanoseconds_now();
  // What passed while no rows were kept is of none.
  if (const auto period = static_cast<uint32_t>(users_.load(std::memory_order_relaxed) >> 32); period != own_period_)
      [[unlikely]]
    own_period_ = period, since_ = now, fresh_ = 0;
  nanoseconds_[static_cast<size_t>(row_)] += now - since_;
  since_ = now;
  if (row_ == Row::running && fresh_ > 0) settle_fresh();
  const Row before = row_;
  row_ = row;
  return before;
}

void Account::settle_fresh() {
  int64_t& running = nanoseconds_[static_cast<size_t>(Row::running)];
  const double seconds = static_cast<double>(fresh_) * first_touch_.load(std::memory_order_relaxed);
  const int64_t moved = std::min(running, static_cast<int64_t>(1e9 * seconds));
  running -= moved, nanoseconds_[static_cast<size_t>(Row::first_touch)] += moved;
  fresh_ = 0;
}

Rows Account::rows() {
  enter(row_);
  Rows seconds;
  for (size_t k = 0; k < row_count; ++k) seconds[k] = 1e-9 * static_cast<double>(nanoseconds_[k]);
  return seconds;
}

Account::Use::Use(bool is_used) : is_used_(is_used) {
  if (!is_used_) return;
  constexpr uint64_t next_period = uint64_t{1} << 32;
  uint64_t users = users_.load(std::memory_order_relaxed);
  while (!users_.compare_exchange_weak(users, users + (static_cast<uint32_t>(users) == 0 ? next_period + 1 : 1),
                                       std::memory_order_relaxed)) {
  }
}

Account::Use::~Use() {
  if (is_used_) users_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace tessera::profile
