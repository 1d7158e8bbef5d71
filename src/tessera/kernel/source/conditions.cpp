#include "tessera/kernel/source/conditions.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace tessera::kernel {

namespace {

using IntegerValue = std::optional<int64_t>;

/// Operators with two operands by how tightly they bind; of those that are not listed no value is known.
struct Operator {
  std::string_view text;
  int precedence;
};
constexpr Operator operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4},
                                  {"<", 4},  {">", 4},  {"+", 5},  {"-", 5},  {"*", 6}};

IntegerValue apply(std::string_view text, const IntegerValue& a, const IntegerValue& b) {
  if (text == "&&" && ((a && !*a) || (b && !*b))) return 0;
  if (text == "||" && ((a && *a) || (b && *b))) return 1;
  if (!a || !b) return std::nullopt;
  if (text == "||") return *a || *b;
  if (text == "&&") return *a && *b;
  if (text == "==") return *a == *b;
  if (text == "!=") return *a != *b;
  if (text == "<=") return *a <= *b;
  if (text == ">=") return *a >= *b;
  if (text == "<") return *a < *b;
  if (text == ">") return *a > *b;
  const auto x = static_cast<uint64_t>(*a), y = static_cast<uint64_t>(*b);
  return static_cast<int64_t>(text == "+" ? x + y : text == "-" ? x - y : x * y);
}

class Expression {
 public:
  Expression(std::span<const Token> tokens, const Macros& macros, int depth)
      : tokens_(tokens), macros_(macros), depth_(depth) {}

  IntegerValue whole() {
    const IntegerValue value = binary(1);
    return at_ == tokens_.size() && !is_strange_ ? value : std::nullopt;
  }

 private:
  bool is(std::string_view mark, size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is(mark);
  }
  /// The operator here, of one or two marks; null if there is none.
  const Operator* here() const {
    for (const Operator& known : operators) {
      bool matches = true;
      for (size_t k = 0; k < known.text.size(); ++k) matches = matches && is(known.text.substr(k, 1), k);
      if (matches) return &known;
    }
    return nullptr;
  }
  IntegerValue binary(int precedence) {
    IntegerValue left = unary();
    for (const Operator* known = here(); known && known->precedence >= precedence; known = here()) {
      at_ += known->text.size();
      const IntegerValue right = binary(known->precedence + 1);
      left = apply(known->text, left, right);
    }
    return left;
  }
  IntegerValue unary() {
    if (is("!")) {
      ++at_;
      const IntegerValue value = unary();
      return value ? IntegerValue(!*value) : value;
    }
    if (is("-")) {
      ++at_;
      const IntegerValue value = unary();
      return value ? IntegerValue(-*value) : value;
    }
    if (is("(")) {
      ++at_;
      const IntegerValue value = binary(1);
      if (is(")"))
        ++at_;
      else
        is_strange_ = true;
      return value;
    }
    return operand();
  }
  IntegerValue operand() {
    if (at_ == tokens_.size()) {
      is_strange_ = true;
      return std::nullopt;
    }
    const Token& token = tokens_[at_++];
    if (token.kind == Token::Kind::number) return number(token.text);
    if (token.kind != Token::Kind::name) {
      is_strange_ = true;
      return std::nullopt;
    }
    if (token.is("defined")) return defined();
    if (token.is("true") || token.is("false")) return token.is("true");
    const auto known = macros_.known.find(token.text);
    constexpr int most_macros = 16;  // one may stand for itself
    if (known != macros_.known.end())
      return depth_ < most_macros ? Expression(known->second, macros_, depth_ + 1).whole() : std::nullopt;
    const std::optional<bool> is_defined = macros_.is_defined(token.text);
    return is_defined ? IntegerValue(0) : std::nullopt;
  }
  IntegerValue defined() {
    const bool has_parentheses = is("(");
    at_ += has_parentheses;
    if (at_ == tokens_.size()) return std::nullopt;
    const std::optional<bool> known = macros_.is_defined(tokens_[at_++].text);
    at_ += has_parentheses && is(")");
    return known ? IntegerValue(*known) : std::nullopt;
  }
  static IntegerValue number(std::string_view text) {
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (is_hexadecimal) text.remove_prefix(2);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
    return error == std::errc() && end == text.data() + text.size() ? IntegerValue(value) : std::nullopt;
  }

  std::span<const Token> tokens_;
  const Macros& macros_;
  int depth_;
  size_t at_ = 0;
  bool is_strange_ = false;
};

}  // namespace

void Macros::define(const std::string& name, Tokens value, bool is_certain) {
  if (!is_certain) return forget(name, false);
  uncertain.erase(name);
  known[name] = std::move(value);
}

void Macros::forget(const std::string& name, bool is_certain) {
  known.erase(name);
  if (is_certain)
    uncertain.erase(name);
  else
    uncertain.insert(name);
}

std::optional<bool> Macros::is_defined(std::string_view name) const {
  if (known.contains(name)) return true;
  if (uncertain.contains(name) || may_be_hidden || name.starts_with('_')) return std::nullopt;
  return false;
}

std::optional<int64_t> value_of(const Tokens& expression, const Macros& macros) {
  return Expression(expression, macros, 0).whole();
}

Conditions::Truth Conditions::truth_of(const std::optional<int64_t>& value) {
  return !value ? Truth::maybe : *value ? Truth::yes : Truth::no;
}

void Conditions::read(std::string_view word, const Tokens& rest, const Macros& macros) {
  const bool is_name = word == "ifdef" || word == "ifndef";
  if (word == "if" || is_name) {
    std::optional<int64_t> value;
    if (!is_name) value = value_of(rest, macros);
    if (is_name && !rest.empty())
      if (const std::optional<bool> known = macros.is_defined(rest[0].text)) value = *known == (word == "ifdef");
    branches_.push_back({truth_of(value), Truth::no});
    return;
  }
  if (branches_.empty()) return;
  Branch& branch = branches_.back();
  if (word == "endif") return branches_.pop_back();
  if (word != "elif" && word != "else") return;
  branch.before = std::max(branch.before, branch.now);
  const Truth own = word == "else" ? Truth::yes : truth_of(value_of(rest, macros));
  if (branch.before == Truth::yes)
    branch.now = Truth::no;
  else
    branch.now = branch.before == Truth::maybe ? std::min(own, Truth::maybe) : own;
}

bool Conditions::is_active() const {
  return std::ranges::none_of(branches_, [](const Branch& branch) { return branch.now == Truth::no; });
}

bool Conditions::is_certain() const {
  return std::ranges::all_of(branches_, [](const Branch& branch) { return branch.now == Truth::yes; });
}

}  // namespace tessera::kernel
