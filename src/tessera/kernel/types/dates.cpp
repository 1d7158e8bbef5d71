#include "tessera/kernel/types/dates.h"

#include <algorithm>
#include <array>

namespace tessera::kernel {

namespace {

constexpr std::array<std::string_view, 15> names{"Y",  "M",  "W",  "",   "D",  "h",  "m", "s",
                                                 "ms", "us", "ns", "ps", "fs", "as", ""};
// How many of the next finer unit each is; weeks are of days.
constexpr std::array<uint64_t, 14> steps{12, 0, 7, 0, 24, 60, 60, 1000, 1000, 1000, 1000, 1000, 1000, 1};

int number(TimeUnit unit) { return static_cast<int>(unit); }

}  // namespace

std::string name_of_unit(Unit unit) {
  std::string name = is_of_spans(unit) ? "timedelta64" : "datetime64";
  if (time_unit(unit) == TimeUnit::generic) return name;
  return name.append("[").append(names[static_cast<size_t>(time_unit(unit))]).append("]");
}

std::optional<TimeUnit> time_unit_named(std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (text.empty() || found == names.end()) return {};
  return static_cast<TimeUnit>(found - names.begin());
}

Unit unit_named(std::string_view text) {
  if (text.starts_with('<') || text.starts_with('=')) text.remove_prefix(1);
  const auto take = [&text](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  const bool is_date = take("datetime64") || take("M8");
  if (!is_date && !take("timedelta64") && !take("m8")) return 0;
  std::optional<TimeUnit> unit = TimeUnit::generic;
  if (!text.empty()) {
    if (!text.starts_with('[') || !text.ends_with(']')) return 0;
    unit = time_unit_named(text.substr(1, text.size() - 2));
  }
  if (!unit) return 0;
  return is_date ? unit_of_dates(*unit) : unit_of_spans(*unit);
}

TimeUnit finer_unit(TimeUnit a, TimeUnit b) {
  if (a == TimeUnit::generic) return b;
  return b == TimeUnit::generic ? a : std::max(a, b);
}

bool have_common_measure(TimeUnit a, TimeUnit b) {
  if (a == TimeUnit::generic || b == TimeUnit::generic) return true;
  return (a <= TimeUnit::month) == (b <= TimeUnit::month);
}

int64_t units_in(TimeUnit coarser, TimeUnit finer) {
  if (coarser == TimeUnit::generic || finer == TimeUnit::generic) return 1;
  uint64_t count = 1;
  for (int unit = number(coarser); unit < number(finer); unit += unit == number(TimeUnit::week) ? 2 : 1)
    count *= steps[static_cast<size_t>(unit)];
  return static_cast<int64_t>(count);
}

}  // namespace tessera::kernel
