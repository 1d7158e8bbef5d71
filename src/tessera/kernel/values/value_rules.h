/// ValueRules: what values of a type do where the language asks. Each folder of values/ says it for its own types.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;
struct Builtin;
struct Call;
struct Sequence;

/// A rule answers for values of its own types, and nothing, or false, for all others. One that is null answers for
/// none.
struct ValueRules {
  /// Whether the value is true; what has a length and no such rule is where that is not 0.
  std::optional<ir::Value> (*truth)(Lowering& l, const Node& node, const Item& item) = nullptr;
  std::optional<ir::Value> (*length)(Lowering& l, const Node& node, const Item& item) = nullptr;
  std::optional<Item> (*unary)(Lowering& l, const Node& node, std::string_view op, const Item& item) = nullptr;
  std::optional<Item> (*binary)(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                const Item& right) = nullptr;
  /// A condition, `in` and `is` among them.
  std::optional<ir::Value> (*compare)(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                      const Item& right) = nullptr;
  /// A condition for each element.
  std::optional<Item> (*compare_elements)(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                          const Item& right) = nullptr;
  /// An op of `ops`, of numbers and the like.
  std::optional<Item> (*apply)(Lowering& l, const Node& node, std::string_view op,
                               const std::vector<Item>& operands) = nullptr;
  std::optional<Item> (*subscript)(Lowering& l, const Node& node, const Item& object, const Item& index) = nullptr;
  bool (*store)(Lowering& l, const Node& node, const Item& object, const Item& index, const Item& value) = nullptr;
  /// The array of what an assignment in place changes.
  std::optional<Item> (*place)(Lowering& l, const Node& node, const Item& object, const Item& index) = nullptr;
  /// `+=` and the like, where they change the value itself.
  bool (*augment)(Lowering& l, const Node& statement, const Item& old, const Item& value) = nullptr;
  std::optional<Sequence> (*iterate)(Lowering& l, const Node& node, const Item& items) = nullptr;
  std::optional<Item> (*attribute)(Lowering& l, const Node& node, const Item& object,
                                   const std::string& name) = nullptr;
  bool (*set_attribute)(Lowering& l, const Node& node, const Item& object, const std::string& name,
                        const Item& value) = nullptr;
  /// The call of a method, or of the value itself, or of a class that the item is.
  std::optional<Item> (*method)(Lowering& l, const Node& node, const Item& object) = nullptr;
  std::optional<Item> (*called)(Lowering& l, const Node& node, const Item& callee) = nullptr;
  /// A function of Python's whose arguments are not evaluated yet.
  std::optional<Item> (*call)(Lowering& l, const Node& node, std::string_view function) = nullptr;
  /// A builtin, which asks its first argument; and one that gets arrays in the place of lists.
  std::optional<Item> (*builtin)(Lowering& l, const Node& node, std::string_view name,
                                 const std::vector<Item>& arguments) = nullptr;
  std::optional<Item> (*builtin_of_arrays)(Lowering& l, const Builtin& builtin, const Call& call) = nullptr;
  /// The value as one of another type, to which variables of both have been widened.
  std::optional<Item> (*convert)(Lowering& l, const Item& item, const Type& type) = nullptr;
};

/// Those of all types, in the order in which they are asked.
std::span<const ValueRules* const> all_value_rules();

extern const ValueRules object_rules, list_rules, table_rules, chosen_function_rules, text_rules, character_rules,
    record_rules, generator_rules, date_rules;

/// What the first answers that has an answer.
template <class Answer, class... Taken, class... Given>
Answer ask_values(Answer (*ValueRules::*rule)(Taken...), Given&&... given) {
  for (const ValueRules* rules : all_value_rules())
    if (rules->*rule)
      if (Answer answer = (rules->*rule)(given...)) return answer;
  return {};
}

}  // namespace tessera::kernel
