// Functions that yield. Each place of a `yield` has a number; the function is left there, and called again it goes on
// there: `state#` says where, and conditions lead through the blocks around to that place, where it becomes 0. What
// runs otherwise runs where the state is 0. A state below 0 is that of a function that has ended.
#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/kernel/desugar/desugar.h"
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

/// Loops in which it yields go by the number of the element, which is a variable like others; those over a range
/// without a step by the element itself.
class Loops {
 public:
  Loops(const Function& function, const Node& tree) : function_(function) {
    const auto note = [&](const Node& node) {
      for (const std::string& name : assigned_by(node)) has_own_range_ |= name == "range";
    };
    visit_own(tree, note);
    for (const std::string& name : tree.names) has_own_range_ |= name == "range";
  }

  void write(std::vector<Node>& block) {
    rewrite_block(block, [this](Node statement) {
      rewrite_blocks_in(statement, [this](Node one) {
        std::vector<Node> made{std::move(one)};
        write(made);
        return made;
      });
      if (statement.kind != NodeKind::for_ || !yields(statement)) return std::vector{std::move(statement)};
      return rewritten(std::move(statement));
    });
  }

 private:
  std::vector<Node> rewritten(Node statement) {
    const Node like = node_at(statement, NodeKind::pass);
    const std::string ending = format("#{}", ++count_);
    const Node over = name_at(like, "iterated" + ending), at = name_at(like, "place" + ending);
    const bool counts = is_range(statement.operands[1]);
    Node loop = node_at(like, NodeKind::while_), step = node_at(like, NodeKind::augmented, "+");
    step.operands = {at, number_at(like, 1)};
    std::vector<Node> made;
    made.push_back(assignment_at(like, over, call_at(like, "builtins.iterated", {std::move(statement.operands[1])})));
    if (counts) {
      const Node stop = name_at(like, "stop" + ending);
      Node test = node_at(like, NodeKind::compare);
      test.names = {"<"};
      test.operands = {at, stop};
      loop.operands.push_back(std::move(test));
      made.push_back(assignment_at(like, at, attribute_at(over, "start")));
      made.push_back(assignment_at(like, stop, attribute_at(over, "stop")));
      loop.body.push_back(assignment_at(like, std::move(statement.operands[0]), at));
    } else {
      loop.operands.push_back(call_at(like, "builtins.has_element", {over, at}));
      made.push_back(assignment_at(like, at, number_at(like, 0)));
      loop.body.push_back(
          assignment_at(like, std::move(statement.operands[0]), call_at(like, "builtins.element_at", {over, at})));
    }
    loop.body.push_back(std::move(step));
    for (Node& one : statement.body) loop.body.push_back(std::move(one));
    loop.other = std::move(statement.other);
    made.push_back(std::move(loop));
    return made;
  }

  static Node attribute_at(const Node& object, const std::string& name) {
    Node attribute = node_at(object, NodeKind::attribute, name);
    attribute.operands = {object};
    return attribute;
  }

  /// range(n) or range(m, n).
  bool is_range(const Node& over) const {
    const bool is_call = over.kind == NodeKind::call && over.operands[0].kind == NodeKind::name && over.names.empty();
    if (!is_call || has_own_range_ || over.operands[0].name != "range" || over.operands.size() > 3) return false;
    if (over.operands.size() < 2 || over.operands[1].kind == NodeKind::starred) return false;
    const Entity entity = function_.globals("range");
    return entity.kind == EntityKind::builtin && entity.name == "builtins.range";
  }

  const Function& function_;
  bool has_own_range_ = false;
  int count_ = 0;
};

const std::string closing = "closing#";

bool is_finally(const Node& part) { return part.name == "finally"; }

/// Whether it yields where a `finally` is behind.
bool yields_before_finally(const std::vector<Node>& block) {
  return std::ranges::any_of(block, [](const Node& one) {
    if (one.kind == NodeKind::function || !yields(one)) return false;
    if (one.kind == NodeKind::try_ && std::ranges::any_of(one.body, is_finally)) return true;
    return yields_before_finally(one.body) || yields_before_finally(one.other);
  });
}

class Resumption {
 public:
  Resumption(const Function& function, bool closes) : function_(function), closes_(closes) {}

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
        if (finals_ > 0) begin_waiting(statement, number, run);
        run.push_back(std::move(statement));
        std::vector<Node> begin{started(like)};
        if (closes_) begin.push_back(if_at(like, name_at(like, closing), {node_at(like, NodeKind::return_)}));
        std::vector<Node> resumed{if_at(like, compare_at(like, "==", number), std::move(begin))};
        made.push_back(if_at(like, compare_at(like, "==", 0), std::exchange(run, {}), std::move(resumed)));
        continue;
      }
      if (!run.empty()) made.push_back(if_at(like, compare_at(like, "==", 0), std::exchange(run, {})));
      switch (statement.kind) {
        case NodeKind::if_: made.push_back(branch(std::move(statement), like)); break;
        case NodeKind::try_: made.push_back(attempt(std::move(statement), like)); break;
        default: made.push_back(loop(std::move(statement), like));
      }
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

  /// The state that it waits in is there before it is left, so that a `finally` behind tells that from all else.
  static void begin_waiting(Node& yield, int64_t number, std::vector<Node>& run) {
    if (yield.operands[0].kind != NodeKind::nothing) {
      const Node value = name_at(yield, format("yielded#{}", number));
      run.push_back(assignment_at(yield, value, std::exchange(yield.operands[0], value)));
    }
    run.push_back(assignment_at(yield, name_at(yield, state), number_at(yield, number)));
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

  /// What stands there runs unless the function is left to wait.
  Node with_finally(Node statement, const Node& like) {
    Node last = std::move(statement.body.back());
    statement.body.pop_back();
    if (yields(last)) refuse_at(function_, last, "yield within finally", "a yield behind it");
    if (statement.body.size() > 1) {
      Node body = node_at(statement.body[0], statement.body[0].kind, statement.body[0].name), outer = statement;
      body.body.push_back(std::move(statement));
      outer.body = {std::move(body)};
      statement = std::move(outer);
    }
    const int64_t first = next_;
    ++finals_;
    statement.body[0].body = block(std::move(statement.body[0].body));
    --finals_;
    last.body = {if_at(like, compare_at(like, "==", 0), std::move(last.body))};
    statement.body.push_back(std::move(last));
    return if_at(like, is_here(like, first, next_), {std::move(statement)});
  }

  /// A handler that yields is gone on with outside of the try, since what it raises is not caught there.
  Node attempt(Node statement, const Node& like) {
    if (is_finally(statement.body.back())) return with_finally(std::move(statement), like);
    const int64_t first = next_;
    std::vector<std::pair<int64_t, Node>> handlers;  // where they end
    int64_t first_handled = first;
    for (Node& part : statement.body) {
      check_part(part);
      const int64_t begin = next_;
      const bool is_handler = part.name == "except";
      if (is_handler && handlers.empty()) first_handled = begin;
      part.body = block(std::move(part.body));
      if (!is_handler)
        part.body = {if_at(like, is_here(like, begin, next_), std::move(part.body))};
      else if (begin != next_)
        handlers.emplace_back(next_, if_at(like, goes_on(like, begin, next_), part.body));
    }
    if (handlers.empty()) return if_at(like, is_here(like, first, next_), {std::move(statement)});
    const int64_t last_handled = handlers.back().first;
    std::vector<Node> going_on;
    for (auto& [end, handler] : std::views::reverse(handlers)) {
      if (!going_on.empty()) handler.other = std::move(going_on);
      going_on = {std::move(handler)};
    }
    Node chosen = if_at(like, goes_on(like, first_handled, last_handled), std::move(going_on), {std::move(statement)});
    return if_at(like, is_here(like, first, next_), {std::move(chosen)});
  }

  /// Whether `raise` stands in the block alone, or with the name of what was caught.
  static bool raises_again(const std::vector<Node>& block, const std::vector<std::string>& names) {
    return std::ranges::any_of(block, [&](const Node& one) {
      const bool is_raise = one.kind == NodeKind::raise_ && one.name != "assert";
      if (is_raise && (one.operands.empty() || (!names.empty() && one.operands[0].name == names[0]))) return true;
      return one.kind != NodeKind::function && (raises_again(one.body, names) || raises_again(one.other, names));
    });
  }

  void check_part(const Node& part) const {
    if (part.name == "except" && yields(part) && raises_again(part.body, part.names))
      refuse_at(function_, part, "yield in except that raises again what it caught", "an exception of its own");
  }

  Node loop(Node statement, const Node& like) {
    if (statement.kind != NodeKind::while_)
      refuse_at(function_, statement, "yield within this statement", "the yield behind it");
    for (const Node& one : statement.other)
      if (yields(one)) refuse_at(function_, one, "yield in the else of a loop", "a variable that says how it ended");
    const int64_t first = next_;
    statement.body = block(std::move(statement.body));
    statement.operands[0] = boolean_at(like, "or", compare_at(like, "!=", 0), std::move(statement.operands[0]));
    return if_at(like, is_here(like, first, next_), {std::move(statement)});
  }

  const Function& function_;
  const bool closes_;
  int finals_ = 0;  // around
  int64_t next_ = 1;
};

/// What a function begins with: one that has ended stays so, and one of those with a `finally` may be asked to end, by
/// a state below that, from which it tells where it waits.
std::vector<Node> beginning(const Node& like, bool closes) {
  std::vector<Node> made;
  if (closes) {
    const auto changed = [&](const std::string& op, int64_t by) {
      Node change = node_at(like, NodeKind::augmented, op);
      change.operands = {name_at(like, state), number_at(like, by)};
      return change;
    };
    made.push_back(assignment_at(like, name_at(like, closing), compare_at(like, "<", -1)));
    made.push_back(if_at(like, name_at(like, closing), {changed("*", -1), changed("-", 1)}));
  }
  made.push_back(if_at(like, compare_at(like, "<", 0), {node_at(like, NodeKind::return_)}));
  return made;
}

/// Whether the block leaves the loop around it, or goes on with its next iteration.
bool leaves_loop(const std::vector<Node>& block) {
  for (const Node& one : block) {
    if (one.kind == NodeKind::break_ || one.kind == NodeKind::continue_) return true;
    if (one.kind == NodeKind::function) continue;
    const bool is_loop = one.kind == NodeKind::while_ || one.kind == NodeKind::for_;
    if ((!is_loop && leaves_loop(one.body)) || leaves_loop(one.other)) return true;
  }
  return false;
}

/// A function of one yield, outside of try: what is left behind it stands there once more, and the loops around are as
/// they were, so that no loop asks for the state.
class SingleYield {
 public:
  /// The block; nothing where it is of another kind.
  static std::optional<std::vector<Node>> rewritten(const std::vector<Node>& block) {
    SingleYield made;
    const size_t at = made.find(block);
    std::vector<Node> before(block.begin(), block.begin() + static_cast<int64_t>(at)), rest;
    if (!made.append_rest(block[at], rest)) return std::nullopt;
    const bool is_loop = block[at].kind == NodeKind::while_;
    const Node like = node_at(block[at], NodeKind::pass);
    if (!is_loop) before.push_back(block[at]);
    if (before.empty()) before.push_back(like);
    rest.insert(rest.begin(), assignment_at(like, name_at(like, state), number_at(like, 0)));
    std::vector<Node> whole{if_at(like, compare_at(like, "==", 0), std::move(before), std::move(rest))};
    if (is_loop) whole.push_back(once(block[at]));
    whole.insert(whole.end(), block.begin() + static_cast<int64_t>(at) + 1, block.end());
    return whole;
  }

 private:
  static size_t find(const std::vector<Node>& block) {
    size_t at = 0;
    while (!yields(block[at])) ++at;
    return at;
  }

  /// What follows the yield in the statement, up to the end of the iteration of the loop that the statement may be;
  /// false for what jumps out of it.
  bool append_rest(const Node& statement, std::vector<Node>& rest) {
    if (statement.kind == NodeKind::yield_) return true;
    const bool is_loop = statement.kind == NodeKind::while_;
    if (!is_loop && statement.kind != NodeKind::if_) return false;
    const bool in_body = std::ranges::any_of(statement.body, yields);
    if (is_loop && !in_body) return false;
    const std::vector<Node>& block = in_body ? statement.body : statement.other;
    const size_t at = find(block);
    const std::vector<Node> behind(block.begin() + static_cast<int64_t>(at) + 1, block.end());
    if (leaves_loop(behind) || !append_rest(block[at], rest)) return false;
    if (block[at].kind == NodeKind::while_) rest.push_back(once(block[at]));
    rest.insert(rest.end(), behind.begin(), behind.end());
    return true;
  }

  /// A loop of which each iteration yields is left in the first.
  static Node once(Node loop) {
    const size_t at = find(loop.body);
    if (loop.body[at].kind != NodeKind::yield_ || leaves_loop(loop.body)) return loop;
    loop.kind = NodeKind::if_;
    loop.body.resize(at + 1);
    return loop;
  }
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
  Loops(function, tree).write(tree.body);
  name_variables(tree);
  const Node like = node_at(tree, NodeKind::pass);
  const bool closes = yields_before_finally(tree.body);
  std::vector<Node*> places;
  collect_yields(tree.body, places);
  if (places.size() == 1) places[0]->value = Scalar::of_int(DType::int64, 1);
  std::optional<std::vector<Node>> single =
      places.size() == 1 ? SingleYield::rewritten(tree.body) : std::optional<std::vector<Node>>();
  std::vector<Node> body = single ? std::move(*single) : Resumption(function, closes).block(std::move(tree.body));
  tree.body = beginning(like, closes);
  std::ranges::move(body, std::back_inserter(tree.body));
}

}  // namespace

bool closes_generator(const Node& tree) {
  return tree.body[0].kind == NodeKind::assign && tree.body[0].operands[0].name == closing;
}

void desugar_generators(Function& function) {
  function.is_generator = yields(function.tree);
  rewrite(function, function.tree);
}

}  // namespace tessera::kernel
