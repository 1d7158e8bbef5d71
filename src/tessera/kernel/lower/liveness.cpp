#include "tessera/kernel/lower/liveness.h"

namespace tessera::kernel {

Liveness::Liveness(const Node& function) {
  const auto add = [&](const std::string& name) {
    if (numbers_.emplace(name, static_cast<int>(names_.size())).second) names_.push_back(name);
  };
  for (const std::string& parameter : function.names) add(parameter);
  for (const Node& statement : function.body) number(statement);
  const VariableSet none(count());
  before_block(function.body, none, {none, none, none, none});
}

int Liveness::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

void Liveness::add_target(const Node& target) {
  if (target.kind == NodeKind::name && numbers_.emplace(target.name, static_cast<int>(names_.size())).second)
    names_.push_back(target.name);
  if (target.kind == NodeKind::tuple || target.kind == NodeKind::list) {
    for (const Node& element : target.operands) add_target(element);
  }
}

void Liveness::number(const Node& node) {
  if (node.kind == NodeKind::function) {
    if (numbers_.emplace(node.name, static_cast<int>(names_.size())).second) names_.push_back(node.name);
    functions_[find(node.name)].push_back(&node);
    return;
  }
  if (node.kind == NodeKind::assign) {
    for (size_t k = 0; k + 1 < node.operands.size(); ++k) add_target(node.operands[k]);
  }
  if (node.kind == NodeKind::augmented || node.kind == NodeKind::for_) add_target(node.operands[0]);
  for (const Node& statement : node.body) number(statement);
  for (const Node& statement : node.other) number(statement);
}

void Liveness::collect_target(const Node& target, VariableSet& set) const {
  if (target.kind == NodeKind::name) set.add(find(target.name));
  if (target.kind != NodeKind::tuple && target.kind != NodeKind::list) return;
  for (const Node& element : target.operands) collect_target(element, set);
}

void Liveness::collect_assigned(const Node& statement, VariableSet& set) const {
  if (statement.kind == NodeKind::function) return set.add(find(statement.name));
  if (statement.kind == NodeKind::assign) {
    for (size_t k = 0; k + 1 < statement.operands.size(); ++k) collect_target(statement.operands[k], set);
  }
  if (statement.kind == NodeKind::augmented || statement.kind == NodeKind::for_)
    collect_target(statement.operands[0], set);
  for (const Node& inner : statement.body) collect_assigned(inner, set);
  for (const Node& inner : statement.other) collect_assigned(inner, set);
}

VariableSet Liveness::assigned(const Node& statement) const {
  VariableSet set(count());
  collect_assigned(statement, set);
  return set;
}

// A function that is defined inside reads what its own body does.
void Liveness::add_reads(const Node& expression, VariableSet& set) const {
  if (expression.kind == NodeKind::name) {
    const int variable = find(expression.name);
    if (variable >= 0 && !set.has(variable)) {
      set.add(variable);
      const auto functions = functions_.find(variable);
      if (functions != functions_.end())
        for (const Node* function : functions->second) add_captured(*function, set);
    }
  }
  if (expression.kind == NodeKind::function) return add_captured(expression, set);
  for (const Node& operand : expression.operands) add_reads(operand, set);
}

// All names in it: some may be variables of its own under names of this function's.
void Liveness::add_captured(const Node& function, VariableSet& set) const {
  for (const std::vector<Node>* nodes : {&function.operands, &function.body, &function.other}) {
    for (const Node& node : *nodes) {
      if (node.kind == NodeKind::name) add_reads(node, set);
      add_captured(node, set);
    }
  }
}

// Storing to an element reads the array and the index.
void Liveness::add_target_reads(const Node& target, VariableSet& set) const {
  if (target.kind == NodeKind::name) return;
  if (target.kind == NodeKind::tuple || target.kind == NodeKind::list) {
    for (const Node& element : target.operands) add_target_reads(element, set);
    return;
  }
  add_reads(target, set);
}

VariableSet Liveness::before_block(const std::vector<Node>& block, VariableSet live, const Targets& targets) {
  for (size_t k = block.size(); k-- > 0;) {
    live.add(targets.of_raise);
    live = before(block[k], std::move(live), targets);
    live.add(targets.of_raise);
  }
  return live;
}

VariableSet Liveness::before_assignment(const Node& statement, VariableSet live) const {
  const bool augmented = statement.kind == NodeKind::augmented;
  const size_t targets = statement.operands.size() - 1;
  for (size_t k = 0; k < targets; ++k) {
    VariableSet written(count());
    collect_target(statement.operands[k], written);
    live.remove(written);
  }
  for (size_t k = 0; k < targets; ++k) add_target_reads(statement.operands[k], live);
  if (augmented) add_reads(statement.operands[0], live);
  add_reads(statement.operands.back(), live);
  return live;
}

VariableSet Liveness::before_loop(const Node& loop, const VariableSet& live, const Targets& targets) {
  const VariableSet end = before_block(loop.other, live, targets);
  VariableSet head = end;
  if (loop.kind == NodeKind::while_) add_reads(loop.operands[0], head);
  for (;;) {
    VariableSet next = before_block(loop.body, head, {live, head, targets.of_return, targets.of_raise});
    if (loop.kind == NodeKind::for_) {
      VariableSet target(count());
      collect_target(loop.operands[0], target);
      target.remove(end);  // after the last iteration the target keeps its value
      next.remove(target);
    }
    next.add(head);
    if (next == head) break;
    head = next;
  }
  head_[&loop] = head;
  VariableSet before = head;
  if (loop.kind == NodeKind::for_) add_reads(loop.operands[1], before);
  return before;
}

// Any statement of the body may lead to a handler, and any way out leads to what is done finally.
VariableSet Liveness::before_try(const Node& statement, VariableSet live, const Targets& targets) {
  Targets inner = targets;
  for (const Node& part : statement.body) {
    if (part.name != "finally") continue;
    for (const VariableSet* set : {&targets.of_break, &targets.of_continue, &targets.of_return, &targets.of_raise})
      live.add(*set);
    live = before_block(part.body, std::move(live), targets);
    after_[&statement].add(live);  // the handlers end before it
    inner = {live, live, live, live};
  }
  VariableSet raised = inner.of_raise, ended = live;
  for (const Node& part : statement.body) {
    if (part.name == "except") raised.add(before_block(part.body, live, inner));
    if (part.name == "else") ended = before_block(part.body, live, inner);
  }
  return before_block(statement.body[0].body, std::move(ended),
                      {inner.of_break, inner.of_continue, inner.of_return, raised});
}

VariableSet Liveness::before(const Node& statement, VariableSet live, const Targets& targets) {
  after_[&statement] = live;
  switch (statement.kind) {
    case NodeKind::assign:
    case NodeKind::augmented: return before_assignment(statement, std::move(live));
    case NodeKind::if_: {
      VariableSet both = before_block(statement.body, live, targets);
      both.add(before_block(statement.other, live, targets));
      add_reads(statement.operands[0], both);
      return both;
    }
    case NodeKind::while_:
    case NodeKind::for_: return before_loop(statement, live, targets);
    case NodeKind::break_: return targets.of_break;
    case NodeKind::continue_: return targets.of_continue;
    case NodeKind::function: live.remove(find(statement.name)); return live;
    case NodeKind::try_: return before_try(statement, std::move(live), targets);
    case NodeKind::yield_:
      // It ends the call, behind which what its names say is read. One that is asked to end there returns.
      if (statement.names.empty()) {
        live.add(targets.of_return);
        after_[&statement].add(targets.of_return);
        return with_reads(statement, std::move(live));
      }
      for (const std::string& name : statement.names) live.add(find(name));
      return with_reads(statement, std::move(live));
    case NodeKind::raise_:
    case NodeKind::return_: return with_reads(statement, targets.of_return);
    default: return with_reads(statement, std::move(live));
  }
}

VariableSet Liveness::with_reads(const Node& statement, VariableSet live) const {
  for (const Node& operand : statement.operands) add_reads(operand, live);
  return live;
}

Jumps jumps(const Node& statement, const std::set<const Node*>& failing) {
  Jumps found;
  if (statement.kind == NodeKind::function) return found;
  found.breaks = statement.kind == NodeKind::break_;
  found.continues = statement.kind == NodeKind::continue_;
  const bool leaves =
      statement.kind == NodeKind::return_ || statement.kind == NodeKind::raise_ || statement.kind == NodeKind::yield_;
  found.returns = leaves || failing.contains(&statement);
  for (const Node& inner : statement.body) found.add(jumps(inner, failing));
  if (statement.kind == NodeKind::while_ || statement.kind == NodeKind::for_) found.breaks = found.continues = false;
  for (const Node& inner : statement.other) found.add(jumps(inner, failing));
  return found;
}

bool always_jumps(const std::vector<Node>& block) {
  for (const Node& statement : block) {
    if (statement.kind == NodeKind::break_ || statement.kind == NodeKind::continue_ ||
        statement.kind == NodeKind::return_ || statement.kind == NodeKind::raise_ ||
        statement.kind == NodeKind::yield_) {
      return true;
    }
    if (statement.kind == NodeKind::if_ && always_jumps(statement.body) && always_jumps(statement.other)) return true;
  }
  return false;
}

}  // namespace tessera::kernel
