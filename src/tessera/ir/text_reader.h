/// TextReader: reads words, numbers and punctuation from a text; throws with line and column on anything unexpected.
#pragma once

#include <charconv>
#include <string_view>
#include <type_traits>

#include "tessera/layout/dtype.h"

namespace tessera::ir {

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  size_t position() const { return at_; }
  void rewind(size_t position) { at_ = position; }
  bool at_end();

  /// Throws ValueError naming what was expected at the current position.
  void check(bool ok, std::string_view wanted) const;
  [[noreturn]] void fail_at(size_t position, std::string_view wanted);

  /// Whether the text continues with this token; accept() also consumes it.
  bool peek(std::string_view token);
  bool accept(std::string_view token);
  void expect(std::string_view token) { check(accept(token), token); }

  std::string_view word(std::string_view wanted);
  bool accept_word(std::string_view token);
  void skip_digits();
  int64_t number(std::string_view wanted, int64_t most);
  DType dtype();

  template <class T>
  T literal(std::string_view wanted, int base = 10) {
    skip_space();
    T value{};
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<T>) {
      result = std::from_chars(first, last, value);
    } else {
      result = std::from_chars(first, last, value, base);
    }
    check(result.ec == std::errc(), wanted);
    at_ += static_cast<size_t>(result.ptr - first);
    return value;
  }

 private:
  void skip_space();

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace tessera::ir
