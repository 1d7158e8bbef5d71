#include "tessera/kernel/syntax.h"

#include <array>

namespace tessera::kernel {

namespace {

constexpr std::array names{
    std::string_view{"name"},        std::string_view{"constant"},    std::string_view{"text"},
    std::string_view{"nothing"},     std::string_view{"ellipsis"},    std::string_view{"attribute"},
    std::string_view{"subscript"},   std::string_view{"slice"},       std::string_view{"tuple"},
    std::string_view{"list"},        std::string_view{"starred"},     std::string_view{"binary"},
    std::string_view{"unary"},       std::string_view{"compare"},     std::string_view{"boolean"},
    std::string_view{"conditional"}, std::string_view{"call"},        std::string_view{"assign"},
    std::string_view{"augmented"},   std::string_view{"expression"},  std::string_view{"if"},
    std::string_view{"while"},       std::string_view{"for"},         std::string_view{"break"},
    std::string_view{"continue"},    std::string_view{"return"},      std::string_view{"raise"},
    std::string_view{"try"},         std::string_view{"part"},        std::string_view{"pass"},
    std::string_view{"function"},    std::string_view{"unsupported"},
};
static_assert(names.size() == static_cast<size_t>(NodeKind::unsupported) + 1);

}  // namespace

std::string_view name(NodeKind kind) { return names[static_cast<size_t>(kind)]; }

std::optional<NodeKind> node_kind_from_name(std::string_view name) {
  for (size_t k = 0; k < names.size(); ++k) {
    if (names[k] == name) return static_cast<NodeKind>(k);
  }
  return std::nullopt;
}

std::optional<std::string> dotted_name(const Node& node) {
  if (node.kind == NodeKind::name) return node.name;
  if (node.kind != NodeKind::attribute) return std::nullopt;
  std::optional<std::string> object = dotted_name(node.operands[0]);
  if (object) *object += "." + node.name;
  return object;
}

}  // namespace tessera::kernel
