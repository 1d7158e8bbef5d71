// Expressions other than operators and calls: names, attributes, elements, and what is evaluated under a condition.
#include <algorithm>
#include <complex>
#include <utility>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/types/type_record.h"

namespace tessera::kernel {

namespace {

bool is_nonzero(const Node& node) {
  return node.kind == NodeKind::constant && node.value.as_complex() != std::complex<double>();
}

}  // namespace

Item Lowering::lower_expression(const Node& node) {
  switch (node.kind) {
    case NodeKind::name: return lower_name(node);
    case NodeKind::constant: return scalar(b.constant(node.value));
    case NodeKind::text:
      return {{.kind = TypeKind::entity, .entity = {.kind = EntityKind::text, .name = node.name}}, {}};
    case NodeKind::nothing: return {};
    case NodeKind::attribute: return lower_attribute(node);
    case NodeKind::subscript: return lower_subscript(node);
    case NodeKind::ellipsis: return {{.kind = TypeKind::entity, .entity = {.kind = EntityKind::ellipsis}}, {}};
    case NodeKind::slice: return lower_slice(node);
    case NodeKind::tuple: {
      std::vector<Item> items = lower_listed(node.operands, true);
      for (Item& item : items) item = in_memory(node, item);
      return tuple_of(items);
    }
    case NodeKind::starred: refuse(node, "* stands in calls and tuples only");
    case NodeKind::list:
      if (options_.is_function) {
        std::vector<Item> items = lower_listed(node.operands);
        for (Item& item : items)
          if (item.type.kind == TypeKind::computed) item = materialise(node, item);
        Item list = tuple_of(items);
        list.type.is_list = true;
        return list;
      }
      refuse(node, "lists are not part of kernels", "a tuple, or cuda.local.array(shape, dtype)");
    case NodeKind::binary: {
      const Item left = lower(node.operands[0]);
      return binary(node, node.name, left, lower(node.operands[1]));
    }
    case NodeKind::unary: return lower_unary(node);
    case NodeKind::compare: return lower_compare(node);
    case NodeKind::boolean: return lower_boolean(node, node.operands.size());
    case NodeKind::conditional: return lower_conditional(node);
    case NodeKind::call: return lower_call(node);
    case NodeKind::function: return local_function(node);
    default: refuse(node, format("{} is not part of kernels", node.name));
  }
}

Item Lowering::present(const Node& node, const Item& item) {
  if (item.type.kind != TypeKind::optional) return item;
  const Item value = held(item);
  if (facts_.lower_bound(item.values[0]).value_or(0) < 1)
    raise_if(node, b.bit_not(item.values[0]), ExceptionNumber::type_error,
             format("expected {}, got None", describe(value.type)));
  return value;
}

void Lowering::note_type(const Node& expression, const Type& type) {
  if (frame_ && !frame_->caller) options_.types->note(expression, type);
}

std::vector<Item> Lowering::lower_listed(std::span<const Node> expressions, bool may_be_none) {
  std::vector<Item> items;
  for (const Node& expression : expressions) {
    if (expression.kind != NodeKind::starred) {
      items.push_back(may_be_none ? lower_optional(expression) : lower(expression));
      continue;
    }
    const Item tuple = lower(expression.operands[0]);
    if (tuple.type.kind != TypeKind::tuple) fail(expression, format("{} cannot be unpacked", describe(tuple.type)));
    for (size_t k = 0; k < tuple.type.elements.size(); ++k) items.push_back(element(tuple, k));
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
    const ir::Value holds = lower_conditions(expression, expression.operands.size());
    if (options_.types) note_type(expression, Type::scalar(DType::boolean));
    return holds;
  }
  if (expression.kind == NodeKind::unary && expression.name == "not")
    return b.bit_not(lower_condition(expression.operands[0]));
  return truth(expression, lower_optional(expression));
}

/// Whether the first count operands together hold.
ir::Value Lowering::lower_conditions(const Node& node, size_t count) {
  if (count == 1) return lower_condition(node.operands[0]);
  const ir::Value decided = lower_conditions(node, count - 1);
  const Node& last = node.operands[count - 1];
  const bool is_and = node.name == "and";
  // What is never evaluated is not compiled: `x is None or x > 3` where x is None.
  if (const Scalar* known = constant_of(scalar(decided)); known && (known->bytes[0] != 0) != is_and) return decided;
  if (is_cheap(last)) {
    const ir::Value right = lower_condition(last);
    return is_and ? both(decided, right) : b.bit_or(decided, right);
  }
  Node place = {.kind = node.kind, .place = node.place};
  place.place.end_column = last.place.end_column;
  const auto kept = [&] { return scalar(decided); };
  const auto next = [&] { return scalar(lower_condition(last)); };
  return (is_and ? choose(place, decided, next, kept, false) : choose(place, decided, kept, next, false)).values[0];
}

ir::Value Lowering::both(ir::Value x, ir::Value y) {
  const Scalar* left = constant_of(scalar(x));
  if (left) return left->bytes[0] ? y : x;
  const Scalar* right = constant_of(scalar(y));
  if (right) return right->bytes[0] ? x : y;
  return b.bit_and(x, y);
}

/// The frame of which the name is a variable: the current one or that of a function around; null for other names.
Frame* Lowering::owner_of(const std::string& name) const {
  Frame* frame = frame_;
  while (frame && frame->liveness.find(name) < 0) frame = frame->enclosing;
  return frame;
}

std::optional<Entity> Lowering::entity_of(const Node& node) const {
  const std::optional<std::string> dotted = dotted_name(node);
  if (!dotted || owner_of(dotted->substr(0, dotted->find('.')))) return std::nullopt;
  // What desugaring calls means the same under any names of the user's.
  if (node.kind == NodeKind::name && node.name.starts_with("builtins."))
    return Entity{.kind = EntityKind::builtin, .name = node.name};
  const std::pair<const Function*, std::string> name(&frame_->function, *dotted);
  if (const auto known = known_.entities.find(name); known != known_.entities.end()) return known->second;
  return known_.entities.emplace(name, frame_->function.globals(*dotted)).first->second;
}

Item Lowering::item_of(const Entity& entity, const Node& node) {
  const auto together = [&](TypeKind kind) {
    std::vector<Item> items;
    for (const Entity& element : entity.elements) items.push_back(item_of(element, node));
    Item item = tuple_of(items);
    item.type.kind = kind;
    item.type.names = entity.names;
    return item;
  };
  switch (entity.kind) {
    case EntityKind::constant: return scalar(b.constant(entity.value));
    case EntityKind::nothing: return {};
    case EntityKind::tuple: return together(TypeKind::tuple);
    case EntityKind::slice: return together(TypeKind::slice);
    case EntityKind::array: {
      if (entity.array) return constant_array(entity.array);
      Item records = together(TypeKind::record);
      records.type.axes = static_cast<int>(entity.shape[0]);
      return records;
    }
    case EntityKind::builtin:
      if (const Builtin* known = find_builtin(entity.name); known && known->is_value)
        return known->lower(*this, *known, {node, {}});
      break;
    case EntityKind::missing: fail(node, format("there is no {}", dotted_name(node).value_or("such name")));
    case EntityKind::other: refuse(node, format("{} is not part of kernels", entity.name), "pass it as an argument");
    default: break;
  }
  return {{.kind = TypeKind::entity, .entity = entity}, {}};
}

Item Lowering::lower_name(const Node& node) {
  Frame* const owner = owner_of(node.name);
  if (!owner) return item_of(*entity_of(node), node);
  Frame* const current = std::exchange(frame_, owner);
  Item item = read(node, owner->liveness.find(node.name));
  frame_ = current;
  return item;
}

Item Lowering::lower_attribute(const Node& node) {
  if (const std::optional<Entity> entity = entity_of(node)) return item_of(*entity, node);
  const Item object = lower(node.operands[0]);
  if (const std::optional<Item> found = attribute_of(node, object)) return *found;
  fail(node, format("{} has no attribute {} in kernels", describe(object.type), node.name),
       object.type.is_array() ? "shape, ndim, size, dtype, itemsize, nbytes, T" : "");
}

/// The object's attribute of the node's name; nothing where it has none.
std::optional<Item> Lowering::attribute_of(const Node& node, const Item& object) {
  const std::vector<std::string>& names = object.type.names;
  const bool has_names = object.type.kind == TypeKind::record || object.type.kind == TypeKind::tuple;
  if (const auto named = std::ranges::find(names, node.name); has_names && named != names.end()) {
    if (object.type.kind == TypeKind::record) return field(node, object, node.name);
    return element(object, static_cast<size_t>(named - names.begin()));
  }
  if (const Attribute* known = find_attribute(node.name, object.type)) return known->lower(*this, node, object);
  return overloaded_member(node, object, true);
}

Item Lowering::lower_subscript(const Node& node) {
  if (const std::optional<Item> array = flat_array(node))
    return flat_element(node, in_memory(node, *array), lower(node.operands[1]));
  const Item object = lower(node.operands[0]), index = lower(node.operands[1]);
  const bool is_name = index.type.kind == TypeKind::entity && index.type.entity.kind == EntityKind::text;
  // A member of an enumeration.
  if (object.type.kind == TypeKind::tuple && is_name) {
    const auto found = std::ranges::find(object.type.names, index.type.entity.name);
    if (found == object.type.names.end()) fail(node, format("there is no {}", index.type.entity.name));
    return element(object, static_cast<size_t>(found - object.type.names.begin()));
  }
  return subscript(node, object, index);
}

/// Whether it may be evaluated where Python does not: it is short, and neither raises nor has effects.
bool Lowering::is_cheap(const Node& expression) const {
  switch (expression.kind) {
    case NodeKind::name:
      if (Frame* const owner = owner_of(expression.name)) {
        const std::optional<Item>& value = owner->values[owner->liveness.find(expression.name)];
        return !value || value->type.kind != TypeKind::optional;
      }
      return true;
    case NodeKind::subscript:
    case NodeKind::call:
    case NodeKind::boolean:
    case NodeKind::conditional: return false;
    case NodeKind::binary:
      if (expression.name == "**" || expression.name == "%" || expression.name == "//") return false;
      if (expression.name == "/" && options_.raises_on_zero && !is_nonzero(expression.operands[1])) return false;
      break;
    default: break;
  }
  for (const Node& operand : expression.operands) {
    if (!is_cheap(operand)) return false;
  }
  return true;
}

// The type is known once both sides have been lowered; until then each run knows what the one before has found.
Item Lowering::choose(const Node& node, ir::Value condition, const std::function<Item()>& if_true,
                      const std::function<Item()>& if_false, bool cheap) {
  if (const Scalar* known = constant_of(scalar(condition))) return known->bytes[0] ? if_true() : if_false();
  const std::string key = format("{}{}:{}:{}-{}.value", frame_->path, frame_->turn, node.place.line, node.place.column,
                                 node.place.end_column);
  if (cheap) {
    const Item x = if_true(), y = if_false();
    widen(node, key, x.type);
    const Type type = widen(node, key, y.type);
    const Item a = convert(x, type), c = convert(y, type);
    Item chosen{type, {}};
    for (size_t k = 0; k < a.values.size(); ++k) chosen.values.push_back(b.select(condition, a.values[k], c.values[k]));
    return chosen;
  }
  const auto found = known_.types.find(key);
  const bool first = found == known_.types.end();
  std::optional<Type> type = first ? std::nullopt : std::optional(found->second);
  changed_ |= first;
  const auto side = [&](const std::function<Item()>& lower_side, bool holds) {
    return [&, lower_side, holds](std::span<const ir::Value>) {
      ++frame_->depth;
      const size_t mark = facts_.assume(condition, holds);
      const Item item = lower_side();
      facts_.forget(mark);
      --frame_->depth;
      widen(node, key, item.type);
      if (!type) type = item.type;
      return convert(item, *type).values;
    };
  };
  const std::vector<ir::Value> values = b.if_(condition, side(if_true, true), side(if_false, false));
  return {*type, values};
}

Item Lowering::lower_conditional(const Node& node) {
  const ir::Value condition = lower_condition(node.operands[0]);
  const bool cheap = is_cheap(node.operands[1]) && is_cheap(node.operands[2]);
  return choose(
      node, condition, [&] { return lower_optional(node.operands[1]); },
      [&] { return lower_optional(node.operands[2]); }, cheap);
}

// The first count operands, joined from the left: the last one is evaluated if those before it have not decided.
Item Lowering::lower_boolean(const Node& node, size_t count) {
  if (count == 1) return lower_optional(node.operands[0]);
  const Item before = lower_boolean(node, count - 1);
  const Node& last = node.operands[count - 1];
  const ir::Value decided = truth(node, before);
  const bool is_and = node.name == "and";
  const bool cheap = is_cheap(last);
  if (cheap && is_boolean(b.type(decided)) && before.type == Type::scalar(DType::boolean)) {
    const Item right = lower(last);
    if (right.type == before.type) {
      if (is_and) return scalar(both(decided, right.values[0]));
      return scalar(b.bit_or(decided, right.values[0]));
    }
  }
  Node place = {.kind = node.kind, .place = node.place};
  place.place.end_column = last.place.end_column;
  // What counts as true is there.
  const auto kept = [&] { return !is_and && before.type.kind == TypeKind::optional ? held(before) : before; };
  const auto next = [&] { return lower_optional(last); };
  return is_and ? choose(place, decided, next, kept, cheap) : choose(place, decided, kept, next, cheap);
}

}  // namespace tessera::kernel
