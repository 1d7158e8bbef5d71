#include "tessera/kernel/desugar/passes.h"

#include <tuple>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/compile_error.h"

namespace tessera::kernel {

Node node_at(const Node& like, NodeKind kind, std::string name) {
  return {.kind = kind, .place = like.place, .name = std::move(name)};
}

Node name_at(const Node& like, std::string name) { return node_at(like, NodeKind::name, std::move(name)); }

Node assignment_at(const Node& like, Node target, Node value) {
  Node made = node_at(like, NodeKind::assign);
  made.operands = {std::move(target), std::move(value)};
  return made;
}

Node not_at(const Node& like, Node value) {
  Node made = node_at(like, NodeKind::unary, "not");
  made.operands.push_back(std::move(value));
  return made;
}

void stop_inside(Node& loop, std::vector<Node> before, Node test) {
  Node stop = node_at(test, NodeKind::if_);
  stop.body.push_back(node_at(test, NodeKind::break_));
  Node always = node_at(test, NodeKind::constant);
  always.value = Scalar::of_bool(true);
  const Node place = node_at(test, NodeKind::pass);
  stop.operands.push_back(not_at(place, std::move(test)));
  before.push_back(std::move(stop));
  loop.body.insert(loop.body.begin(), std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
  loop.operands[0] = std::move(always);
}

bool is_lambda(const Node& node) { return node.kind == NodeKind::function && node.name == "<lambda>"; }
bool is_definition(const Node& node) { return node.kind == NodeKind::function && !is_lambda(node); }

void visit_own(const Node& node, const std::function<void(const Node&)>& visit) {
  for (const std::vector<Node>* nodes : {&node.operands, &node.body, &node.other})
    for (const Node& one : *nodes) {
      visit(one);
      if (one.kind != NodeKind::function) visit_own(one, visit);
    }
}

void visit_all(const Node& node, const std::function<void(const Node&)>& visit) {
  visit(node);
  for (const std::vector<Node>* nodes : {&node.operands, &node.body, &node.other})
    for (const Node& one : *nodes) visit_all(one, visit);
}

void collect_targets(const Node& target, std::vector<std::string>& names) {
  if (target.kind == NodeKind::name) names.push_back(target.name);
  if (target.kind == NodeKind::tuple || target.kind == NodeKind::list || target.kind == NodeKind::starred)
    for (const Node& part : target.operands) collect_targets(part, names);
}

std::vector<std::string> assigned_by(const Node& statement) {
  std::vector<std::string> names;
  const auto& operands = statement.operands;
  if (statement.kind == NodeKind::assign)
    for (size_t k = 0; k + 1 < operands.size(); ++k) collect_targets(operands[k], names);
  if (statement.kind == NodeKind::augmented || statement.kind == NodeKind::for_) collect_targets(operands[0], names);
  if (statement.kind == NodeKind::with_)
    for (const Node& part : operands)
      if (part.operands.size() > 1) collect_targets(part.operands[1], names);
  return names;
}

bool precedes(const Place& a, const Place& b) { return std::tie(a.line, a.column) < std::tie(b.line, b.column); }

void rewrite_block(std::vector<Node>& block, const Rewrite& rewrite) {
  std::vector<Node> made;
  for (Node& statement : block)
    for (Node& one : rewrite(std::move(statement))) made.push_back(std::move(one));
  block = std::move(made);
}

void rewrite_blocks_in(Node& statement, const Rewrite& rewrite) {
  if (statement.kind == NodeKind::function) return;
  const bool has_parts = statement.kind == NodeKind::try_ || statement.kind == NodeKind::match_;
  if (!has_parts) {
    rewrite_block(statement.body, rewrite);
    rewrite_block(statement.other, rewrite);
  } else {
    for (Node& part : statement.body) rewrite_block(part.body, rewrite);
  }
}

void refuse_at(const Function& function, const Node& node, std::string_view what, std::string_view instead) {
  throw CompileError(Fault::unsupported,
                     fault_message(function, node.place, format("{} is not part of kernels", what), {}, instead));
}

}  // namespace tessera::kernel
