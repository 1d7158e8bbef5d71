#include "tessera/kernel/source/ptx.h"

#include <cctype>
#include <charconv>
#include <string>

namespace tessera::kernel {

namespace {

/// Of ".u64 .ptr .align 1 name" or ".align 8 .b8 name[24]".
int64_t size_of_parameter(std::string_view text) {
  int64_t element = 0, count = 1;
  for (size_t at = 0; (at = text.find('.', at)) != std::string_view::npos; ++at) {
    const char kind = at + 1 < text.size() ? text[at + 1] : ' ';
    if (kind != 'u' && kind != 's' && kind != 'f' && kind != 'b') continue;
    int64_t bits = 0;
    if (std::from_chars(text.data() + at + 2, text.data() + text.size(), bits).ec == std::errc()) element = bits / 8;
  }
  const size_t open = text.rfind('[');
  if (open != std::string_view::npos) std::from_chars(text.data() + open + 1, text.data() + text.size(), count);
  return element * count;
}

}  // namespace

std::optional<std::vector<int64_t>> parameter_sizes(std::string_view ptx, std::string_view symbol) {
  constexpr std::string_view entry = ".entry ";
  for (size_t at = 0; (at = ptx.find(entry, at)) != std::string_view::npos;) {
    at += entry.size();
    const std::string_view rest = ptx.substr(at);
    if (!rest.starts_with(symbol) || rest.size() == symbol.size()) continue;
    const char next = rest[symbol.size()];
    if (std::isalnum(static_cast<unsigned char>(next)) || next == '_' || next == '$') continue;
    const size_t open = rest.find_first_of("({");
    std::vector<int64_t> sizes;
    if (open == std::string_view::npos || rest[open] == '{') return sizes;
    std::string_view list = rest.substr(open + 1, rest.find(')', open) - open - 1);
    constexpr std::string_view param = ".param";
    for (size_t first; (first = list.find(param)) != std::string_view::npos;) {
      list.remove_prefix(first + param.size());
      sizes.push_back(size_of_parameter(list.substr(0, list.find(','))));
    }
    return sizes;
  }
  return std::nullopt;
}

}  // namespace tessera::kernel
