// Variables whose types are given: what is assigned to them is converted.
#include <algorithm>
#include <utility>

#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

Node converted(Node value, const std::string& variable) {
  Node call = node_at(value, NodeKind::call);
  call.operands = {name_at(value, variable + ":type"), std::move(value)};
  return call;
}

/// An assignment of the variable's own value.
Node converting(const Node& at, const std::string& variable) {
  return assignment_at(at, name_at(at, variable), converted(name_at(at, variable), variable));
}

std::vector<Node> rewritten(Node statement, const Names& variables) {
  if (statement.kind == NodeKind::function) return {std::move(statement)};
  if (statement.kind == NodeKind::augmented && statement.operands[0].kind == NodeKind::name &&
      variables.contains(statement.operands[0].name)) {
    Node result = node_at(statement, NodeKind::binary, statement.name);
    result.operands = {statement.operands[0], std::move(statement.operands[1])};
    statement = assignment_at(statement, std::move(statement.operands[0]), std::move(result));
  }
  std::vector<std::string> stored = assigned_by(statement);
  std::erase_if(stored, [&](const std::string& name) { return !variables.contains(name); });
  rewrite_blocks_in(statement, [&](Node one) { return rewritten(std::move(one), variables); });
  std::vector<Node> after;
  if (statement.kind == NodeKind::assign && statement.operands.size() == 2 &&
      statement.operands[0].kind == NodeKind::name) {
    for (const std::string& name : stored) statement.operands[1] = converted(std::move(statement.operands[1]), name);
  } else {
    for (const std::string& name : stored) after.push_back(converting(statement, name));
  }
  if (statement.kind == NodeKind::for_) {
    statement.body.insert(statement.body.begin(), after.begin(), after.end());
    after.clear();
  }
  after.insert(after.begin(), std::move(statement));
  return after;
}

}  // namespace

void convert_typed_variables(Function& function, const Names& variables) {
  Node& tree = function.tree;
  rewrite_block(tree.body, [&](Node one) { return rewritten(std::move(one), variables); });
  std::vector<Node> first;
  for (size_t k = 0; k < tree.names.size(); ++k)
    if (static_cast<int>(k) != function.rest && variables.contains(tree.names[k]))
      first.push_back(converting(tree, tree.names[k]));
  tree.body.insert(tree.body.begin(), first.begin(), first.end());
}

}  // namespace tessera::kernel
