/// Functions that call themselves: they are the kernel's, once for types of arguments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;
struct Frame;

/// The kernel's functions: those that call themselves.
class CalledFunctions {
 public:
  explicit CalledFunctions(Lowering& l);

  /// The function's number among those that call themselves; nothing where it is lowered in the caller's place.
  std::optional<size_t> find(const Node& node, const Function& callee, const std::vector<Item>& args);
  /// The word that says that one of them has raised, where there are any.
  void add_word();
  /// Whether one of them is being lowered.
  bool is_inside() const { return depth_ != ir::no_value; }
  /// Whether the frame begins one of them, in which values of callers are not.
  bool begins_at(const Frame* frame) const { return std::ranges::find(begun_, frame) != begun_.end(); }
  /// How many calls of them there are so far.
  size_t calls() const { return calls_; }
  /// The call of the one of this number.
  Item call(const Node& node, size_t number, const std::vector<Item>& args);

 private:
  class Inside;
  void lower(const Node& node, size_t number);

  Lowering& l_;
  ir::Builder& b;
  std::vector<const Frame*> begun_;
  size_t calls_ = 0;
  std::map<size_t, uint32_t> functions_;  // by number among those that are called
  ir::Value depth_ = ir::no_value;        // of the calls that the function being lowered is in
  uint32_t failed_inside_ = 0;            // whether a function inside has raised
};

/// Of a returned value that is not known yet, returns the sides of conditional expressions that are.
void return_known_sides(Lowering& l, const Node& value);

}  // namespace tessera::kernel
