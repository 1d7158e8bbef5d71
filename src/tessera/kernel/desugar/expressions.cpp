// Comprehensions, generator expressions, f-strings, assertions and `del`, by loops, sums of texts, conditions and
// calls.
#include <algorithm>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

void rename(Node& node, const std::vector<std::string>& names, const std::string& ending) {
  if (node.kind == NodeKind::name && std::ranges::find(names, node.name) != names.end()) node.name += ending;
  std::vector<std::string> inside = names;  // a function's parameters are its own; their default values are not
  if (node.kind == NodeKind::function)
    std::erase_if(inside,
                  [&](const std::string& one) { return std::ranges::find(node.names, one) != node.names.end(); });
  for (Node& one : node.operands) rename(one, names, ending);
  for (std::vector<Node>* nodes : {&node.body, &node.other})
    for (Node& one : *nodes) rename(one, inside, ending);
}

/// The statement that adds an element to a list or a set, or a key and its value to a dict.
Node addition(const Node& node, const Node& container, Node element) {
  if (node.name == "dict") {
    Node place = node_at(node, NodeKind::subscript);
    place.operands = {container, std::move(element.operands[0])};
    return assignment_at(node, std::move(place), std::move(element.operands[1]));
  }
  Node method = node_at(node, NodeKind::attribute, node.name == "set" ? "add" : "append"),
       call = node_at(node, NodeKind::call), statement = node_at(node, NodeKind::expression);
  method.operands = {container};
  call.operands = {std::move(method), std::move(element)};
  statement.operands.push_back(std::move(call));
  return statement;
}

Node empty_container(const Node& node) {
  if (node.name == "dict") return node_at(node, NodeKind::dict);
  if (node.name != "set") return node_at(node, NodeKind::list);
  Node call = node_at(node, NodeKind::call);
  call.operands.push_back(name_at(node, "builtins.set"));
  return call;
}

/// The loops of a comprehension around what is done with each element: their variables are its own, under names that no
/// other variable has.
Node loops_around(Node& node, Node inner, const std::string& ending) {
  for (size_t k = node.operands.size(); k-- > 1;) {
    std::vector<Node>& parts = node.operands[k].operands;
    for (size_t i = parts.size(); i-- > 2;) {
      Node condition = node_at(node, NodeKind::if_);
      condition.operands.push_back(std::move(parts[i]));
      condition.body.push_back(std::move(inner));
      inner = std::move(condition);
    }
    std::vector<std::string> names;
    collect_targets(parts[0], names);
    rename(parts[0], names, ending);
    rename(inner, names, ending);
    Node loop = node_at(node, NodeKind::for_);
    loop.operands = {std::move(parts[0]), std::move(parts[1])};
    loop.body.push_back(std::move(inner));
    inner = std::move(loop);
  }
  return inner;
}

/// A call of a function without parameters that makes the container.
Node container_of_loops(Node node) {
  const std::string ending = format("#{}:{}", node.place.line, node.place.column);
  const Node list = name_at(node, "list" + ending);
  Node inner = addition(node, list, std::move(node.operands[0]));
  inner = loops_around(node, std::move(inner), ending);
  Node result = node_at(node, NodeKind::return_), function = node_at(node, NodeKind::function, "<listcomp>");
  result.operands.push_back(list);
  function.body = {assignment_at(node, list, empty_container(node)), std::move(inner), std::move(result)};
  Node call = node_at(node, NodeKind::call);
  call.operands.push_back(std::move(function));
  return call;
}

/// A call of a function that yields; what it runs over first is found at the call.
Node generator_of_loops(Node node) {
  const std::string ending = format("#{}:{}", node.place.line, node.place.column), first = "first" + ending;
  Node inner = node_at(node, NodeKind::yield_), over = node_at(node, NodeKind::call);
  inner.operands.push_back(std::move(node.operands[0]));
  over.operands = {name_at(node, "builtins.iterated"), std::move(node.operands[1].operands[1])};
  node.operands[1].operands[1] = name_at(node, first);
  Node function = node_at(node, NodeKind::function, "<genexpr>"), call = node_at(node, NodeKind::call);
  function.names = {first};
  function.body.push_back(loops_around(node, std::move(inner), ending));
  call.operands = {std::move(function), std::move(over)};
  return call;
}

/// f"a{x}": "a" + str(x).
Node sum_of_texts(Node node) {
  Node all = node_at(node, NodeKind::text);
  for (Node& part : node.operands) {
    if (part.kind == NodeKind::part) {
      Node call = node_at(node, NodeKind::call);
      call.operands = {name_at(node, "builtins." + part.name), std::move(part.operands[0])};
      part = std::move(call);
    }
    if (all.kind == NodeKind::text && all.name.empty()) {
      all = std::move(part);
      continue;
    }
    Node sum = node_at(node, NodeKind::binary, "+");
    sum.operands = {std::move(all), std::move(part)};
    all = std::move(sum);
  }
  return all;
}

/// An `if` that raises.
Node check_of(Node node) {
  Node raised = node_at(node, NodeKind::raise_, "assert"), check = node_at(node, NodeKind::if_);
  if (node.operands.size() > 1) raised.operands.push_back(std::move(node.operands[1]));
  check.operands.push_back(not_at(node, std::move(node.operands[0])));
  check.body.push_back(std::move(raised));
  return check;
}

/// Of one element or slice: a call of the method.
Node call_of_deletion(Node node) {
  if (node.operands.size() != 1) return node_at(node, NodeKind::unsupported, "del of several things at once");
  Node& target = node.operands[0];
  if (target.kind != NodeKind::subscript) return node_at(node, NodeKind::unsupported, "del of a name");
  Node method = node_at(node, NodeKind::attribute, "__delitem__"), call = node_at(node, NodeKind::call),
       statement = node_at(node, NodeKind::expression);
  method.operands.push_back(std::move(target.operands[0]));
  call.operands = {std::move(method), std::move(target.operands[1])};
  statement.operands.push_back(std::move(call));
  return statement;
}

/// What is inside first: the variables of a comprehension within one are its own.
void rewrite(Node& node) {
  for (std::vector<Node>* nodes : {&node.operands, &node.body, &node.other})
    for (Node& one : *nodes) rewrite(one);
  if (node.kind == NodeKind::comprehension)
    node = node.name == "generator" ? generator_of_loops(std::move(node)) : container_of_loops(std::move(node));
  if (node.kind == NodeKind::joined) node = sum_of_texts(std::move(node));
  if (node.kind == NodeKind::assert_) node = check_of(std::move(node));
  if (node.kind == NodeKind::delete_) node = call_of_deletion(std::move(node));
}

}  // namespace

void desugar_expressions(Function& function) { rewrite(function.tree); }

}  // namespace tessera::kernel
