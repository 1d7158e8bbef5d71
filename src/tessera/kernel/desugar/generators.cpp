// Functions that yield. Each place of a `yield` has a number; the function is left there, and called again it goes on
// there: `state#` says where, and conditions lead through the blocks around to that place, where it becomes 0. What
// runs otherwise runs where the state is 0. A state below 0 is that of a function that has ended.
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/passes.h"
#include "tessera/kernel/lower/liveness.h"

namespace tessera::kernel {

namespace {

const std::string state = "state#";

Node number_at(const Node& like, int64_t value) {
  Node number = node_at(like, NodeKind::constant);
  number.value = Scalar::of_int(DType::int64, value);
  return number;
}

Node call_at(const Node& like, const std::string& builtin, std::vector<Node> arguments) {
  Node call = node_at(like, NodeKind::call);
  call.operands.push_back(name_at(like, builtin));
  for (Node& argument : arguments) call.operands.push_back(std::move(argument));
  return call;
}

Node compare_at(const Node& like, const std::string& op, int64_t number) {
  Node test = node_at(like, NodeKind::compare);
  test.names = {op};
  test.operands = {name_at(like, state), number_at(like, number)};
  return test;
}

Node boolean_at(const Node& like, const std::string& op, Node left, Node right) {
  Node both = node_at(like, NodeKind::boolean, op);
  both.operands = {std::move(left), std::move(right)};
  return both;
}

Node if_at(const Node& like, Node test, std::vector<Node> body, std::vector<Node> other = {}) {
  Node made = node_at(like, NodeKind::if_);
  made.operands = {std::move(test)};
  made.body = std::move(body);
  made.other = std::move(other);
  return made;
}

/// Loops in which it yields go by the number of the element, which is a variable like others.
void write_loops(std::vector<Node>& block, int& count) {
  rewrite_block(block, [&count](Node statement) {
    rewrite_blocks_in(statement, [&count](Node one) {
      std::vector<Node> made{std::move(one)};
      write_loops(made, count);
      return made;
    });
    if (statement.kind != NodeKind::for_ || !yields(statement)) return std::vector{std::move(statement)};
    const Node like = node_at(statement, NodeKind::pass);
    const std::string ending = format("#{}", ++count);
    const Node over = name_at(like, "iterated" + ending), at = name_at(like, "place" + ending);
    Node step = node_at(like, NodeKind::augmented, "+");
    step.operands = {at, number_at(like, 1)};
    Node loop = node_at(like, NodeKind::while_);
    loop.operands.push_back(call_at(like, "builtins.has_element", {over, at}));
    loop.body.push_back(
        assignment_at(like, std::move(statement.operands[0]), call_at(like, "builtins.element_at", {over, at})));
    loop.body.push_back(std::move(step));
    for (Node& one : statement.body) loop.body.push_back(std::move(one));
    loop.other = std::move(statement.other);
    std::vector<Node> made;
    made.push_back(assignment_at(like, over, call_at(like, "builtins.iterated", {std::move(statement.operands[1])})));
    made.push_back(assignment_at(like, at, number_at(like, 0)));
    made.push_back(std::move(loop));
    return made;
  });
}

class Resumption {
 public:
  explicit Resumption(const Function& function) : function_(function) {}

  std::vector<Node> block(std::vector<Node> statements) {
    std::vector<Node> made, run;
    for (Node& statement : statements) {
      if (!yields(statement)) {
        run.push_back(std::move(statement));
        continue;
      }
      const Node like = node_at(statement, NodeKind::pass);
      if (statement.kind == NodeKind::yield_) {
        const int64_t number = next_++;
        statement.value = Scalar::of_int(DType::int64, number);
        run.push_back(std::move(statement));
        std::vector<Node> resumed{if_at(like, compare_at(like, "==", number), {started(like)})};
        made.push_back(if_at(like, compare_at(like, "==", 0), std::exchange(run, {}), std::move(resumed)));
        continue;
      }
      if (!run.empty()) made.push_back(if_at(like, compare_at(like, "==", 0), std::exchange(run, {})));
      made.push_back(statement.kind == NodeKind::if_ ? branch(std::move(statement), like)
                                                     : loop(std::move(statement), like));
    }
    for (Node& statement : run) made.push_back(std::move(statement));
    return made;
  }

 private:
  static Node started(const Node& like) { return assignment_at(like, name_at(like, state), number_at(like, 0)); }

  /// Whether it goes on in one of these places, or runs.
  static Node is_here(const Node& like, int64_t first, int64_t end) {
    Node runs = compare_at(like, "==", 0);
    return first == end ? runs : boolean_at(like, "or", std::move(runs), goes_on(like, first, end));
  }
  static Node goes_on(const Node& like, int64_t first, int64_t end) {
    return boolean_at(like, "and", compare_at(like, ">=", first), compare_at(like, "<", end));
  }

  Node branch(Node statement, const Node& like) {
    const int64_t first = next_;
    std::vector<Node> body = block(std::move(statement.body));
    const int64_t middle = next_;
    std::vector<Node> other = block(std::move(statement.other));
    Node test = boolean_at(like, "and", compare_at(like, "==", 0), std::move(statement.operands[0]));
    if (first != middle) test = boolean_at(like, "or", std::move(test), goes_on(like, first, middle));
    if (!other.empty()) other = {if_at(like, is_here(like, middle, next_), std::move(other))};
    return if_at(like, std::move(test), std::move(body), std::move(other));
  }

  Node loop(Node statement, const Node& like) {
    if (statement.kind != NodeKind::while_)
      refuse_at(function_, statement, "yield within try", "the yield behind it: keep what it gives in a variable");
    for (const Node& one : statement.other)
      if (yields(one)) refuse_at(function_, one, "yield in the else of a loop", "a variable that says how it ended");
    const int64_t first = next_;
    statement.body = block(std::move(statement.body));
    statement.operands[0] = boolean_at(like, "or", compare_at(like, "!=", 0), std::move(statement.operands[0]));
    return if_at(like, is_here(like, first, next_), {std::move(statement)});
  }

  const Function& function_;
  int64_t next_ = 1;
};

void collect_yields(std::vector<Node>& block, std::vector<Node*>& found) {
  for (Node& one : block) {
    if (one.kind == NodeKind::yield_) found.push_back(&one);
    if (one.kind == NodeKind::function) continue;
    collect_yields(one.body, found);
    collect_yields(one.other, found);
  }
}

/// What is read behind each place: all else is gone when it goes on.
void name_variables(Node& tree) {
  std::vector<Node*> places;
  collect_yields(tree.body, places);
  const Liveness liveness(tree);
  std::vector<std::vector<std::string>> names;
  for (const Node* place : places) {
    std::vector<std::string>& read = names.emplace_back();
    for (int variable = 0; variable < static_cast<int>(liveness.count()); ++variable)
      if (liveness.after(*place).has(variable)) read.push_back(liveness.name(variable));
  }
  for (size_t k = 0; k < places.size(); ++k) places[k]->names = std::move(names[k]);
}

void rewrite(const Function& function, Node& tree) {
  for (std::vector<Node>* nodes : {&tree.operands, &tree.body, &tree.other})
    for (Node& one : *nodes) rewrite(function, one);
  if (tree.kind != NodeKind::function || !yields(tree)) return;
  int loops = 0;
  write_loops(tree.body, loops);
  name_variables(tree);
  const Node like = node_at(tree, NodeKind::pass);
  Node ended = node_at(like, NodeKind::return_);
  std::vector<Node> body = Resumption(function).block(std::move(tree.body));
  body.insert(body.begin(), if_at(like, compare_at(like, "<", 0), {std::move(ended)}));
  tree.body = std::move(body);
}

}  // namespace

void desugar_generators(Function& function) {
  function.is_generator = yields(function.tree);
  rewrite(function, function.tree);
}

}  // namespace tessera::kernel
