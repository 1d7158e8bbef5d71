#include "tessera/kernel/lower/loops/loop_races.h"

#include <algorithm>
#include <optional>
#include <set>

#include "tessera/base/format.h"

namespace tessera::kernel {

namespace {

template <class Visit>
void each_node(const Node& node, const Visit& visit) {
  visit(node);
  for (const std::vector<Node>* nodes : {&node.operands, &node.body, &node.other})
    for (const Node& one : *nodes) each_node(one, visit);
}

template <class Test>
bool has_node(const Node& node, const Test& test) {
  bool found = false;
  each_node(node, [&](const Node& one) { found |= test(one); });
  return found;
}

/// The names that a target binds.
void collect_bound(const Node& target, std::set<std::string>& names) {
  if (target.kind == NodeKind::name) names.insert(target.name);
  if (target.kind == NodeKind::tuple || target.kind == NodeKind::list || target.kind == NodeKind::starred)
    for (const Node& one : target.operands) collect_bound(one, names);
}

std::set<std::string> bound_in(const Node& loop) {
  std::set<std::string> names;
  each_node(loop, [&](const Node& node) {
    if (node.kind == NodeKind::assign)
      for (size_t k = 0; k + 1 < node.operands.size(); ++k) collect_bound(node.operands[k], names);
    else if (node.kind == NodeKind::augmented || node.kind == NodeKind::for_)
      collect_bound(node.operands[0], names);
    else if (node.kind == NodeKind::function)
      names.insert(node.name);
  });
  return names;
}

bool is_same(const Node& x, const Node& y) {
  return x.kind == y.kind && x.name == y.name && x.names == y.names && x.value == y.value &&
         std::ranges::equal(x.operands, y.operands, is_same);
}

std::vector<const Node*> parts_of(const Node& index) {
  if (index.kind != NodeKind::tuple) return {&index};
  std::vector<const Node*> parts;
  for (const Node& one : index.operands) parts.push_back(&one);
  return parts;
}

class Finder {
 public:
  Finder(const Node& loop, bool counts_by_one, const std::function<bool(const std::string&)>& is_array)
      : loop_(loop), is_array_(is_array), bound_(bound_in(loop)) {
    const Node& target = loop.operands[0];
    std::set<std::string> assigned;
    for (const Node& statement : loop.body) assigned.merge(bound_in(statement));
    if (counts_by_one && target.kind == NodeKind::name && !assigned.contains(target.name)) counter_ = target.name;
  }

  std::vector<LoopRace> find() {
    for (const Node& statement : loop_.body) {
      if (has_node(statement, [](const Node& node) { return leaves(node.kind); })) break;
      if (statement.kind == NodeKind::augmented) look_at_update(statement);
      if (statement.kind == NodeKind::assign)
        for (size_t k = 0; k + 1 < statement.operands.size(); ++k) look_at_store(statement, statement.operands[k]);
    }
    return std::move(races_);
  }

 private:
  static bool leaves(NodeKind kind) {
    return kind == NodeKind::continue_ || kind == NodeKind::break_ || kind == NodeKind::return_ ||
           kind == NodeKind::raise_;
  }
  bool is_element(const Node& node) const {
    return node.kind == NodeKind::subscript && node.operands[0].kind == NodeKind::name &&
           !bound_.contains(node.operands[0].name) && is_array_(node.operands[0].name);
  }
  /// Whether the value is the same in every iteration.
  bool is_invariant(const Node& node) const {
    return !has_node(node, [&](const Node& one) {
      return one.kind == NodeKind::call || one.kind == NodeKind::subscript ||
             (one.kind == NodeKind::name && bound_.contains(one.name));
    });
  }
  bool varies(const Node& node) const {
    return has_node(node, [&](const Node& one) { return one.kind == NodeKind::name && bound_.contains(one.name); });
  }

  void look_at_update(const Node& statement) {
    const Node& target = statement.operands[0];
    if (!is_element(target)) return;
    if (is_invariant(target.operands[1]))
      return add(statement, format("every iteration of prange updates the same elements of {}: updates are lost",
                                   target.operands[0].name));
    look_at_neighbours(statement, target);
  }

  void look_at_store(const Node& statement, const Node& target) {
    if (!is_element(target)) return;
    if (is_invariant(target.operands[1]) && varies(statement.operands.back()))
      return add(statement, format("every iteration of prange writes the same elements of {}: any one's stay",
                                   target.operands[0].name));
    look_at_neighbours(statement, target);
  }

  /// a[i] = ... a[i - 1] ..., or a[i + 1] = ..., where all else of the two indices is the same.
  void look_at_neighbours(const Node& statement, const Node& target) {
    if (told_.contains(target.operands[0].name)) return;
    const std::vector<const Node*> written = parts_of(target.operands[1]);
    for (const Node& other : loop_.body) {
      const Node* touched = nullptr;
      if (other.kind != NodeKind::assign && other.kind != NodeKind::augmented && other.kind != NodeKind::expression)
        continue;
      each_node(other, [&](const Node& node) {
        if (is_element(node) && node.operands[0].name == target.operands[0].name &&
            are_neighbours(written, parts_of(node.operands[1])))
          touched = &node;
      });
      if (!touched) continue;
      told_.insert(target.operands[0].name);
      return add(statement, format("an iteration of prange writes elements of {} that another reads or writes: which "
                                   "comes first is open",
                                   target.operands[0].name));
    }
  }

  bool are_neighbours(const std::vector<const Node*>& x, const std::vector<const Node*>& y) const {
    if (x.size() != y.size()) return false;
    int apart = 0;
    for (size_t k = 0; k < x.size(); ++k) {
      const std::optional<int64_t> a = offset(*x[k]), b = offset(*y[k]);
      if (a && b) {
        if (*a == *b) return false;
        ++apart;
      } else if (a || b || !is_same(*x[k], *y[k]) || !is_invariant(*x[k])) {
        return false;
      }
    }
    return apart == 1;
  }

  /// How far from the loop's counter the index is.
  std::optional<int64_t> offset(const Node& index) const {
    const auto is_counter = [&](const Node& node) { return node.kind == NodeKind::name && node.name == counter_; };
    const auto constant = [](const Node& node) -> std::optional<int64_t> {
      if (node.kind != NodeKind::constant || !is_integer(node.value.dtype)) return std::nullopt;
      return node.value.as_int();
    };
    if (counter_.empty()) return std::nullopt;
    if (is_counter(index)) return 0;
    if (index.kind != NodeKind::binary || (index.name != "+" && index.name != "-")) return std::nullopt;
    const Node &left = index.operands[0], &right = index.operands[1];
    if (is_counter(left) && constant(right)) return index.name == "+" ? *constant(right) : -*constant(right);
    if (index.name == "+" && is_counter(right)) return constant(left);
    return std::nullopt;
  }

  void add(const Node& statement, std::string text) { races_.push_back({&statement, std::move(text)}); }

  const Node& loop_;
  const std::function<bool(const std::string&)>& is_array_;
  std::set<std::string> bound_;
  std::set<std::string> told_;  // arrays of which neighbours are among the races
  std::string counter_;
  std::vector<LoopRace> races_;
};

}  // namespace

std::vector<LoopRace> find_races(const Node& loop, bool counts_by_one,
                                 const std::function<bool(const std::string&)>& is_array) {
  return Finder(loop, counts_by_one, is_array).find();
}

}  // namespace tessera::kernel
