/// Lowering: one run over a function's tree that builds the kernel and finds the types of its variables.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/compile_error.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/liveness.h"
#include "tessera/kernel/type.h"

namespace tessera::kernel {

/// The types of variables, which grow from run to run until a run changes none. Keys name the call and the variable.
using KnownTypes = std::map<std::string, Type>;

/// A function being lowered: the kernel, or a device function in its place in the caller.
struct Frame {
  Frame(const Function& called, Frame* by, const Node* at);

  const Function& function;
  Frame* caller;
  const Node* call;
  std::string path;  // tells calls apart
  Liveness liveness;
  int depth = 0;  // regions around the current statement, within the function
  std::vector<const Node*> loops;
  int rests = 0;  // of blocks around the current statement, in the innermost loop, that run only if nothing jumped
  /// By slot: the variables, then the pseudo-variables of Lowering's slots.
  std::vector<std::optional<Item>> values;
};

/// A call's arguments in the order of the parameters; what was left out has the type none.
struct Call {
  const Node& node;
  std::vector<Item> args;
};

/// Types are found by lowering: each expression's type follows from its operands', and a variable's is what all of its
/// assignments unify to. A run that meets an assignment which widens a variable goes on, to find more, and is repeated.
class Lowering {
 public:
  Lowering(ir::Builder& to, KnownTypes& known) : b(to), known_(known) {}

  void lower_kernel(const Function& function, const std::vector<Item>& arguments);
  /// Whether a type has changed, so that what was built must be built anew.
  bool changed() const { return changed_; }

  ir::Builder& b;

  // Expressions.
  Item lower(const Node& expression);
  /// A scalar's value; fails for anything else, saying what it is for.
  ir::Value lower_scalar(const Node& expression, std::string_view what);
  ir::Value lower_condition(const Node& expression);
  Item lower_call(const Node& node);
  Item call_function(const Node& node, const Function& callee, const std::vector<Item>& args);
  Item item_of(const Entity& entity, const Node& node);
  Item binary(const Node& node, std::string_view op, const Item& left, const Item& right);
  ir::Value compare(const Node& node, std::string_view op, const Item& left, const Item& right);
  /// The condition in Python's sense.
  ir::Value truth(const Node& node, const Item& item);
  /// Both conditions.
  ir::Value both(ir::Value x, ir::Value y);
  /// op of the table on scalars, in the loop that NumPy's rules choose.
  Item apply_op(const Node& node, std::string_view op, const std::vector<Item>& operands);

  // Elements of arrays.
  Item load_element(const Node& node, const Item& array, const Item& index);
  void store_element(const Node& node, const Item& array, const Item& index, const Item& value);
  /// The IR's indices; for a shared or local array the one index of its elements in order.
  std::vector<ir::Value> indices(const Node& node, const Item& array, const Item& index);
  Item shape_of(const Item& array);

  // Values.
  Item scalar(ir::Value value) const { return {Type::scalar(b.type(value)), {value}}; }
  Item constant(int64_t value) { return scalar(b.constant(Scalar::of_int(DType::int64, value))); }
  Item convert(const Item& item, const Type& type);
  Item zero(const Type& type);
  ir::Value cast(const Item& item, DType to) { return b.cast(item.values[0], to); }
  /// The constant that the scalar is, when it is one.
  const Scalar* constant_of(const Item& item) const;
  /// The type under this name, to which `type` is added.
  Type widen(const Node& node, const std::string& key, const Type& type);

  // Failures.
  [[noreturn]] void fail(const Node& node, const std::string& text, std::string_view instead = "") const;
  [[noreturn]] void refuse(const Node& node, const std::string& text, std::string_view instead = "") const;

 private:
  // Slots behind the variables': whether the function has returned, with what, and of each loop whether it was left and
  // whether the rest of its body is skipped.
  int returned_slot() const { return static_cast<int>(frame_->liveness.count()); }
  int result_slot() const { return returned_slot() + 1; }
  int broken_slot(size_t loop) const { return returned_slot() + 2 + 2 * static_cast<int>(loop); }
  int skipped_slot(size_t loop) const { return broken_slot(loop) + 1; }
  std::string key_of(int slot) const;
  std::optional<Type> type_of(int slot) const;
  void set_flag(int slot, bool value);
  ir::Value flag(int slot) const;
  void assign(const Node& node, int slot, const Item& item);
  Item read(const Node& node, int variable);

  // Regions: the slots whose values they pass on, with the types at the region's begin.
  struct Passed {
    std::vector<int> slots;
    std::vector<Type> types;
  };
  using Slots = std::vector<std::optional<Item>>;
  Passed passed_by(std::span<const Node> statements, const VariableSet& live) const;
  Passed merged_after(std::span<const Node> statements) const;
  void add_flags(const Jumps& jumps, Passed& passed) const;
  std::vector<ir::Value> take(const Passed& passed);
  void give(const Passed& passed, std::span<const ir::Value> values);
  void branch(ir::Value condition, const Passed& passed, const std::function<void()>& then_body,
              const std::function<void()>& else_body);

  // Statements.
  void lower_block(std::span<const Node> statements);
  void lower_rest(std::span<const Node> rest, const Jumps& before);
  bool lower_leaving_if(const Node& statement, std::span<const Node> all);
  void lower_statement(const Node& statement);
  void lower_assignment(const Node& statement);
  void assign_target(const Node& target, const Item& item);
  void lower_augmented(const Node& statement);
  void lower_return(const Node& statement);
  void lower_while(const Node& loop);
  void lower_for(const Node& loop);
  void lower_other(const Node& loop, bool breaks);
  struct Range {
    ir::Value lower, upper, step;
  };
  Range lower_range(const Node& loop);
  void lower_counted(const Node& loop, const Range& range, const Passed& passed);
  void lower_leavable(const Node& loop, const Range& range, const Passed& passed, bool breaks);
  Passed begin_loop(const Node& loop, bool& breaks);
  ir::Value going_on(bool breaks, bool returns);
  void lower_loop_body(const Node& loop);
  void unroll_tuple(const Node& loop, const Item& items);

  // Expressions.
  Item lower_name(const Node& node);
  Item lower_attribute(const Node& node);
  Item lower_subscript(const Node& node);
  Item lower_unary(const Node& node);
  Item lower_boolean(const Node& node, size_t count);
  Item lower_conditional(const Node& node);
  Item lower_compare(const Node& node);
  ir::Value lower_chain(const Node& node, size_t k, const Item& left);
  std::optional<Entity> entity_of(const Node& node) const;
  Item choose(const Node& node, ir::Value condition, const std::function<Item()>& if_true,
              const std::function<Item()>& if_false, bool cheap);
  Call arrange(const Node& node, const std::string& callee, const std::vector<std::string>& parameters, size_t needed);
  std::string message(const Node& node, const std::string& text, std::string_view instead) const;

  KnownTypes& known_;
  bool changed_ = false;
  Frame* frame_ = nullptr;
};

/// Whether the expression needs no branch around it: it reads no memory and calls nothing.
bool is_cheap(const Node& expression);

}  // namespace tessera::kernel
