// name := value: an assignment before the statement, where the value is evaluated once.
#include <utility>

#include "tessera/kernel/desugar/hoist.h"

namespace tessera::kernel {

namespace {

class NamedValues {
 public:
  explicit NamedValues(const Function& function)
      : hoisting_(function, {.is_one = [](const Node& node) { return node.kind == NodeKind::named; },
                             .changes = [](const Node& node) { return Names{node.operands[0].name}; },
                             .evaluate = evaluate,
                             .what = "the operator :="}) {}

  void rewrite(Node& definition) {
    rewrite_block(definition.body, [this](Node one) { return rewritten(std::move(one)); });
  }

 private:
  static Node evaluate(Node node, std::vector<Node>& before) {
    Node name = name_at(node, node.operands[0].name);
    const Node place = node_at(node, NodeKind::pass);
    before.push_back(assignment_at(place, std::move(node.operands[0]), std::move(node.operands[1])));
    return name;
  }

  std::vector<Node> rewritten(Node statement) {
    if (is_definition(statement)) rewrite(statement);
    rewrite_blocks_in(statement, [this](Node one) { return rewritten(std::move(one)); });
    return hoisting_.rewritten(std::move(statement));
  }

  Hoisting hoisting_;
};

}  // namespace

void desugar_named_values(Function& function) {
  NamedValues values(function);
  values.rewrite(function.tree);
}

}  // namespace tessera::kernel
