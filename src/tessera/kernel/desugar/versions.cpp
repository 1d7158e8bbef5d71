// Variables that a function's own block assigns anew get a name of their own from there on, so that each may have
// another type: the name, an apostrophe and a number.
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
  explicit Versions(const Node& tree) : fixed_(fixed_names(tree)), seen_(tree.names.begin(), tree.names.end()) {}

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
  Versions versions(function.tree);
  for (Node& statement : function.tree.body) versions.rename(statement);
}

}  // namespace tessera::kernel
