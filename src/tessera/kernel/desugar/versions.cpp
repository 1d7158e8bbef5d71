// Variables that a function's own block assigns anew get a name of their own from there on, so that each may have
// another type: the name, an apostrophe and a number. So do those of a loop's body that begin there in each iteration,
// and are not known outside of it.
#include <algorithm>
#include <map>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

/// Names that functions inside know, or that are another scope's.
Names fixed_names(const Node& tree) {
  Names fixed;
  const auto add = [&](const Node& node) {
    visit_all(node, [&](const Node& one) {
      if (one.kind == NodeKind::name) fixed.insert(one.name);
      if (one.kind == NodeKind::function) fixed.insert(one.names.begin(), one.names.end());
    });
  };
  visit_all(tree, [&](const Node& node) {
    if (node.kind == NodeKind::comprehension)
      for (size_t k = 1; k < node.operands.size(); ++k) add(node.operands[k].operands[0]);
    if (node.kind != NodeKind::function || &node == &tree) return;
    add(node);
    if (is_definition(node)) fixed.insert(node.name);
  });
  return fixed;
}

class Versions {
 public:
  Versions(Names fixed, Names seen) : fixed_(std::move(fixed)), seen_(std::move(seen)) {}

  void rename(Node& statement) {
    Names stored;
    if (statement.kind == NodeKind::assign)
      for (const std::string& name : assigned_by(statement))
        if (!fixed_.contains(name)) stored.insert(name);
    const std::map<std::string, int> before = versions_;
    for (const std::string& name : stored)
      if (seen_.contains(name)) ++versions_.emplace(name, 1).first->second;
    const size_t targets = statement.kind == NodeKind::assign ? statement.operands.size() - 1 : 0;
    Numbers assigned = before;  // targets are assigned from left to right
    for (size_t k = 0; k < targets; ++k) rename_target(statement.operands[k], stored, assigned);
    for (size_t k = targets; k < statement.operands.size(); ++k) rename_read(statement.operands[k], stored, before);
    for (std::vector<Node>* block : {&statement.body, &statement.other})
      for (Node& one : *block) rename_read(one, stored, before);
  }

 private:
  using Numbers = std::map<std::string, int>;

  void rename_target(Node& target, const Names& stored, Numbers& assigned) {
    if (target.kind == NodeKind::name) {
      const auto found = versions_.find(target.name);
      if (found != versions_.end() && stored.contains(target.name)) assigned[target.name] = found->second;
      return number(target, versions_);
    }
    const bool is_list =
        target.kind == NodeKind::tuple || target.kind == NodeKind::list || target.kind == NodeKind::starred;
    for (Node& part : target.operands)
      is_list ? rename_target(part, stored, assigned) : rename_read(part, stored, assigned);
  }

  void rename_read(Node& node, const Names& stored, const Numbers& before) {
    if (node.kind == NodeKind::name) number(node, stored.contains(node.name) ? before : versions_);
    for (std::vector<Node>* nodes : {&node.operands, &node.body, &node.other})
      for (Node& one : *nodes) rename_read(one, stored, before);
  }

  void number(Node& name, const Numbers& versions) {
    seen_.insert(name.name);
    const auto found = versions.find(name.name);
    if (found != versions.end() && found->second > 1) name.name += format("'{}", found->second);
  }

  Names fixed_, seen_;
  Numbers versions_;
};

using Counts = std::map<std::string, int>;

/// How often each name stands in these nodes.
void count_names(const Node& node, Counts& counts) {
  visit_all(node, [&](const Node& one) {
    if (one.kind == NodeKind::name) ++counts[one.name];
    if (one.kind == NodeKind::function) ++counts[one.name];
    for (const std::string& name : one.names) ++counts[name];
  });
}

/// The same of what a target of an assignment reads: objects and indices.
void count_read_by(const Node& target, Counts& counts) {
  if (target.kind == NodeKind::name) return;
  const bool is_list =
      target.kind == NodeKind::tuple || target.kind == NodeKind::list || target.kind == NodeKind::starred;
  if (!is_list) return count_names(target, counts);
  for (const Node& part : target.operands) count_read_by(part, counts);
}

/// Variables of the body that a statement of its own assigns before anything reads them.
Names begun_in(const std::vector<Node>& body) {
  Names begun, known;
  for (const Node& statement : body) {
    Counts used;
    for (size_t k = 0; k < statement.operands.size(); ++k) {
      const bool is_target = statement.kind == NodeKind::assign && k + 1 < statement.operands.size();
      is_target ? count_read_by(statement.operands[k], used) : count_names(statement.operands[k], used);
    }
    for (const std::vector<Node>* block : {&statement.body, &statement.other})
      for (const Node& one : *block) count_names(one, used);
    for (const auto& [name, count] : used) known.insert(name);
    if (statement.kind != NodeKind::assign) continue;
    for (const std::string& name : assigned_by(statement))
      if (known.insert(name).second) begun.insert(name);
  }
  return begun;
}

/// Versions in the bodies of loops in this block.
void name_in_loops(std::vector<Node>& block, const Counts& whole, const Names& fixed) {
  for (Node& statement : block) {
    if (statement.kind == NodeKind::function) continue;
    if (statement.kind == NodeKind::for_ || statement.kind == NodeKind::while_) {
      Counts inside;
      for (const Node& one : statement.body) count_names(one, inside);
      const Names begun = begun_in(statement.body);
      Names others = fixed;
      for (const auto& [name, count] : inside) {
        const auto all = whole.find(name);
        if (!begun.contains(name) || all == whole.end() || all->second != count) others.insert(name);
      }
      Versions versions(std::move(others), {});
      for (Node& one : statement.body) versions.rename(one);
    }
    name_in_loops(statement.body, whole, fixed);
    name_in_loops(statement.other, whole, fixed);
  }
}

}  // namespace

void name_versions(Function& function) {
  std::map<std::string, int> assigned;
  for (const std::string& name : function.tree.names) ++assigned[name];
  const auto count = [&](const Node& node) {
    for (const std::string& name : assigned_by(node)) ++assigned[name];
  };
  for (const Node& statement : function.tree.body) {
    count(statement);
    visit_all(statement, [&](const Node& node) {
      if (&node != &statement) count(node);
    });
  }
  if (std::ranges::all_of(assigned, [](const auto& one) { return one.second < 2; })) return;
  const Names fixed = fixed_names(function.tree);
  Versions versions(fixed, {function.tree.names.begin(), function.tree.names.end()});
  for (Node& statement : function.tree.body) versions.rename(statement);
  Counts whole;
  count_names(function.tree, whole);
  name_in_loops(function.tree.body, whole, fixed);
}

}  // namespace tessera::kernel
