// Expressions other than operators and calls: names, attributes, elements, and what is evaluated under a condition.
#include "tessera/kernel/lower/expression.h"

#include <algorithm>
#include <complex>
#include <utility>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/overload.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/typed/type_record.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/slice.h"
#include "tessera/kernel/values/table/table.h"
#include "tessera/kernel/values/text/string.h"
#include "tessera/kernel/values/text/text.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

// The type is known once both sides have been lowered; until then each run knows what the one before has found.
Item choose(Lowering& l, const Node& node, ir::Value condition, const std::function<Item()>& if_true,
            const std::function<Item()>& if_false, bool cheap) {
  constexpr std::string_view value_name = "value";
  ir::Builder& b = l.b;
  if (const Scalar* known = l.constant_of(l.scalar(condition))) return known->bytes[0] ? if_true() : if_false();
  const typed::VariableKey key{l.known.path(l.frame->turn, node.place), typed::value_slot};
  if (cheap) {
    const Item x = if_true(), y = if_false();
    widen(l, node, key, value_name, x.type);
    const Type type = widen(l, node, key, value_name, y.type);
    const Item a = l.convert(x, type), c = l.convert(y, type);
    Item chosen{type, {}};
    for (size_t k = 0; k < a.values.size(); ++k) chosen.values.push_back(b.select(condition, a.values[k], c.values[k]));
    return chosen;
  }
  const typed::Variable* const found = l.known->variables.find(key);
  std::optional<Type> type = found ? std::optional(found->type) : std::nullopt;
  const bool had_raised = std::exchange(l.frame->ends.has_raised, false);
  int raising = 0;          // sides that always raise, whose values are none
  bool is_missing = false;  // the type that the first of them would have
  const auto side = [&](const std::function<Item()>& lower_side, bool holds) {
    return [&, lower_side, holds](std::span<const ir::Value>) {
      ++l.frame->depth;
      const size_t mark = l.facts.assume(condition, holds);
      const Item item = lower_side();
      l.facts.forget(mark);
      --l.frame->depth;
      if (std::exchange(l.frame->ends.has_raised, false) && item.type->kind == TypeKind::none) {
        ++raising;
        is_missing |= !type;
        return type ? l.zero(*type).values : std::vector<ir::Value>{};
      }
      widen(l, node, key, value_name, item.type);
      if (is_missing) return std::vector<ir::Value>{};
      if (!type) type = item.type;
      return l.convert(item, *type).values;
    };
  };
  const std::vector<ir::Value> values = b.if_(condition, side(if_true, true), side(if_false, false));
  l.frame->ends.has_raised = had_raised || raising == 2;
  if (raising == 2) return {};
  if (is_missing) l.known.want();
  return {*type, values};
}

namespace {

bool is_nonzero(const Node& node) {
  return node.kind == NodeKind::constant && node.value.as_complex() != std::complex<double>();
}

/// Whether the first count operands together hold.
ir::Value lower_conditions(Lowering& l, const Node& node, size_t count) {
  if (count == 1) return l.lower_condition(node.operands[0]);
  const ir::Value decided = lower_conditions(l, node, count - 1);
  const Node& last = node.operands[count - 1];
  const bool is_and = node.name == "and";
  // What is never evaluated is not compiled: `x is None or x > 3` where x is None.
  if (const Scalar* known = l.constant_of(l.scalar(decided)); known && (known->bytes[0] != 0) != is_and) return decided;
  if (is_cheap(l, last)) {
    const ir::Value right = l.lower_condition(last);
    return is_and ? both(l, decided, right) : l.b.bit_or(decided, right);
  }
  Node place = {.kind = node.kind, .place = node.place};
  place.place.end_column = last.place.end_column;
  const auto kept = [&] { return l.scalar(decided); };
  const auto next = [&] { return l.scalar(l.lower_condition(last)); };
  return (is_and ? choose(l, place, decided, next, kept, false) : choose(l, place, decided, kept, next, false))
      .values[0];
}

/// The frame of which the name is a variable: the current one or that of a function around; null for other names.
Frame* owner_of(const Lowering& l, const std::string& name) {
  Frame* frame = l.frame;
  while (frame && frame->liveness.find(name) < 0) frame = frame->enclosing;
  return frame;
}

Item lower_name(Lowering& l, const Node& node) {
  Frame* const owner = owner_of(l, node.name);
  if (!owner) return item_of(l, *entity_of(l, node), node);
  Frame* const current = std::exchange(l.frame, owner);
  Item item = read(l, node, owner->liveness.find(node.name));
  l.frame = current;
  for (const Frame* frame = current; frame != owner && !item.values.empty(); frame = frame->caller)
    if (l.called.begins_at(frame))
      l.refuse(node,
               format("{} of {} is read by a function in it, which {} calls, that calls itself", node.name,
                      owner->function.name(), frame->function.name()),
               "an argument for it, or a loop");
  return item;
}

Item lower_attribute(Lowering& l, const Node& node) {
  if (const std::optional<Entity> entity = entity_of(l, node)) return item_of(l, *entity, node);
  const Item object = l.lower(node.operands[0]);
  if (const std::optional<Item> found = attribute_of(l, node, object)) return *found;
  l.fail(node, format("{} has no attribute {} in kernels", describe(object.type), node.name),
         object.type.is_array() ? "shape, ndim, size, dtype, itemsize, nbytes, T" : "");
}

/// The type of arrays with such elements: float64[:, :].
std::optional<Item> array_type(Lowering& l, const Item& object, const Node& index) {
  const auto is_slice = [](const Node& one) { return one.kind == NodeKind::slice; };
  const bool is_tuple = index.kind == NodeKind::tuple && !index.operands.empty();
  if (!(is_tuple ? std::ranges::all_of(index.operands, is_slice) : is_slice(index))) return {};
  const std::optional<Type> of = type_meant(object.type);
  if (!of || !of->is_scalar() || !l.options.is_function) return {};
  const Type array = TypeParts{
      .kind = TypeKind::buffer, .dtype = (*of)->dtype, .axes = is_tuple ? static_cast<int>(index.operands.size()) : 1};
  Entity entity{.kind = EntityKind::type};
  entity.value = Scalar::of_int(DType::int64, number_of_type(array));
  return Item{Type::of_entity(std::move(entity)), {}};
}

Item lower_subscript(Lowering& l, const Node& node) {
  if (const std::optional<Item> array = flat_array(l, node))
    return flat_element(l, node, l.in_memory(node, *array), l.lower(node.operands[1]));
  const Item object = l.lower(node.operands[0]);
  if (object.type->kind == TypeKind::entity)
    if (const std::optional<Item> type = array_type(l, object, node.operands[1])) return *type;
  const Item index = l.lower(node.operands[1]);
  const bool is_name = index.type->kind == TypeKind::entity && index.type->entity.kind == EntityKind::text;
  // A member of an enumeration.
  if (object.type->kind == TypeKind::tuple && is_name) {
    const auto found = std::ranges::find(object.type->names, index.type->entity.name);
    const bool is_there = found != object.type->names.end();
    if (!is_there && !is_own(object)) l.fail(node, format("there is no {}", quoted(index.type->entity.name)));
    if (is_there) return element(object, static_cast<size_t>(found - object.type->names.begin()));
  }
  if (object.type->is_dict)
    l.fail(node, format("a dict of values of several types with {} as key", describe(index.type)), "a constant text");
  if (is_own(object)) return own_special_method(l, node, "__getitem__", {object, index});
  return subscript(l, node, object, index);
}

Item lower_conditional(Lowering& l, const Node& node) {
  const ir::Value condition = l.lower_condition(node.operands[0]);
  const bool cheap = is_cheap(l, node.operands[1]) && is_cheap(l, node.operands[2]);
  const auto side = [&](const Node& operand) { return l.in_memory(operand, l.lower_optional(operand)); };
  return choose(
      l, node, condition, [&] { return side(node.operands[1]); }, [&] { return side(node.operands[2]); }, cheap);
}

/// A side of `and` and `or`: of an array without axes its element.
Item lower_side(Lowering& l, const Node& node) {
  const Item item = l.lower_optional(node);
  return item.type.is_array_like() && item.type->axes == 0 ? element_of(l, item, {}) : item;
}

// The first count operands, joined from the left: the last one is evaluated if those before it have not decided.
Item lower_boolean(Lowering& l, const Node& node, size_t count) {
  ir::Builder& b = l.b;
  if (count == 1) return lower_side(l, node.operands[0]);
  const Item before = lower_boolean(l, node, count - 1);
  const Node& last = node.operands[count - 1];
  const ir::Value decided = truth(l, node, before);
  const bool is_and = node.name == "and";
  const bool cheap = is_cheap(l, last);
  if (cheap && is_boolean(b.type(decided)) && before.type == Type::scalar(DType::boolean)) {
    const Item right = l.lower(last);
    if (right.type == before.type) {
      if (is_and) return l.scalar(both(l, decided, right.values[0]));
      return l.scalar(b.bit_or(decided, right.values[0]));
    }
  }
  Node place = {.kind = node.kind, .place = node.place};
  place.place.end_column = last.place.end_column;
  // What counts as true is there.
  const auto kept = [&] { return !is_and && before.type->kind == TypeKind::optional ? held(before) : before; };
  const auto next = [&] { return lower_side(l, last); };
  return is_and ? choose(l, place, decided, next, kept, cheap) : choose(l, place, decided, kept, next, cheap);
}

}  // namespace

Item lower_expression(Lowering& l, const Node& node) {
  switch (node.kind) {
    case NodeKind::name: return lower_name(l, node);
    case NodeKind::constant: return l.scalar(l.b.constant(node.value));
    case NodeKind::text: return {Type::of_entity({.kind = EntityKind::text, .name = node.name}), {}};
    case NodeKind::bytes: return constant_bytes(l, node.name);
    case NodeKind::nothing: return {};
    case NodeKind::attribute: return lower_attribute(l, node);
    case NodeKind::subscript: return lower_subscript(l, node);
    case NodeKind::ellipsis: return {Type::of_entity({.kind = EntityKind::ellipsis}), {}};
    case NodeKind::slice: return lower_slice(l, node);
    case NodeKind::tuple: {
      std::vector<Item> items = lower_listed(l, node.operands, true);
      for (Item& item : items) item = l.in_memory(node, item);
      return tuple_of(items);
    }
    case NodeKind::dict:
    case NodeKind::set: return lower_table_display(l, node);
    case NodeKind::starred: l.refuse(node, "* stands in calls and tuples only");
    case NodeKind::list:
      if (l.options.is_function) {
        std::vector<Item> items = lower_listed(l, node.operands);
        for (Item& item : items)
          if (item.type->kind == TypeKind::computed) item = materialise(l, node, item);
        return joined_of({.kind = TypeKind::tuple, .is_list = true}, items);
      }
      l.refuse(node, "lists are not part of kernels", "a tuple, or cuda.local.array(shape, dtype)");
    case NodeKind::binary: {
      const Item left = l.lower(node.operands[0]);
      return binary(l, node, node.name, left, l.lower(node.operands[1]));
    }
    case NodeKind::unary: return lower_unary(l, node);
    case NodeKind::compare: return lower_compare(l, node);
    case NodeKind::boolean: return lower_boolean(l, node, node.operands.size());
    case NodeKind::conditional: return lower_conditional(l, node);
    case NodeKind::call: return lower_call(l, node);
    case NodeKind::function: return local_function(l, node);
    default:
      l.refuse(node, format("{} is not part of kernels", node.name),
               node.name == "the value of yield" ? "an array that is written to between two values" : "");
  }
}

Item Lowering::present(const Node& node, const Item& item) {
  if (item.type->kind != TypeKind::optional) return item;
  const Item value = held(item);
  if (facts.lower_bound(item.values[0]).value_or(0) < 1)
    failures.raise_if(node, b.bit_not(item.values[0]), ExceptionNumber::type_error,
                      format("expected {}, got None", describe(value.type)));
  return value;
}

void note_type(Lowering& l, const Node& expression, const Type& type) {
  if (l.frame && !l.frame->caller && l.known.infers()) l.known.add().expressions.note(expression, type);
}

std::vector<Item> lower_listed(Lowering& l, std::span<const Node> expressions, bool may_be_none) {
  std::vector<Item> items;
  for (const Node& expression : expressions) {
    if (expression.kind != NodeKind::starred) {
      items.push_back(may_be_none ? l.lower_optional(expression) : l.lower(expression));
      continue;
    }
    const Item tuple = l.lower(expression.operands[0]);
    if (tuple.type->kind != TypeKind::tuple) l.fail(expression, format("{} cannot be unpacked", describe(tuple.type)));
    for (size_t k = 0; k < tuple.type->elements.size(); ++k) items.push_back(element(tuple, k));
  }
  return items;
}

ir::Value Lowering::lower_scalar(const Node& expression, std::string_view what) {
  const Item item = lower(expression);
  if (!item.type.is_scalar()) fail(expression, format("{} is {}, not a number", what, describe(item.type)));
  return item.values[0];
}

// Of `and`, `or` and `not` only the truth counts: their operands may be of several types.
ir::Value Lowering::lower_condition(const Node& expression) {
  if (expression.kind == NodeKind::boolean) {
    const ir::Value holds = lower_conditions(*this, expression, expression.operands.size());
    if (options.records_types) note_type(*this, expression, Type::scalar(DType::boolean));
    return holds;
  }
  if (expression.kind == NodeKind::unary && expression.name == "not")
    return b.bit_not(lower_condition(expression.operands[0]));
  return truth(*this, expression, lower_optional(expression));
}

ir::Value both(Lowering& l, ir::Value x, ir::Value y) {
  const Scalar* left = l.constant_of(l.scalar(x));
  if (left) return left->bytes[0] ? y : x;
  const Scalar* right = l.constant_of(l.scalar(y));
  if (right) return right->bytes[0] ? x : y;
  return l.b.bit_and(x, y);
}

std::optional<Entity> entity_of(const Lowering& l, const Node& node) {
  const std::optional<std::string> dotted = dotted_name(node);
  if (!dotted || owner_of(l, dotted->substr(0, dotted->find('.')))) return std::nullopt;
  // What desugaring calls means the same under any names of the user's.
  if (node.kind == NodeKind::name && node.name.starts_with("builtins."))
    return Entity{.kind = EntityKind::builtin, .name = node.name};
  const std::pair<const Function*, std::string> name(&l.frame->function, *dotted);
  if (const auto known = l.known->names.entities.find(name); known != l.known->names.entities.end())
    return known->second;
  return l.known.add().names.entities.emplace(name, l.frame->function.globals(*dotted)).first->second;
}

Item item_of(Lowering& l, const Entity& entity, const Node& node) {
  const auto together = [&](TypeKind kind, int axes = 0) {
    std::vector<Item> items;
    for (const Entity& element : entity.elements) items.push_back(item_of(l, element, node));
    return joined_of({.kind = kind, .id = entity.layout, .axes = axes, .names = entity.names}, items);
  };
  switch (entity.kind) {
    case EntityKind::constant: {
      const TypeParts type{
          .kind = TypeKind::scalar, .dtype = entity.value.dtype, .unit = entity.unit, .names = entity.names};
      return {type, {l.b.constant(entity.value)}};
    }
    case EntityKind::nothing: return {};
    case EntityKind::bytes: return constant_bytes(l, entity.name);
    case EntityKind::tuple: return together(TypeKind::tuple);
    case EntityKind::slice: return together(TypeKind::slice);
    case EntityKind::array:
      if (entity.array && !entity.name.empty()) {
        const Item bytes = l.memory.constant_array(entity.array);
        return {with_names(bytes.type, {entity.name}), bytes.values};
      }
      if (entity.array) return l.memory.constant_array(entity.array);
      return together(TypeKind::record, static_cast<int>(entity.shape[0]));
    case EntityKind::builtin:
      if (const Builtin* known = find_builtin(entity.name); known && known->is_value)
        return known->lower(l, *known, {node, {}});
      break;
    case EntityKind::missing: l.fail(node, format("there is no {}", dotted_name(node).value_or("such name")));
    case EntityKind::other:
      if (entity.overloads) break;  // it is called by what it is passed to
      l.refuse(node, format("{} is not part of kernels", entity.name), "pass it as an argument");
    default: break;
  }
  return {Type::of_entity(entity), {}};
}

/// The object's attribute of the node's name; nothing where it has none.
std::optional<Item> attribute_of(Lowering& l, const Node& node, const Item& object) {
  if (std::optional<Item> found = ask_values(&ValueRules::attribute, l, node, object, node.name)) return found;
  if (is_member(object.type) && node.name == "value") return l.scalar(object.values[0]);
  const std::vector<std::string>& names = object.type->names;
  const bool has_names = object.type->kind == TypeKind::tuple && !object.type->is_dict;
  if (const auto named = std::ranges::find(names, node.name); has_names && named != names.end())
    return element(object, static_cast<size_t>(named - names.begin()));
  if (const Attribute* known = find_attribute(node.name, object.type)) return known->lower(l, node, object);
  return overloaded_attribute(l, node, object);
}

/// Whether it may be evaluated where Python does not: it is short, and neither raises nor has effects.
bool is_cheap(const Lowering& l, const Node& expression) {
  switch (expression.kind) {
    case NodeKind::name:
      if (Frame* const owner = owner_of(l, expression.name)) {
        const VariableValue& value = owner->values[owner->liveness.find(expression.name)];
        return !value || value->type->kind != TypeKind::optional;
      }
      return true;
    case NodeKind::subscript:
    case NodeKind::call:
    case NodeKind::boolean:
    case NodeKind::conditional: return false;
    case NodeKind::binary:
      if (expression.name == "**" || expression.name == "%" || expression.name == "//") return false;
      if (expression.name == "/" && l.options.is_body) return false;  // whose events are told
      if (expression.name == "/" && l.options.raises_on_zero && !is_nonzero(expression.operands[1])) return false;
      break;
    default: break;
  }
  for (const Node& operand : expression.operands) {
    if (!is_cheap(l, operand)) return false;
  }
  return true;
}

Item Lowering::lower_optional(const Node& expression) {
  Item item = lower_expression(*this, expression);
  if (options.records_types) note_type(*this, expression, item.type);
  return item;
}

}  // namespace tessera::kernel
