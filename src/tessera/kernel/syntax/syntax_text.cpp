// parse_syntax: trees from text, so that tests of this room need no Python.
#include <cctype>
#include <cstdlib>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/kernel/syntax/syntax.h"

namespace tessera::kernel {

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Node read() {
    Node node = read_node();
    require<ValueError>(!next(), "syntax: text is left at {}", at_);
    return node;
  }

 private:
  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c) {
    require<ValueError>(next() == c, "syntax: {} is expected at {}", c, at_);
    ++at_;
  }
  std::string read_word() {
    next();
    const size_t first = at_;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) &&
           std::string_view("()[]{}\"").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    return std::string(text_.substr(first, at_ - first));
  }
  std::string read_quoted() {
    expect('"');
    const size_t end = text_.find('"', at_);
    require<ValueError>(end != std::string_view::npos, "syntax: a quote is open");
    const std::string inside(text_.substr(at_, end - at_));
    at_ = end + 1;
    return inside;
  }
  static Scalar read_number(const std::string& word) {
    if (word == "true" || word == "false") return Scalar::of_bool(word == "true");
    if (word.find_first_of(".en") != std::string::npos)
      return Scalar::of_float(DType::float64, std::strtod(word.c_str(), nullptr));
    return Scalar::of_int(DType::int64, std::strtoll(word.c_str(), nullptr, 10));
  }
  std::vector<Node> read_block() {
    std::vector<Node> nodes;
    expect('{');
    while (next() == '(') nodes.push_back(read_node());
    expect('}');
    return nodes;
  }

  Node read_node() {
    expect('(');
    const std::string kind = read_word();
    const auto known = node_kind_from_name(kind);
    require<ValueError>(known.has_value(), "syntax: there are no nodes {}", kind);
    Node node{.kind = *known, .place = {1, static_cast<int>(at_), 1, static_cast<int>(at_) + 1}};
    if (*known == NodeKind::constant) node.value = read_number(read_word());
    if (next() == '"') node.name = read_quoted();
    if (next() == '[') {
      expect('[');
      while (next() == '"') node.names.push_back(read_quoted());
      expect(']');
    }
    while (next() == '(') node.operands.push_back(read_node());
    if (next() == '{') node.body = read_block();
    if (next() == '{') node.other = read_block();
    expect(')');
    return node;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void print(const Node& node, int depth, std::string& text);

void print_block(const std::vector<Node>& block, int depth, std::string& text) {
  text += " {";
  for (const Node& statement : block) {
    text += '\n' + std::string(static_cast<size_t>(2 * depth + 2), ' ');
    print(statement, depth + 1, text);
  }
  text += '}';
}

void print(const Node& node, int depth, std::string& text) {
  text += '(' + std::string(name(node.kind));
  if (node.kind == NodeKind::constant)
    text += ' ' + (is_boolean(node.value.dtype) ? std::string(node.value.bytes[0] ? "true" : "false")
                                                : format("{}", node.value));
  if (!node.name.empty()) text += " \"" + node.name + '"';
  if (!node.names.empty()) {
    text += " [";
    for (const std::string& one : node.names) text += (text.back() == '[' ? "\"" : " \"") + one + '"';
    text += ']';
  }
  for (const Node& operand : node.operands) print(operand, depth, text += ' ');
  if (!node.body.empty() || !node.other.empty()) print_block(node.body, depth, text);
  if (!node.other.empty()) print_block(node.other, depth, text);
  text += ')';
}

}  // namespace

std::string print_syntax(const Node& node) {
  std::string text;
  print(node, 0, text);
  return text;
}

Node parse_syntax(std::string_view text) { return Reader(text).read(); }

}  // namespace tessera::kernel
