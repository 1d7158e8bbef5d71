/// Lowering: one run over a function's tree, by rules that say both the types of expressions and what computes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/ir/builder_position.h"
#include "tessera/kernel/compile_error.h"
#include "tessera/kernel/environment.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/lower/calls/called.h"
#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/checks.h"
#include "tessera/kernel/lower/facts.h"
#include "tessera/kernel/lower/failures.h"
#include "tessera/kernel/lower/frame.h"
#include "tessera/kernel/lower/loops/parallel.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/typed/findings.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/generator/generator.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/text/string.h"

namespace tessera::kernel {

/// Inference (infer/) runs the rules with a builder that makes no code, and keeps the types that they say. When nothing
/// new is found, the rules run once more, with one that makes the kernel's.
///
/// This is what all of lowering shares. Each topic has a file of functions that take it, and a class for state that is
/// the topic's alone.
class Lowering {
 public:
  Lowering(ir::Builder& to, Findings& known, const Environment& environment, const CompileOptions& options);
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  /// The builder has the buffers and scalars of the arguments. What the function returns becomes of the type `result`.
  void lower_kernel(const Function& function, const std::vector<Item>& arguments, const Type* result = nullptr);
  /// The same for the body of an op: what it returns.
  Item lower_body(const Function& function, const std::vector<Item>& arguments);

  /// The value of an expression.
  Item lower(const Node& expression) { return present(expression, lower_optional(expression)); }
  /// The same, also of what may be None.
  Item lower_optional(const Node& expression);
  /// What an optional value is; where it is None, the function raises TypeError.
  Item present(const Node& node, const Item& item);
  /// A scalar's value; fails for anything else, saying what it is for.
  ir::Value lower_scalar(const Node& expression, std::string_view what);
  ir::Value lower_condition(const Node& expression);
  /// What `body` loads and stores has this hint.
  template <class Body>
  auto with_hint(ir::CacheHint while_there, Body&& body) {
    hint = while_there;
    struct Back {
      ir::CacheHint& hint;
      ~Back() { hint = ir::CacheHint::none; }
    } const back{hint};
    return body();
  }
  /// The elements of a computed array, or of a list that was written, in memory that the function makes; other items
  /// are returned as they are.
  Item in_memory(const Node& node, const Item& item);

  Item scalar(ir::Value value) const { return {Type::scalar(b.type(value)), {value}}; }
  Item constant(int64_t value) { return scalar(number(value)); }
  ir::Value number(int64_t value) const { return b.constant(Scalar::of_int(DType::int64, value)); }
  Item convert(const Item& item, const Type& type);
  Item zero(const Type& type);
  ir::Value cast(const Item& item, DType to) { return b.cast(item.values[0], to); }
  /// The constant that the scalar is, when it is one.
  const Scalar* constant_of(const Item& item) const;

  /// A message about a place.
  std::string text_of(const Node& node, const std::string& text) const { return message(node, text, ""); }
  /// The same with what to write instead.
  std::string message(const Node& node, const std::string& text, std::string_view instead) const;
  [[noreturn]] void fail(const Node& node, const std::string& text, std::string_view instead = "") const;
  [[noreturn]] void refuse(const Node& node, const std::string& text, std::string_view instead = "") const;
  /// In inference the statement is looked at again when more is known.
  [[noreturn]] void fault(const CompileError& error) const;

  ir::Builder& b;
  Facts facts;
  Findings& known;
  const Environment& environment;
  const CompileOptions& options;
  Frame* frame = nullptr;
  bool has_grid_group = false;
  bool nothing_repeats = false;  // the arrays being read are as large as what they are computed for
  ir::CacheHint hint = ir::CacheHint::none;
  Type result;  // of a function that the host calls

  Failures failures;
  Checks checks;
  Memory memory;
  HostCalls host_calls;
  Lists lists;
  Strings strings;
  ParallelLoops parallel;
  CalledFunctions called;
  Generators generators;

 private:
  void lower_outermost(const Function& function, const std::vector<Item>& arguments);
};

/// Where lowering is: what statements change and put back.
class Position {
 public:
  explicit Position(Lowering& l);
  /// Goes back there from the middle of a statement.
  void restore() const;

 private:
  Lowering& l_;
  Frame* frame_;
  ir::BuilderPosition code_;
  size_t facts_, loops_, caught_;
  int depth_, rests_, tries_;
  bool nothing_repeats_;
  Failures::Position failures_;
  ParallelLoops::Position parallel_;
};

/// Runs body; false where it cannot be typed yet, and the variables are as they were.
template <class Body>
bool attempt(Lowering& l, Body&& body) {
  if (!l.known.infers()) return body(), true;
  const Position before(l);
  const auto values = l.frame->values;
  try {
    body();
    return true;
  } catch (const Unresolved&) {
    before.restore();
    l.frame->values = values;
    return false;
  }
}

}  // namespace tessera::kernel
