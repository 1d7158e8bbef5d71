#include "tessera/kernel/syntax/syntax.h"

#include <algorithm>
#include <iterator>

namespace tessera::kernel {

namespace {

constexpr std::string_view names[] = {
    // expressions
    "name", "constant", "text", "bytes", "nothing", "ellipsis", "attribute", "subscript", "slice", "tuple", "list",
    "dict", "set", "starred", "binary", "unary", "compare", "boolean", "conditional", "call", "comprehension", "joined",
    "named", "pattern",
    // statements
    "assign", "augmented", "expression", "if", "while", "for", "break", "continue", "return", "yield", "raise", "try",
    "part", "pass", "assert", "delete", "with", "match", "nonlocal", "function", "unsupported"};
static_assert(std::size(names) == static_cast<size_t>(NodeKind::unsupported) + 1);

}  // namespace

std::string_view name(NodeKind kind) { return names[static_cast<size_t>(kind)]; }

std::optional<NodeKind> node_kind_from_name(std::string_view name) {
  for (size_t k = 0; k < std::size(names); ++k) {
    if (names[k] == name) return static_cast<NodeKind>(k);
  }
  return std::nullopt;
}

bool is_sugar(NodeKind kind) {
  switch (kind) {
    case NodeKind::comprehension:
    case NodeKind::joined:
    case NodeKind::named:
    case NodeKind::pattern:
    case NodeKind::assert_:
    case NodeKind::delete_:
    case NodeKind::with_:
    case NodeKind::match_:
    case NodeKind::nonlocal_: return true;
    default: return false;
  }
}

bool yields(const Node& node) {
  const auto inside = [](const Node& one) { return one.kind != NodeKind::function && yields(one); };
  return node.kind == NodeKind::yield_ || std::ranges::any_of(node.body, inside) ||
         std::ranges::any_of(node.other, inside);
}

std::optional<std::string> dotted_name(const Node& node) {
  if (node.kind == NodeKind::name) return node.name;
  if (node.kind != NodeKind::attribute) return std::nullopt;
  std::optional<std::string> object = dotted_name(node.operands[0]);
  if (object) *object += "." + node.name;
  return object;
}

}  // namespace tessera::kernel
