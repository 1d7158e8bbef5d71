/// HostRoutine: a function of NumPy that a compiled function asks the host to run; one descriptor each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera::kernel {

/// Results are written as letters, one pair for each, parted by commas; none for a function that returns nothing.
/// The dtype: `=` the first array's, `p` what all arguments promote to, `f` and `P` the same as floats, `r` and `c` its
/// real and complex type, `a` NumPy's accumulator of it, `i` int64, `b` bool, `d` float64.
/// The axes: a number; `n` the first argument's, `v` the second's, `m` the most; `x` none, or one less than `n` where
/// an axis is given; `y` one, or `n` where an axis is given; `s` those of the argument `size`; `k` one for each
/// argument; `+` one more than `n`, `g` as diag.
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
};

/// A text's number, and the text.
int64_t intern_text(const std::string& text);
const std::string& interned_text(int64_t number);

}  // namespace tessera::kernel
