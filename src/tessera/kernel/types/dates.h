/// Unit: what makes an int64 a date or a span of time, as NumPy's datetime64 and timedelta64 have it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::kernel {

/// 0 of what is neither; else NumPy's number of the unit and one, and of spans 32 more.
using Unit = uint16_t;

/// NumPy's numbers of units; there is none of 3.
enum class TimeUnit : uint8_t { year = 0, month = 1, week = 2, day = 4, hour = 5, attosecond = 13, generic = 14 };

/// NaT, which no calculation changes.
inline constexpr int64_t not_a_time = std::numeric_limits<int64_t>::min();

inline constexpr Unit first_span = 32;
inline constexpr Unit unit_of_dates(TimeUnit unit) { return static_cast<Unit>(static_cast<int>(unit) + 1); }
inline constexpr Unit unit_of_spans(TimeUnit unit) { return static_cast<Unit>(first_span + unit_of_dates(unit)); }
inline constexpr bool is_of_spans(Unit unit) { return unit > first_span; }
inline constexpr bool is_of_dates(Unit unit) { return unit != 0 && unit < first_span; }
inline constexpr TimeUnit time_unit(Unit unit) { return static_cast<TimeUnit>(unit % first_span - 1); }
inline constexpr Unit with_time_unit(Unit of, TimeUnit unit) {
  return is_of_spans(of) ? unit_of_spans(unit) : unit_of_dates(unit);
}

/// "datetime64[D]".
std::string name_of_unit(Unit unit);
/// Of "datetime64[D]", "<M8[D]" and the like; 0 for other texts.
Unit unit_named(std::string_view text);
/// Of "D"; nothing for texts that are no unit.
std::optional<TimeUnit> time_unit_named(std::string_view text);
/// The finer of two units; that which is not generic.
TimeUnit finer_unit(TimeUnit a, TimeUnit b);
/// Whether spans of both are multiples of one: months have no number of days.
bool have_common_measure(TimeUnit a, TimeUnit b);
/// How many of the finer unit the coarser one is, modulo 2^64; both have a common measure.
int64_t units_in(TimeUnit coarser, TimeUnit finer);

}  // namespace tessera::kernel
