/// What the iterations of a parallel loop do with a variable from before it: update it by one operator, or something
/// that needs an order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/kernel/syntax/syntax.h"

namespace tessera::kernel {

/// How a loop's body uses a variable that is carried: all of it updates by one operator, or other uses.
struct Carried {
  enum class Use : uint8_t { none, joined, other };
  Use use = Use::none;
  /// "+", "*", "&", "|", "^", "min", "max", "and", "or"; of a tuple whose elements are updated apart, theirs with
  /// commas between and behind: "+,max,".
  std::string op;
  bool is_assigned = false;  // not only changed in place

  void join(const std::string& with);
};

Carried find_uses(const std::vector<Node>& body, const std::string& name);
/// Whether iterations may be updated by it in any grouping: it is one of those above.
bool is_joining(const std::string& op);
/// Whether it has an operator for each element of a tuple.
inline bool joins_elements(const std::string& op) { return op.find(',') != std::string::npos; }
/// The operators of a tuple's elements; one for all of it where that has no comma.
std::vector<std::string> split_joins(const std::string& op);
/// Whether the node reads, or is, the variable.
bool reads(const Node& node, const std::string& name);
/// Whether the body assigns the variable before it reads it, in every iteration.
bool is_assigned_first(const std::vector<Node>& body, const std::string& name);

}  // namespace tessera::kernel
