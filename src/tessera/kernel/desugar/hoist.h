/// Hoisting: parts of an expression are evaluated by statements before it, in the order in which Python evaluates them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

/// What is hoisted, and what that changes.
struct Hoisted {
  /// Whether the node is hoisted; what is inside of it is asked first.
  std::function<bool(const Node&)> is_one;
  /// Variables that evaluating it assigns.
  std::function<Names(const Node&)> changes;
  /// Adds statements that evaluate it, and returns what stands in its place.
  std::function<Node(Node, std::vector<Node>& before)> evaluate;
  std::string what;  // it is, for messages
};

class Hoisting {
 public:
  Hoisting(const Function& function, Hoisted hoisted) : function_(function), hoisted_(std::move(hoisted)) {}

  /// The statement, behind those that evaluate parts of it; its blocks are left as they are, but for what a loop
  /// evaluates before each iteration.
  std::vector<Node> rewritten(Node statement);

 private:
  bool has_one(const Node& node) const;
  Names changed_by(const Node& node) const;
  void take_out(Node& node, std::vector<Node>& before);
  void take_out_of(std::vector<Node>& operands, size_t first, std::vector<Node>& before);
  void keep(Node& node, const Names& changed, std::vector<Node>& before);
  Node rewritten_loop(Node loop);
  Node rewritten_assignment(Node statement, std::vector<Node>& before);
  Node rewritten_update(Node statement, std::vector<Node>& before);
  void refuse_in(const Node& node, std::string_view where) const;

  const Function& function_;
  const Hoisted hoisted_;
};

}  // namespace tessera::kernel
