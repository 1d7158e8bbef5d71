// name := value: an assignment before the statement, where the value is evaluated once and before the name is read.
#include <set>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

/// Parts of an expression that may not be evaluated, or several times.
void collect_conditional(const Node& node, std::set<const Node*>& found) {
  size_t first = node.operands.size();
  if (node.kind == NodeKind::boolean || node.kind == NodeKind::conditional) first = 1;
  if (node.kind == NodeKind::compare) first = 2;
  if (node.kind == NodeKind::comprehension || is_lambda(node)) first = 0;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    if (k >= first) visit_all(node.operands[k], [&](const Node& one) { found.insert(&one); });
    collect_conditional(node.operands[k], found);
  }
  if (is_lambda(node))
    for (const Node& one : node.body) visit_all(one, [&](const Node& part) { found.insert(&part); });
}

class NamedValues {
 public:
  explicit NamedValues(const Function& function) : function_(function) {}

  void rewrite(Node& definition) {
    rewrite_block(definition.body, [this](Node one) { return rewritten(std::move(one)); });
  }

 private:
  std::vector<Node> rewritten(Node statement) {
    if (is_definition(statement)) {
      rewrite(statement);
      for (Node& operand : statement.operands) refuse_in(operand);
      return {std::move(statement)};
    }
    rewrite_blocks_in(statement, [this](Node one) { return rewritten(std::move(one)); });
    std::vector<Node> before;
    if (statement.kind == NodeKind::while_) {
      take_out(statement.operands[0], before);
      if (before.empty()) return {std::move(statement)};
      if (!statement.other.empty())
        refuse_at(function_, statement, "the operator := in the condition of while ... else",
                  "an assignment in the loop");
      stop_inside(statement, std::move(before), std::move(statement.operands[0]));
      return {std::move(statement)};
    }
    for (Node& operand : statement.operands) take_out(operand, before);
    if (statement.kind == NodeKind::try_ || statement.kind == NodeKind::match_)
      for (const Node& part : statement.body)
        for (const Node& operand : part.operands) refuse_in(operand);
    before.push_back(std::move(statement));
    return before;
  }

  void refuse_in(const Node& expression) const {
    visit_all(expression, [this](const Node& one) {
      if (one.kind == NodeKind::named)
        refuse_at(function_, one, "the operator := here", "an assignment before the statement");
    });
  }

  /// Puts names in place of `name := value`; the assignments go before the statement.
  void take_out(Node& expression, std::vector<Node>& before) const {
    std::vector<const Node*> found, names;
    visit_all(expression, [&](const Node& one) {
      if (one.kind == NodeKind::named) found.push_back(&one);
      if (one.kind == NodeKind::name) names.push_back(&one);
    });
    if (found.empty()) return;
    std::set<const Node*> conditional;
    collect_conditional(expression, conditional);
    for (const Node* one : found) {
      if (conditional.contains(one))
        refuse_at(function_, *one, "the operator := where it may not be evaluated", "an assignment in an if");
      for (const Node* other : names)
        if (other->name == one->operands[0].name && precedes(other->place, one->place))
          refuse_at(function_, *one, format("{} both before and by :=", other->name),
                    "an assignment before the statement");
    }
    replace(expression, before);
  }

  static void replace(Node& node, std::vector<Node>& before) {
    for (Node& operand : node.operands) replace(operand, before);
    if (node.kind != NodeKind::named) return;
    Node name = name_at(node, node.operands[0].name);
    before.push_back(assignment_at(node, std::move(node.operands[0]), std::move(node.operands[1])));
    node = std::move(name);
  }

  const Function& function_;
};

}  // namespace

void desugar_named_values(Function& function) {
  NamedValues values(function);
  values.rewrite(function.tree);
}

}  // namespace tessera::kernel
