/// `format("{} rows", n)`: a minimal std::format, which GCC 12's library lacks.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

namespace tessera {

namespace format_impl {

/// Copies pattern to out up to the next "{}" and returns the text after it.
std::string_view copy_until_hole(std::string_view pattern, std::ostringstream& out);

}  // namespace format_impl

/// Replaces each "{}" in pattern by the next argument, printed with operator<<.
template <class... Args>
std::string format(std::string_view pattern, const Args&... args) {
  std::ostringstream out;
  ((pattern = format_impl::copy_until_hole(pattern, out), out << args), ...);
  out << pattern;
  return out.str();
}

}  // namespace tessera
