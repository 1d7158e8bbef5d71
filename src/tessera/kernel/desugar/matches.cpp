// match on values: conditions on the subject, in order.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/passes.h"

namespace tessera::kernel {

namespace {

/// When a pattern matches, nothing for always, and the name that it binds, if it does.
struct Test {
  std::optional<Node> condition;
  std::string bound;
};

class Matches {
 public:
  explicit Matches(const Function& function) : function_(function) {}

  void rewrite(Node& definition) {
    rewrite_block(definition.body, [this](Node one) { return rewritten(std::move(one)); });
  }

 private:
  std::vector<Node> rewritten(Node statement) {
    if (is_definition(statement)) rewrite(statement);
    rewrite_blocks_in(statement, [this](Node one) { return rewritten(std::move(one)); });
    if (statement.kind != NodeKind::match_) return {std::move(statement)};
    std::vector<Node> made;
    Node& subject = statement.operands[0];
    std::string name = subject.name;
    // A guard may assign a variable anew.
    const bool has_guards =
        std::ranges::any_of(statement.body, [](const Node& one) { return one.operands.size() > 1; });
    if (subject.kind != NodeKind::name || has_guards) {
      name = format("subject_of_line_{}", statement.place.line);
      made.push_back(assignment_at(statement, name_at(statement, name), std::move(subject)));
    }
    std::vector<Node> rest;
    for (size_t k = statement.body.size(); k-- > 0;) rest = chosen(statement.body[k], name, std::move(rest));
    made.insert(made.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    return made;
  }

  /// The case, and else the rest.
  std::vector<Node> chosen(Node& one, const std::string& subject, std::vector<Node> rest) {
    const Node pattern = one.operands[0];
    const bool has_guard = one.operands.size() > 1;
    Test test = test_of(pattern, subject);
    std::vector<Node> made;
    if (!test.bound.empty())
      made.push_back(assignment_at(pattern, name_at(pattern, test.bound), name_at(pattern, subject)));
    if (has_guard && test.condition && !test.bound.empty())
      refuse_at(function_, pattern, "a guard beside a pattern that binds a name and has values", "an if in the case");
    if (has_guard && test.condition) {
      Node both = node_at(pattern, NodeKind::boolean, "and");
      both.operands = {std::move(*test.condition), one.operands[1]};
      test.condition = std::move(both);
    } else if (has_guard) {
      made.push_back(branch(pattern, one.operands[1], std::move(one.body), std::move(rest)));
      return made;
    }
    made.insert(made.end(), std::make_move_iterator(one.body.begin()), std::make_move_iterator(one.body.end()));
    if (!test.condition) return made;
    return {branch(pattern, std::move(*test.condition), std::move(made), std::move(rest))};
  }

  static Node branch(const Node& at, Node condition, std::vector<Node> body, std::vector<Node> other) {
    Node made = node_at(at, NodeKind::if_);
    made.operands.push_back(std::move(condition));
    made.body = std::move(body);
    made.other = std::move(other);
    return made;
  }

  Test test_of(const Node& pattern, const std::string& subject) {
    if (pattern.name == "value") {
      Node equal = node_at(pattern, NodeKind::compare);
      equal.names = {pattern.operands[0].kind == NodeKind::nothing ? "is" : "=="};
      equal.operands = {name_at(pattern, subject), pattern.operands[0]};
      return {std::move(equal), ""};
    }
    if (pattern.name == "as") {
      Test inner = pattern.operands.empty() ? Test{} : test_of(pattern.operands[0], subject);
      if (!inner.bound.empty() && !pattern.names.empty())
        refuse_at(function_, pattern, "a pattern with two names", "one name");
      return {std::move(inner.condition), pattern.names.empty() ? inner.bound : pattern.names[0]};
    }
    if (pattern.name == "or") {
      Node any = node_at(pattern, NodeKind::boolean, "or");
      bool are_values = true;
      for (const Node& one : pattern.operands) {
        Test test = test_of(one, subject);
        are_values &= test.condition.has_value() && test.bound.empty();
        if (are_values) any.operands.push_back(std::move(*test.condition));
      }
      if (are_values) return {std::move(any), ""};
    }
    refuse_at(function_, pattern, "such a pattern", "values, alternatives of them with |, a name, _ and if");
  }

  const Function& function_;
};

}  // namespace

void desugar_matches(Function& function) {
  Matches matches(function);
  matches.rewrite(function.tree);
}

}  // namespace tessera::kernel
