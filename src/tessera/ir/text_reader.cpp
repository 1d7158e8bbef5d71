#include "tessera/ir/text_reader.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::ir {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

}  // namespace

void TextReader::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool TextReader::at_end() {
  skip_space();
  return at_ == text_.size();
}

void TextReader::check(bool ok, std::string_view wanted) const {
  if (ok) return;
  size_t line = 1;
  size_t start = 0;
  for (size_t k = 0; k < at_; ++k) {
    if (text_[k] == '\n') ++line, start = k + 1;
  }
  const size_t end = std::min(text_.find_first_of(" \n", at_), std::min(at_ + 20, text_.size()));
  throw ValueError(format("parse: line {}, column {}: expected {} at '{}'", line, at_ - start + 1, wanted,
                          text_.substr(at_, end - at_)));
}

void TextReader::fail_at(size_t position, std::string_view wanted) {
  at_ = position;
  check(false, wanted);
  std::unreachable();
}

bool TextReader::peek(std::string_view token) {
  skip_space();
  return text_.substr(at_).starts_with(token);
}

bool TextReader::accept(std::string_view token) {
  if (!peek(token)) return false;
  at_ += token.size();
  return true;
}

std::string_view TextReader::word(std::string_view wanted) {
  skip_space();
  const size_t start = at_;
  check(start < text_.size() && is_word(text_[start]), wanted);
  while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

bool TextReader::accept_word(std::string_view token) {
  const size_t before = at_;
  skip_space();
  if (at_ < text_.size() && is_word(text_[at_]) && word(token) == token) return true;
  at_ = before;
  return false;
}

void TextReader::skip_digits() {
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
}

int64_t TextReader::number(std::string_view wanted, int64_t most) {
  const size_t before = at_;
  const int64_t value = literal<int64_t>(wanted);
  if (value < 0 || value > most) fail_at(before, wanted);
  return value;
}

DType TextReader::dtype() {
  skip_space();
  const size_t before = at_;
  const auto found = dtype_from_name(word("a type"));
  if (!found) fail_at(before, "a type");
  return *found;
}

}  // namespace tessera::ir
