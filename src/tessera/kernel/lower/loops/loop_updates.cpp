#include "tessera/kernel/lower/loops/loop_updates.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

namespace tessera::kernel {

namespace {

/// Of operators that undo each other, the one that joins.
std::string joining(const std::string& op) { return op == "-" ? "+" : op == "/" ? "*" : op; }

bool is_name(const Node& node, const std::string& name) { return node.kind == NodeKind::name && node.name == name; }

using IsSelf = std::function<bool(const Node&)>;

/// `x = x + e`, `x = e + x`, `x = min(x, e)`, `x = x and e`, where x is what `is_self` says and e does not read the
/// variable: the operator; else nothing.
std::string update_of(const Node& value, const std::string& name, const IsSelf& is_self) {
  std::string op;
  size_t first = 0;
  const bool is_boolean = value.kind == NodeKind::boolean && value.operands.size() == 2;
  if (value.kind == NodeKind::binary || is_boolean) {
    op = value.name;
  } else if (value.kind == NodeKind::call && value.operands.size() == 3 && value.names.empty() &&
             (is_name(value.operands[0], "min") || is_name(value.operands[0], "max"))) {
    op = value.operands[0].name;
    first = 1;
  } else {
    return {};
  }
  const Node& x = value.operands[first];
  const Node& y = value.operands[first + 1];
  if (is_self(x) && !reads(y, name)) return joining(op);
  const bool commutes = op != "-" && op != "/";
  return commutes && is_self(y) && !reads(x, name) ? op : "";
}

/// `x = (x[0] + e, max(x[1], f))`: the operators of the elements.
std::string updates_of_elements(const Node& value, const std::string& name) {
  std::string ops;
  for (size_t k = 0; k < value.operands.size(); ++k) {
    const auto is_element = [&](const Node& node) {
      return node.kind == NodeKind::subscript && is_name(node.operands[0], name) &&
             node.operands[1].kind == NodeKind::constant && is_integer(node.operands[1].value.dtype) &&
             node.operands[1].value.as_int() == static_cast<int64_t>(k);
    };
    const std::string op = update_of(value.operands[k], name, is_element);
    if (op.empty()) return {};
    ops += op + ",";
  }
  return ops;
}

void note_assignment(const Node& value, const std::string& name, Carried& found) {
  const auto is_self = [&](const Node& node) { return is_name(node, name); };
  const std::string op =
      value.kind == NodeKind::tuple ? updates_of_elements(value, name) : update_of(value, name, is_self);
  found.is_assigned = true;
  if (op.empty())
    found.use = Carried::Use::other;
  else
    found.join(op);
}

void note_uses(const Node& node, const std::string& name, Carried& found) {
  if (node.kind == NodeKind::augmented && is_name(node.operands[0], name)) {
    if (reads(node.operands[1], name))
      found.use = Carried::Use::other;
    else
      found.join(joining(node.name));
    return;
  }
  if (node.kind == NodeKind::assign && node.operands.size() == 2) {
    const Node& target = node.operands[0];
    const Node& value = node.operands[1];
    if (is_name(target, name)) return note_assignment(value, name, found);
    // a, b = a + e, max(b, f)
    const bool are_pairs = target.kind == NodeKind::tuple && value.kind == NodeKind::tuple &&
                           target.operands.size() == value.operands.size();
    if (are_pairs &&
        std::ranges::none_of(target.operands, [](const Node& one) { return one.kind == NodeKind::starred; })) {
      for (size_t k = 0; k < value.operands.size(); ++k) {
        if (is_name(target.operands[k], name)) {
          note_assignment(value.operands[k], name, found);
        } else {
          note_uses(target.operands[k], name, found);
          note_uses(value.operands[k], name, found);
        }
      }
      return;
    }
  }
  if (is_name(node, name)) found.use = Carried::Use::other;
  for (const std::vector<Node>* nodes : {&node.operands, &node.body, &node.other})
    for (const Node& one : *nodes) note_uses(one, name, found);
}

}  // namespace

void Carried::join(const std::string& with) {
  if (use == Use::none)
    op = with, use = Use::joined;
  else if (op != with)
    use = Use::other;
}

Carried find_uses(const std::vector<Node>& body, const std::string& name) {
  Carried found;
  for (const Node& statement : body) note_uses(statement, name, found);
  return found;
}

std::vector<std::string> split_joins(const std::string& op) {
  if (!joins_elements(op)) return {op};
  std::vector<std::string> ops;
  for (size_t begin = 0; begin < op.size();) {
    const size_t end = op.find(',', begin);
    ops.push_back(op.substr(begin, end - begin));
    begin = end + 1;
  }
  return ops;
}

bool is_joining(const std::string& op) {
  constexpr std::string_view known[] = {"+", "*", "&", "|", "^", "min", "max", "and", "or"};
  return std::ranges::all_of(split_joins(op),
                             [&](const std::string& one) { return std::ranges::find(known, one) != std::end(known); });
}

bool reads(const Node& node, const std::string& name) {
  if (is_name(node, name)) return true;
  const auto in = [&](const std::vector<Node>& nodes) {
    return std::ranges::any_of(nodes, [&](const Node& one) { return reads(one, name); });
  };
  return in(node.operands) || in(node.body) || in(node.other);
}

bool is_assigned_first(const std::vector<Node>& body, const std::string& name) {
  for (const Node& statement : body) {
    if (statement.kind == NodeKind::assign && !reads(statement.operands.back(), name)) {
      const Node& target = statement.operands[0];
      const bool is_among = target.kind == NodeKind::tuple &&
                            std::ranges::any_of(target.operands, [&](const Node& one) { return is_name(one, name); });
      if (is_among || is_name(target, name)) return true;
    }
    if (reads(statement, name)) return false;
  }
  return false;
}

}  // namespace tessera::kernel
