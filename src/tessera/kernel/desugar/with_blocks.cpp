// with parallel_chunksize(n): the number is set, and set back finally.
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

class WithBlocks {
 public:
  explicit WithBlocks(const Function& function) : function_(function) {}

  std::vector<Node> rewritten(Node statement) {
    const auto rewrite = [this](Node one) { return rewritten(std::move(one)); };
    if (is_definition(statement)) rewrite_block(statement.body, rewrite);
    rewrite_blocks_in(statement, rewrite);
    if (statement.kind != NodeKind::with_) return {std::move(statement)};
    for (const Node& part : statement.operands)
      if (!is_chunk_size(part)) return {node_at(statement, NodeKind::unsupported, "with")};
    std::vector<Node> body = std::move(statement.body);
    for (size_t k = statement.operands.size(); k-- > 0;)
      body = within(std::move(statement.operands[k].operands[0]), std::move(body));
    return body;
  }

 private:
  bool is_chunk_size(const Node& part) const {
    const Node& call = part.operands[0];
    if (part.operands.size() > 1 || call.kind != NodeKind::call) return false;
    const std::optional<std::string> named = dotted_name(call.operands[0]);
    if (!named) return false;
    const Entity entity = function_.globals(*named);
    return entity.kind == EntityKind::builtin && entity.name == "builtins.parallel_chunksize";
  }

  std::vector<Node> within(Node call, std::vector<Node> body) {
    const std::string before = format("chunk_size_before_{}", ++count_);
    Node set = node_at(call, NodeKind::attribute, "set");
    set.operands.push_back(std::move(call.operands[0]));
    Node back = node_at(call, NodeKind::call), finally = node_at(call, NodeKind::part, "finally"),
         last = node_at(call, NodeKind::expression), tried = node_at(call, NodeKind::part, "try"),
         both = node_at(call, NodeKind::try_);
    back.operands = {set, name_at(call, before)};
    last.operands.push_back(std::move(back));
    finally.body.push_back(std::move(last));
    tried.body = std::move(body);
    both.body = {std::move(tried), std::move(finally)};
    call.operands[0] = std::move(set);
    const Node place = node_at(call, NodeKind::pass);
    return {assignment_at(place, name_at(place, before), std::move(call)), std::move(both)};
  }

  const Function& function_;
  int count_ = 0;
};

}  // namespace

void desugar_with_blocks(Function& function) {
  WithBlocks blocks(function);
  rewrite_block(function.tree.body, [&](Node one) { return blocks.rewritten(std::move(one)); });
}

}  // namespace tessera::kernel
