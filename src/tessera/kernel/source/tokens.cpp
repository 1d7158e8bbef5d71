#include "tessera/kernel/source/tokens.h"

#include <algorithm>
#include <cctype>

#include "tessera/kernel/source/conditions.h"

namespace tessera::kernel {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Scanner {
 public:
  Scanner(std::string_view text, Macros& macros) : text_(text), macros_(macros) {}

  Tokens scan() {
    bool at_line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_, ++at_;
        at_line_start = true;
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        ++at_;
      } else if (!skip_comment()) {
        if (c == '#' && at_line_start) {
          directive();
          continue;
        }
        at_line_start = false;
        if (conditions_.is_active()) {
          token();
        } else {
          skip_token();
        }
      }
    }
    return std::move(found_);
  }

 private:
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  bool skip_comment() {
    const bool is_line = starts("//"), is_block = starts("/*");
    if (!is_line && !is_block) return false;
    const size_t end = std::min(text_.find(is_line ? "\n" : "*/", at_ + 2), text_.size());
    const size_t next = is_line ? end : std::min(end + 2, text_.size());
    line_ += static_cast<int>(
        std::count(text_.begin() + static_cast<ptrdiff_t>(at_), text_.begin() + static_cast<ptrdiff_t>(next), '\n'));
    at_ = next;
    return true;
  }
  void skip_token() {
    Tokens kept = std::move(found_);
    token();
    found_ = std::move(kept);
  }
  std::string_view name() {
    const size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void string(char quote) {
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    found_.push_back({Token::Kind::text, std::string(text_.substr(begin + 1, at_ - begin - 2)), line_});
  }
  void token() {
    const char c = text_[at_];
    if (begins_name(c)) {
      const std::string_view word = name();
      if (at_ < text_.size() && text_[at_] == '"' && word.ends_with('R')) return raw_string();
      return add_name(word);
    }
    if (std::isdigit(static_cast<unsigned char>(c))) {
      const size_t begin = at_;
      while (at_ < text_.size() && (continues_name(text_[at_]) || text_[at_] == '.' || text_[at_] == '\'')) ++at_;
      found_.push_back({Token::Kind::number, std::string(text_.substr(begin, at_ - begin)), line_});
      return;
    }
    if (c == '"' || c == '\'') return string(c);
    const size_t size = starts("::") ? 2 : 1;
    found_.push_back({Token::Kind::mark, std::string(text_.substr(at_, size)), line_});
    at_ += size;
  }
  void raw_string() {
    const size_t open = text_.find('(', at_);
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t end = open == std::string_view::npos ? open : text_.find(close, open);
    const size_t next = end == std::string_view::npos ? text_.size() : end + close.size();
    line_ += static_cast<int>(
        std::count(text_.begin() + static_cast<ptrdiff_t>(at_), text_.begin() + static_cast<ptrdiff_t>(next), '\n'));
    at_ = next;
    found_.push_back({Token::Kind::text, "", line_});
  }
  void add_name(std::string_view word) {
    const auto macro = macros_.known.find(word);
    if (macro == macros_.known.end()) {
      found_.push_back({Token::Kind::name, std::string(word), line_});
      return;
    }
    for (Token token : macro->second) {
      token.line = line_;
      found_.push_back(std::move(token));
    }
  }
  /// The rest of the line and of those that continue it, without comments.
  std::string rest_of_line() {
    std::string rest;
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (starts("\\\n")) {
        at_ += 2;
        ++line_;
        rest += ' ';
      } else if (!skip_comment()) {
        rest += text_[at_++];
      }
    }
    return rest;
  }
  void directive() {
    ++at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    const std::string word(name());
    if (word == "define") return define();
    const std::string rest = rest_of_line();
    if (word == "undef" && conditions_.is_active()) {
      for (const Token& token : plain(rest)) macros_.forget(token.text, conditions_.is_certain());
    } else if (word == "include" && conditions_.is_active()) {
      macros_.may_be_hidden |= !is_cudas(rest);
    } else {
      conditions_.read(word, plain(rest), macros_);
    }
  }
  /// Of what #include names: a header of CUDA's or C++'s, which defines no names of users'.
  static bool is_cudas(std::string_view rest) {
    constexpr std::string_view beginnings[] = {"<cu",      "<cooperative_groups",
                                               "<thrust/", "<math",
                                               "<cmath",   "<std",
                                               "<type",    "<device_",
                                               "<vector_", "<mma",
                                               "<nv",      "<pycuda"};
    const std::string_view name = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return std::ranges::any_of(beginnings, [&](std::string_view known) { return name.starts_with(known); });
  }
  /// The tokens of a directive, whose macros stay.
  static Tokens plain(std::string_view text) {
    Macros none;
    return Scanner(text, none).scan();
  }
  void define() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    const std::string defined(name());
    const bool has_parameters = at_ < text_.size() && text_[at_] == '(';
    const std::string rest = rest_of_line();
    if (defined.empty() || !conditions_.is_active()) return;
    if (has_parameters) return macros_.forget(defined, false);
    macros_.define(defined, Scanner(rest, macros_).scan(), conditions_.is_certain());
  }

  std::string_view text_;
  Macros& macros_;
  Conditions conditions_;
  Tokens found_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Tokens tokens_of(std::string_view text, std::span<const std::string> defines) {
  Macros macros;
  for (const std::string& define : defines) {
    const size_t equal = define.find('=');
    const std::string value = equal == std::string::npos ? "1" : define.substr(equal + 1);
    macros.define(define.substr(0, equal), Scanner(value, macros).scan(), true);
  }
  return Scanner(text, macros).scan();
}

size_t after_closing(std::span<const Token> tokens, size_t open) {
  const bool is_template = tokens[open].is("<");
  int depth = 0;
  for (size_t k = open; k < tokens.size(); ++k) {
    const Token& token = tokens[k];
    const auto any_of = [&](std::initializer_list<std::string_view> marks) {
      return std::ranges::any_of(marks, [&](std::string_view mark) { return token.is(mark); });
    };
    if (any_of({"(", "[", "{"}) || (is_template && token.is("<"))) ++depth;
    if (any_of({")", "]", "}"}) || (is_template && token.is(">"))) --depth;
    if (depth == 0) return k + 1;
  }
  return tokens.size();
}

std::vector<Tokens> split_at_commas(std::span<const Token> tokens) {
  std::vector<Tokens> parts;
  int depth = 0;
  for (const Token& token : tokens) {
    if (parts.empty()) parts.emplace_back();
    if (token.is("(") || token.is("[") || token.is("{") || token.is("<")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}") || token.is(">")) --depth;
    if (depth == 0 && token.is(",")) {
      parts.emplace_back();
    } else {
      parts.back().push_back(token);
    }
  }
  return parts;
}

std::string text_of(std::span<const Token> tokens) {
  std::string text;
  for (size_t k = 0; k < tokens.size(); ++k) {
    const bool is_word = tokens[k].kind != Token::Kind::mark;
    const bool after_word = k > 0 && tokens[k - 1].kind != Token::Kind::mark;
    const bool after_pointer = k > 0 && (tokens[k - 1].is("*") || tokens[k - 1].is(">"));
    if (is_word && (after_word || after_pointer)) text += ' ';
    text += tokens[k].text;
  }
  return text;
}

}  // namespace tessera::kernel
