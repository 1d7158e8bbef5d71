#include "tessera/base/format.h"

namespace tessera::format_impl {

std::string_view copy_until_hole(std::string_view pattern, std::ostringstream& out) {
  const size_t hole = pattern.find("{}");
  if (hole == std::string_view::npos) {
    out << pattern << ' ';
    return {};
  }
  out << pattern.substr(0, hole);
  return pattern.substr(hole + 2);
}

}  // namespace tessera::format_impl
