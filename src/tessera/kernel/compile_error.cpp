#include "tessera/kernel/compile_error.h"

#include <algorithm>

namespace tessera::kernel {

namespace {

/// The source line with a caret below the place; empty where the source is not known.
std::string marked_line(const Function& function, const Place& place) {
  const int row = place.line - function.first_line;
  if (row < 0 || row >= static_cast<int>(function.lines.size())) return "";
  const std::string& line = function.lines[row];
  const int width = static_cast<int>(line.size());
  const int first = std::min(place.column, width);
  const int last = place.end_line == place.line ? std::min(place.end_column, width) : width;
  return format("\n    {}\n    {}{}", line, std::string(first, ' '), std::string(std::max(1, last - first), '^'));
}

}  // namespace

std::string without_versions(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_name = [&](char c) { return is_digit(c) || c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z'); };
  std::string plain;
  for (size_t k = 0; k < text.size();) {
    size_t end = k + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (text[k] == '\'' && k > 0 && is_name(text[k - 1]) && end > k + 1)
      k = end;
    else
      plain += text[k++];
  }
  return plain;
}

std::string fault_message(const Function& function, const Place& place, std::string_view text,
                          std::span<const NamedType> types, std::string_view instead) {
  std::string message = format("{}:{}: in {}: {}", function.file, place.line, function.name(), without_versions(text));
  message += marked_line(function, place);
  for (size_t k = 0; k < types.size(); ++k) {
    message += format("{}{}: {}", k ? ", " : "\n  types: ", without_versions(types[k].name), types[k].type);
  }
  if (!instead.empty()) message += format("\n  instead: {}", instead);
  return message;
}

}  // namespace tessera::kernel
