/// HostRoutine: a function of NumPy that a compiled function asks the host to run and whose results follow from its
/// arguments' types; one descriptor each. All other functions are asked (host_object.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tessera/kernel/types/dates.h"
#include "tessera/layout/dtype.h"

namespace tessera::kernel {

/// The result is written as two letters; nothing for a function that returns nothing.
/// The dtype: `=` the first array's, `i` int64, `d` float64.
/// The axes: a number; `s` those of the argument `size`; `k` one for each argument.
struct HostRoutine {
  std::string_view name;        // "numpy.sort"
  std::string_view parameters;  // as Builtin's
  std::string_view results;
};

std::span<const HostRoutine> host_routines();

/// How an argument is written among the operands of HostFunction::call_numpy.
enum class HostArgument : int64_t {
  left_out,
  none,
  scalar,  // dtype, two words
  array,  // buffer, its axes' number, the begin along each; the view's axes', for each: buffer axis or -1, step, extent
  tuple,  // its length, the elements
  list,   // the same
  changed,  // as array, of which the call gets a copy; it is given back as a result behind the others
  text,     // number of an interned text
  dtype,
  slice,  // as three arguments
  ellipsis,
  dated,  // the unit; then the integers, as a scalar, an array or changed
};

/// A dtype with the unit of dates, as one number.
inline constexpr int64_t dtype_word(DType dtype, Unit unit) { return static_cast<int64_t>(dtype) | int64_t{unit} << 8; }

/// A text's number, and the text.
int64_t intern_text(const std::string& text);
const std::string& interned_text(int64_t number);

}  // namespace tessera::kernel
