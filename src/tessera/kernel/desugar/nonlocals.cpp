// nonlocal: a function inside gets the variables around that it assigns, and returns them; calls of it, which are taken
// out of expressions, assign them.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/hoist.h"

namespace tessera::kernel {

namespace {

/// The variables that calls of a function pass and assign, by the function's name.
using PassedNames = std::map<std::string, Names>;

Names difference(const Names& all, const Names& without) {
  Names left;
  std::ranges::set_difference(all, without, std::inserter(left, left.end()));
  return left;
}

Names declared_in(const Node& scope) {
  Names names;
  visit_own(scope, [&](const Node& node) {
    if (node.kind == NodeKind::nonlocal_) names.insert(node.names.begin(), node.names.end());
  });
  return names;
}

/// The function's own variables.
Names variables_of(const Node& scope) {
  Names names(scope.names.begin(), scope.names.end());
  visit_own(scope, [&](const Node& node) {
    if (is_definition(node)) names.insert(node.name);
    if (node.kind == NodeKind::named) names.insert(node.operands[0].name);
    if (node.kind == NodeKind::pattern || node.kind == NodeKind::part)
      names.insert(node.names.begin(), node.names.end());
    const std::vector<std::string> assigned = assigned_by(node);
    names.insert(assigned.begin(), assigned.end());
  });
  return difference(names, declared_in(scope));
}

/// Calls visit with the functions that are defined in this one by itself.
template <class Visit>
void each_inner(Node& node, const Visit& visit) {
  for (std::vector<Node>* nodes : {&node.body, &node.other})
    for (Node& one : *nodes) is_definition(one) ? visit(one) : each_inner(one, visit);
}

Names passed_by(Node& inner) {
  const Names own = variables_of(inner);
  Names passed = declared_in(inner);
  each_inner(inner, [&](Node& one) { passed.merge(difference(passed_by(one), own)); });
  return passed;
}

/// The value and, behind it, the variables.
Node result_with(const Node& at, Node value, const Names& variables) {
  Node tuple = node_at(at, NodeKind::tuple);
  tuple.operands.push_back(std::move(value));
  for (const std::string& name : variables) tuple.operands.push_back(name_at(at, name));
  return tuple;
}

std::vector<Node> with_results(Node statement, const Names& variables) {
  if (statement.kind == NodeKind::nonlocal_) return {node_at(statement, NodeKind::pass)};
  rewrite_blocks_in(statement, [&](Node one) { return with_results(std::move(one), variables); });
  if (statement.kind == NodeKind::return_) {
    Node value = statement.operands.empty() ? node_at(statement, NodeKind::nothing) : std::move(statement.operands[0]);
    statement.operands = {result_with(statement, std::move(value), variables)};
  }
  return {std::move(statement)};
}

/// What all the functions of a tree share.
struct Shared {
  const Function& function;
  Names defined;  // functions in it
  int results = 0;
};

/// Calls of these functions, in the blocks of one of them or of the function around them.
class Calls {
 public:
  Calls(Shared& shared, const PassedNames& passed)
      : shared_(shared),
        passed_(passed),
        hoisting_(shared.function,
                  {.is_one = [this](const Node& node) { return is_call(node); },
                   .changes = [this](const Node& node) { return changes(node); },
                   .evaluate = [this](Node node, auto& before) { return evaluate(std::move(node), before); },
                   .what = "a call of a function with nonlocal"}) {}

  void rewrite(std::vector<Node>& block) {
    rewrite_block(block, [this](Node one) { return rewritten(std::move(one)); });
  }

 private:
  std::vector<Node> rewritten(Node statement) {
    if (statement.kind == NodeKind::function) return {std::move(statement)};
    for (const Node& operand : statement.operands) check_values(operand);
    const bool catches = statement.kind == NodeKind::try_ &&
                         std::ranges::any_of(statement.body, [](const Node& part) { return part.name == "except"; });
    tries_ += catches;
    rewrite_blocks_in(statement, [this](Node one) { return rewritten(std::move(one)); });
    tries_ -= catches;
    return hoisting_.rewritten(std::move(statement));
  }

  bool is_call(const Node& node) const {
    return node.kind == NodeKind::call && node.operands[0].kind == NodeKind::name &&
           passed_.contains(node.operands[0].name);
  }

  /// Its variables, and those of other functions that it may call.
  Names changes(const Node& call) const {
    Names changed = passed_.at(call.operands[0].name);
    for (const std::string& name : shared_.defined)
      if (!passed_.contains(name)) changed.insert(name);
    return changed;
  }

  /// These functions are called, and no values.
  void check_values(const Node& node) const {
    if (node.kind == NodeKind::name && passed_.contains(node.name))
      refuse_at(shared_.function, node, "a function with nonlocal as a value", "calls of it where it is defined");
    for (size_t k = is_call(node); k < node.operands.size(); ++k) check_values(node.operands[k]);
  }

  Node evaluate(Node node, std::vector<Node>& before) {
    if (tries_ > 0)
      refuse_at(shared_.function, node, "a function with nonlocal, called where its exceptions are caught,",
                "variables that it returns");
    const Names& variables = passed_.at(node.operands[0].name);
    const std::string result = format("result_{}_of_nonlocal", ++shared_.results);
    Node target = node_at(node, NodeKind::tuple);
    target.operands.push_back(name_at(node, result));
    std::vector<Node> given;
    for (const std::string& name : variables) {
      target.operands.push_back(name_at(node, name));
      given.push_back(name_at(node, name));
    }
    Node name = name_at(node, result);
    node.operands.insert(node.operands.begin() + 1, given.begin(), given.end());
    const Node place = node_at(node, NodeKind::pass);
    before.push_back(assignment_at(place, std::move(target), std::move(node)));
    return name;
  }

  Shared& shared_;
  const PassedNames& passed_;
  Hoisting hoisting_;
  int tries_ = 0;  // around the statement, which catch something
};

class Nonlocals {
 public:
  explicit Nonlocals(Shared& shared) : shared_(shared) {}

  /// Functions inside first: what they assign of variables further out, the functions between pass on.
  void rewrite(Node& scope) {
    PassedNames passed = passed_in(scope);
    std::erase_if(passed, [](const auto& one) { return one.second.empty(); });
    if (passed.empty()) return each_inner(scope, [this](Node& inner) { rewrite(inner); });
    each_inner(scope, [&](Node& inner) { rewrite_inner(inner, passed); });
    Calls(shared_, passed).rewrite(scope.body);
  }

 private:
  /// A function that calls one of its neighbours assigns what that one does.
  static PassedNames passed_in(Node& scope) {
    PassedNames passed;
    each_inner(scope, [&](Node& inner) { passed[inner.name] = passed_by(inner); });
    for (size_t round = 0; round < passed.size(); ++round)
      each_inner(scope, [&](Node& inner) {
        const Names own = variables_of(inner);
        visit_all(inner, [&](const Node& node) {
          if (node.kind == NodeKind::name && !own.contains(node.name) && passed.contains(node.name))
            passed[inner.name].merge(difference(passed.at(node.name), own));
        });
      });
    return passed;
  }

  void rewrite_inner(Node& inner, const PassedNames& passed) {
    const Names own = variables_of(inner);
    PassedNames visible = passed;
    std::erase_if(visible, [&](const auto& one) { return own.contains(one.first); });
    const auto found = passed.find(inner.name);
    if (found != passed.end()) {  // what it passes on it assigns, too
      const Names missing = difference(found->second, declared_in(inner));
      Node declaration = node_at(inner.body[0], NodeKind::nonlocal_);
      declaration.names.assign(missing.begin(), missing.end());
      if (!missing.empty()) inner.body.insert(inner.body.begin(), std::move(declaration));
    }
    rewrite(inner);
    if (!visible.empty()) Calls(shared_, visible).rewrite(inner.body);
    if (found == passed.end()) return;
    const Names& variables = found->second;
    inner.names.insert(inner.names.begin(), variables.begin(), variables.end());
    rewrite_block(inner.body, [&](Node one) { return with_results(std::move(one), variables); });
    const Node& last = inner.body.back();
    Node result = node_at(last, NodeKind::return_);
    result.operands.push_back(result_with(last, node_at(last, NodeKind::nothing), variables));
    inner.body.push_back(std::move(result));
  }

  Shared& shared_;
};

/// What is left is of variables outside of the whole function.
void forget(Node& node) {
  if (node.kind == NodeKind::nonlocal_) node = node_at(node, NodeKind::unsupported, "nonlocal");
  for (std::vector<Node>* nodes : {&node.body, &node.other})
    for (Node& one : *nodes) forget(one);
}

}  // namespace

void desugar_nonlocals(Function& function) {
  Shared shared{.function = function};
  visit_all(function.tree, [&](const Node& node) {
    if (is_definition(node) && &node != &function.tree) shared.defined.insert(node.name);
  });
  Nonlocals(shared).rewrite(function.tree);
  forget(function.tree);
}

}  // namespace tessera::kernel
