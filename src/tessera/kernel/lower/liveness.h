/// Liveness: a function's variables, which of them each statement assigns, and which are read after it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/kernel/syntax/syntax.h"

namespace tessera::kernel {

/// A set of a function's variables, by number.
class VariableSet {
 public:
  explicit VariableSet(size_t count = 0) : others_(count / bits) {}
  bool has(int variable) const { return (word(variable) & bit(variable)) != 0; }
  void add(int variable) { word(variable) |= bit(variable); }
  void remove(int variable) { word(variable) &= ~bit(variable); }
  void add(const VariableSet& other) {
    first_ |= other.first_;
    for (size_t k = 0; k < others_.size(); ++k) others_[k] |= other.others_[k];
  }
  void remove(const VariableSet& other) {
    first_ &= ~other.first_;
    for (size_t k = 0; k < others_.size(); ++k) others_[k] &= ~other.others_[k];
  }
  friend bool operator==(const VariableSet&, const VariableSet&) = default;

 private:
  static constexpr size_t bits = 64;
  static uint64_t bit(int variable) { return uint64_t{1} << (static_cast<size_t>(variable) % bits); }
  uint64_t& word(int variable) {
    const size_t which = static_cast<size_t>(variable) / bits;
    return which == 0 ? first_ : others_[which - 1];
  }
  uint64_t word(int variable) const { return const_cast<VariableSet*>(this)->word(variable); }

  uint64_t first_ = 0;
  std::vector<uint64_t> others_;
};

/// The ways in which control may leave a statement other than by its end.
struct Jumps {
  bool breaks = false;
  bool continues = false;
  bool returns = false;

  bool any() const { return breaks || continues || returns; }
  void add(const Jumps& other) {
    breaks |= other.breaks;
    continues |= other.continues;
    returns |= other.returns;
  }
};

class Liveness {
 public:
  explicit Liveness(const Node& function);

  size_t count() const { return names_.size(); }
  const std::string& name(int variable) const { return names_[variable]; }
  /// The number of a variable of the function, -1 for other names.
  int find(const std::string& name) const;
  /// What is read after the statement before it is assigned.
  const VariableSet& after(const Node& statement) const { return after_.at(&statement); }
  /// What is read when a loop's body begins again, or, of a `for`, its target excepted.
  const VariableSet& head(const Node& loop) const { return head_.at(&loop); }
  /// What the statement assigns, those in it included.
  VariableSet assigned(const Node& statement) const;

 private:
  struct Targets {
    VariableSet of_break;
    VariableSet of_continue;
    VariableSet of_return;
    VariableSet of_raise;  // in the handlers around and behind them
  };
  void number(const Node& node);
  void add_target(const Node& target);
  void collect_assigned(const Node& statement, VariableSet& set) const;
  void collect_target(const Node& target, VariableSet& set) const;
  void add_reads(const Node& expression, VariableSet& set) const;
  void add_captured(const Node& function, VariableSet& set) const;
  void add_target_reads(const Node& target, VariableSet& set) const;
  VariableSet before_block(const std::vector<Node>& block, VariableSet live, const Targets& targets);
  VariableSet before(const Node& statement, VariableSet live, const Targets& targets);
  VariableSet with_reads(const Node& statement, VariableSet live) const;
  VariableSet before_assignment(const Node& statement, VariableSet live) const;
  VariableSet before_try(const Node& statement, VariableSet live, const Targets& targets);
  VariableSet before_loop(const Node& loop, const VariableSet& live, const Targets& targets);

  std::vector<std::string> names_;
  std::unordered_map<std::string, int> numbers_;
  std::unordered_map<int, std::vector<const Node*>> functions_;  // those that are defined inside, by variable
  std::unordered_map<const Node*, VariableSet> after_;
  std::unordered_map<const Node*, VariableSet> head_;
};

/// How control may leave the statement. Those that fail do so as if they returned: a device function that they call
/// raises.
Jumps jumps(const Node& statement, const std::set<const Node*>& failing = {});
/// Whether control never reaches what follows the block.
bool always_jumps(const std::vector<Node>& block);

}  // namespace tessera::kernel
