/// Node: the syntax tree of a user's function, as Python's `ast` has it but only what kernels may contain. `desugar.h`
/// writes some kinds by simpler ones: is_sugar().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/layout/dtype.h"

namespace tessera::kernel {

/// What a node is. The comment says what its operands are; other members are named where they are used.
enum class NodeKind : uint8_t {
  // expressions
  name,           // name
  constant,       // value
  text,           // name: a string
  bytes,          // name: its bytes
  nothing,        // None, and a left out part of a slice
  ellipsis,       // ...
  attribute,      // the object; name
  subscript,      // the object, the index
  slice,          // lower, upper, step
  tuple,          // the elements
  list,           // the elements
  dict,           // keys and values in turn; for ** nothing, named "**", in place of the key
  set,            // the elements
  starred,        // what *x unpacks
  binary,         // left, right; name: the operator, such as "+"
  unary,          // the operand; name: "-", "+", "~" or "not"
  compare,        // n + 1 operands; names: the n operators
  boolean,        // the operands; name: "and" or "or"
  conditional,    // test, value if true, value if false
  call,           // the function, then its arguments; names: those of the last ones
  comprehension,  // name: "list", "set", "dict" or "generator"; the element, of a dict a tuple of key and value, then a
                  // part for each loop: its target, what it runs over, its conditions
  joined,         // an f-string: texts, and parts that are formatted; name: "str" or "repr"
  named,          // name := value: the name, the value
  pattern,        // of a case; name: "value" (the value, None included), "as" (names: what it binds, if anything; a
                  // pattern, if there is one), "or" (patterns) or "other"
  // statements
  assign,      // the targets, last the value
  augmented,   // target, value; name: the operator without "="
  expression,  // the expression
  if_,         // test; body, other
  while_,      // test; body, other
  for_,        // target, what it runs over; body, other
  break_,
  continue_,
  return_,    // the value, if there is one
  yield_,     // the value; desugared with value: the number of the place where the function goes on, from 1; names: the
              // variables that are read from there on
  raise_,     // the exception's class or its call; of an assertion (name "assert") the message, if there is one
  try_,       // body: its parts
  part,       // name: "try", "except", "else" or "finally"; the classes of exceptions; body
  pass,       // also a docstring
  assert_,    // the condition, and the message if there is one
  delete_,    // the targets
  with_,      // parts: the call, and its target if there is one; body
  match_,     // the subject; body: parts, each a pattern, and a guard if there is one; body
  nonlocal_,  // names
  function,   // name; names: the parameters; body; operands: parts with the default
              // values of parameters, starred ones. A lambda is one, as an expression
  unsupported,  // name: what `ast` calls it
};

/// Where a node stands: lines of the file from 1, columns from 0, the end behind the last character.
struct Place {
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Node {
  NodeKind kind = NodeKind::pass;
  Place place;
  std::string name;
  std::vector<std::string> names;
  Scalar value;
  std::vector<Node> operands;
  std::vector<Node> body;
  std::vector<Node> other;

  bool is_statement() const { return kind >= NodeKind::assign; }
};

std::string_view name(NodeKind kind);
std::optional<NodeKind> node_kind_from_name(std::string_view name);

/// Whether nodes of this kind are gone when the function is desugared.
bool is_sugar(NodeKind kind);

/// The tree of a text such as `(function "f" ["a" "i"] {(return (binary "+" (name "a") (constant 1)))})`: a node is its
/// kind, then a name in quotes, names in brackets, operands, a body in braces and, after it, the other body. Every node
/// is on line 1. For tests; throws ValueError.
Node parse_syntax(std::string_view text);

/// The same text again, in lines.
std::string print_syntax(const Node& node);

/// Whether the function, or the statement, yields: functions inside aside.
bool yields(const Node& node);

/// `math.sqrt` of an attribute of a name, nothing of other nodes.
std::optional<std::string> dotted_name(const Node& node);

}  // namespace tessera::kernel
