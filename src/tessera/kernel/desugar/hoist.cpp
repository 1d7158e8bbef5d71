#include "tessera/kernel/desugar/hoist.h"

#include <utility>

#include "tessera/base/format.h"

namespace tessera::kernel {

namespace {

/// Whether its value depends on memory, or evaluating it has effects.
bool is_impure(const Node& node) {
  bool found = false;
  visit_all(node, [&](const Node& one) {
    found |= one.kind == NodeKind::call || one.kind == NodeKind::subscript || one.kind == NodeKind::attribute ||
             one.kind == NodeKind::comprehension || one.kind == NodeKind::joined;
  });
  return found;
}

bool reads_any(const Node& node, const Names& names) {
  bool found = false;
  visit_all(node, [&](const Node& one) { found |= one.kind == NodeKind::name && names.contains(one.name); });
  return found;
}

/// Parts that may not be evaluated, or several times.
bool is_conditional(const Node& node) {
  return node.kind == NodeKind::boolean || node.kind == NodeKind::conditional || node.kind == NodeKind::comprehension ||
         is_lambda(node) || (node.kind == NodeKind::compare && node.operands.size() > 2);
}

/// The first operands of it that are always evaluated, once.
size_t always_evaluated(const Node& node) {
  if (node.kind == NodeKind::boolean || node.kind == NodeKind::conditional) return 1;
  return node.kind == NodeKind::compare ? 2 : 0;
}

/// What holds other expressions but has no value of its own.
bool is_holder(const Node& node) {
  return node.kind == NodeKind::slice || node.kind == NodeKind::starred || node.kind == NodeKind::part ||
         node.kind == NodeKind::nothing;
}

}  // namespace

bool Hoisting::has_one(const Node& node) const {
  bool found = false;
  visit_all(node, [&](const Node& one) { found |= hoisted_.is_one(one); });
  return found;
}

Names Hoisting::changed_by(const Node& node) const {
  Names changed;
  visit_all(node, [&](const Node& one) {
    if (hoisted_.is_one(one)) changed.merge(hoisted_.changes(one));
  });
  return changed;
}

void Hoisting::refuse_in(const Node& node, std::string_view where) const {
  visit_all(node, [&](const Node& one) {
    if (hoisted_.is_one(one))
      refuse_at(function_, one, format("{} {}", hoisted_.what, where), "a statement of its own before");
  });
}

/// Has the value in a variable, where what is hoisted behind it might change it.
void Hoisting::keep(Node& node, const Names& changed, std::vector<Node>& before) {
  if (is_holder(node)) {
    for (Node& operand : node.operands) keep(operand, changed, before);
    return;
  }
  if (!is_impure(node) && !reads_any(node, changed)) return;
  const std::string name = format("kept#{}:{}-{}", node.place.line, node.place.column, node.place.end_column);
  Node read = name_at(node, name);
  const Node place = node_at(node, NodeKind::pass);
  before.push_back(assignment_at(place, name_at(place, name), std::move(node)));
  node = std::move(read);
}

void Hoisting::take_out_of(std::vector<Node>& operands, size_t first, std::vector<Node>& before) {
  size_t last = operands.size();
  while (last > 0 && !has_one(operands[last - 1])) --last;
  for (size_t k = 0; k < last; ++k) {
    if (has_one(operands[k])) take_out(operands[k], before);
    if (k < first || k + 1 == last) continue;
    Names changed;
    for (size_t later = k + 1; later < last; ++later) changed.merge(changed_by(operands[later]));
    keep(operands[k], changed, before);
  }
}

void Hoisting::take_out(Node& node, std::vector<Node>& before) {
  if (is_conditional(node)) {
    const size_t always = always_evaluated(node);
    for (size_t k = always; k < node.operands.size(); ++k)
      refuse_in(node.operands[k], "where it may not be evaluated, or several times,");
    for (const Node& statement : node.body) refuse_in(statement, "in a lambda");
    std::vector<Node> first(std::make_move_iterator(node.operands.begin()),
                            std::make_move_iterator(node.operands.begin() + static_cast<int64_t>(always)));
    take_out_of(first, 0, before);
    std::move(first.begin(), first.end(), node.operands.begin());
    return;
  }
  // The function of a call is no value; what a method is of is looked at again when it is called.
  take_out_of(node.operands, node.kind == NodeKind::call ? 1 : 0, before);
  if (hoisted_.is_one(node)) node = hoisted_.evaluate(std::move(node), before);
}

Node Hoisting::rewritten_loop(Node loop) {
  if (!loop.other.empty()) refuse_in(loop.operands[0], "in the condition of while ... else");
  std::vector<Node> before;
  take_out(loop.operands[0], before);
  stop_inside(loop, std::move(before), std::move(loop.operands[0]));
  return loop;
}

/// The value is computed before the targets.
Node Hoisting::rewritten_assignment(Node statement, std::vector<Node>& before) {
  std::vector<Node>& operands = statement.operands;
  Names changed;
  bool in_target = false;
  for (size_t k = 0; k + 1 < operands.size(); ++k) {
    if (!has_one(operands[k])) continue;
    in_target = true;
    if (operands[k].kind != NodeKind::subscript || operands.size() > 2) refuse_in(operands[k], "among several targets");
    changed.merge(changed_by(operands[k]));
  }
  if (has_one(operands.back())) take_out(operands.back(), before);
  if (!in_target) return statement;
  keep(operands.back(), changed, before);
  take_out(operands[0], before);
  return statement;
}

/// The target is read before the value is computed.
Node Hoisting::rewritten_update(Node statement, std::vector<Node>& before) {
  Node& target = statement.operands[0];
  const Names changed = changed_by(statement.operands[1]);
  if (has_one(target)) take_out_of(target.operands, 0, before);
  if (!has_one(statement.operands[1])) return statement;
  if (target.kind == NodeKind::name) {
    if (changed.contains(target.name))
      refuse_at(function_, target,
                format("{} before {}, which changes it, in one statement", target.name, hoisted_.what),
                "the value in a variable, in a statement before");
    take_out(statement.operands[1], before);
    return statement;
  }
  for (Node& operand : target.operands) keep(operand, changed, before);
  Node sum = node_at(statement, NodeKind::binary, statement.name);
  sum.operands = {target, std::move(statement.operands[1])};
  keep(sum.operands[0], changed, before);
  take_out(sum.operands[1], before);
  const Node place = node_at(statement, NodeKind::pass);
  return assignment_at(place, std::move(target), std::move(sum));
}

std::vector<Node> Hoisting::rewritten(Node statement) {
  if (statement.kind == NodeKind::while_ && has_one(statement.operands[0])) {
    std::vector<Node> one;
    one.push_back(rewritten_loop(std::move(statement)));
    return one;
  }
  std::vector<Node> before;
  if (statement.kind == NodeKind::assign) {
    statement = rewritten_assignment(std::move(statement), before);
  } else if (statement.kind == NodeKind::augmented) {
    statement = rewritten_update(std::move(statement), before);
  } else if (statement.kind == NodeKind::assert_) {
    if (statement.operands.size() > 1) refuse_in(statement.operands[1], "where it may not be evaluated");
    take_out(statement.operands[0], before);
  } else {
    take_out_of(statement.operands, 0, before);
  }
  if (statement.kind == NodeKind::try_ || statement.kind == NodeKind::match_)
    for (const Node& part : statement.body)
      for (const Node& operand : part.operands) refuse_in(operand, "here");
  before.push_back(std::move(statement));
  return before;
}

}  // namespace tessera::kernel
