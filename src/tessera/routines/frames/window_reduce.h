/// window_reduce: one value a row out of the elements in the row's window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::routines::frames {

enum class WindowOp : uint8_t { sum, mean, minimum, maximum, variance, deviation };

std::optional<WindowOp> window_op_from_name(std::string_view name);

/// Window i has the elements [i + first, i + last), as far as there are any.
struct FixedWindows {
  int64_t first = 0, last = 0;
};

struct WindowRequest {
  WindowOp op = WindowOp::sum;
  std::span<const double> values;                    ///< NaN is missing
  std::span<const int64_t> starts, ends;             ///< window i has the elements [starts[i], ends[i])
  std::optional<FixedWindows> fixed = std::nullopt;  ///< instead of starts and ends
  int64_t least_count = 1;                           ///< windows with fewer elements that are not missing give NaN
  int64_t degrees = 1;                               ///< of freedom that a variance takes off
};

/// Writes a value for each window. Nothing is subtracted, so nothing drifts. Windows that move forward only keep states
/// from each of their elements up to a middle that moves on when they have passed it; other windows are put together
/// from aligned runs of 2, 4, 8, ... elements (up to 16 elements: taken in order), each reduced once. Windows of equal
/// elements have that element as their mean. The bits follow from values and bounds, not from the number of threads.
void window_reduce(const WindowRequest& request, std::span<double> out);

}  // namespace tessera::routines::frames
