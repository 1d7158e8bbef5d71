// Objects lie in memory as words, at an address that variables hold. The host counts who holds an object or an array's
// memory in a field, and frees what nobody holds when no function runs any more (bind/kernel/memory/object_memory.h).
#include "tessera/kernel/values/object/object.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/calls/overload.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/words.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/object/user_class.h"
#include "tessera/kernel/values/text/string.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

using OperatorMethod = std::pair<std::string_view, std::string_view>;
constexpr std::array<OperatorMethod, 13> binary_methods{{{"+", "add"},
                                                         {"-", "sub"},
                                                         {"*", "mul"},
                                                         {"/", "truediv"},
                                                         {"//", "floordiv"},
                                                         {"%", "mod"},
                                                         {"**", "pow"},
                                                         {"@", "matmul"},
                                                         {"&", "and"},
                                                         {"|", "or"},
                                                         {"^", "xor"},
                                                         {"<<", "lshift"},
                                                         {">>", "rshift"}}};
constexpr std::array<OperatorMethod, 6> comparisons{
    {{"==", "__eq__"}, {"!=", "__ne__"}, {"<", "__lt__"}, {"<=", "__le__"}, {">", "__gt__"}, {">=", "__ge__"}}};
constexpr std::array<OperatorMethod, 6> mirrored{
    {{"==", "=="}, {"!=", "!="}, {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}}};

template <size_t n>
std::string_view find_name(const std::array<OperatorMethod, n>& table, std::string_view op) {
  for (const auto& [name, method] : table)
    if (name == op) return method;
  return "";
}

/// "method:add" of the object's class; null where it has none.
std::shared_ptr<const Function> find_member(Lowering& l, const Item& object, const std::string& member) {
  if (object.type->kind != TypeKind::object) return nullptr;
  return find_library(l, format("class.{}.{}", object.type->id, member));
}

/// The type as values have it: arrays lie where those do that the function makes, and containers are of a place.
Type held_type(Lowering& l, const Node& node, const Type& type) { return l.lists.declared(node, type).type; }

bool holds_containers(const Type& type) {
  if (type.is_container() || type->kind == TypeKind::string) return true;
  return std::ranges::any_of(type->elements, holds_containers);
}

}  // namespace

Item array_for_field(Lowering& l, const Node& node, const Item& given, const Type& type) {
  ir::Builder& b = l.b;
  Item array = l.in_memory(node, without_list(l, node, given));
  array = l.in_memory(node, array);
  if (array.type.is_array() && array.type->is_constant) array = copy_of(l, node, array);
  const bool fits = array.type.is_array() && array.type->dtype == type->dtype && array.type->axes == type->axes;
  if (!fits)
    l.fail(node, format("{} for a field of {}", describe(given.type), describe(type)), "astype, or another field");
  if (array.type == type) return array;
  const ArrayView view = view_of(l, array);
  if (view.bases.size() > 1 || view.bases[0].array->is_constant)
    l.refuse(node, "an array that is one or another is kept in a field", "its copy");
  const ir::Value size = l.number(itemsize(type->dtype)), address = first_address(l, node, array);
  ir::Value is_between = b.ne(b.binary(ir::Opcode::rem, address, size), l.number(0));
  std::vector<ir::Value> steps, extents;
  for (ir::Value stride : strides_of(l, view)) {
    is_between = b.bit_or(is_between, b.ne(b.binary(ir::Opcode::rem, stride, size), l.number(0)));
    steps.push_back(b.binary(ir::Opcode::div, stride, size));
  }
  for (const ArrayView::Axis& axis : view.axes) extents.push_back(axis.extent);
  l.failures.raise_if(node, is_between, ExceptionNumber::value_error,
                      "the array's elements are at no multiples of their size: copy it first");
  l.memory.note_kept(view.bases[0].array);
  return own_array(l, typed::Heap{.dtype = type->dtype}, b.binary(ir::Opcode::div, address, size), extents, steps);
}

namespace {

/// A container whose elements are those of the field's.
Item container_for_field(Lowering& l, const Node& node, const Item& given, const Type& held) {
  std::vector<Item> elements;
  Item made = given;
  if (is_written_list(given)) {
    for (size_t k = 0; k < given.type->elements.size(); ++k)
      elements.push_back(l.lists.fitted(node, held, element(given, k)));
    made = list_of(l, node, joined_of({.kind = TypeKind::tuple, .is_list = true}, elements), "field");
  }
  if (made.type->kind != held->kind || (held->kind == TypeKind::set && made.type->names != held->names))
    l.fail(node, format("{} for a field of {}", describe(given.type), describe(l.lists.resolved(held))),
           "a value of the field's type");
  TypeParts both = *held;
  both.places.insert(both.places.end(), made.type->places.begin(), made.type->places.end());
  l.lists.join_lists(node, both);
  return {held, made.values};
}

/// The value as the field has it, of the type that its values have.
Item for_field(Lowering& l, const Node& node, const Item& given, const Type& type) {
  const auto misfit = [&] {
    l.fail(node, format("{} for a field of {}", describe(given.type), describe(l.lists.resolved_if_known(type))),
           "a value of the field's type");
  };
  switch (type->kind) {
    case TypeKind::scalar:
      if (!given.type.is_scalar()) misfit();
      return as_number(l, node, given, type->dtype);
    case TypeKind::buffer: return array_for_field(l, node, given, type);
    case TypeKind::object:
      if (given.type != type) misfit();
      return given;
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set: return container_for_field(l, node, given, type);
    case TypeKind::string: {
      const std::optional<Item> text = string_of(l, given);
      if (!text || text->type != type) misfit();
      return *text;
    }
    case TypeKind::none:
      if (given.type->kind != TypeKind::none) misfit();
      return given;
    case TypeKind::optional: {
      if (given.type->kind == TypeKind::none) return l.zero(type);
      const bool may_be_none = given.type->kind == TypeKind::optional;
      const Item value = for_field(l, node, may_be_none ? held(given) : given, type->elements[0]);
      Item made{type, {may_be_none ? given.values[0] : l.b.constant(Scalar::of_bool(true))}};
      made.values.insert(made.values.end(), value.values.begin(), value.values.end());
      return made;
    }
    case TypeKind::tuple: {
      if (given.type->kind != TypeKind::tuple || given.type->elements.size() != type->elements.size()) misfit();
      std::vector<Item> elements;
      for (size_t k = 0; k < type->elements.size(); ++k)
        elements.push_back(for_field(l, node, element(given, k), type->elements[k]));
      return tuple_of(elements, type->names);
    }
    default: misfit(); return {};
  }
}

/// The addresses in bytes of the arrays in a field's value, 0 where there is none.
void append_addresses(Lowering& l, const Item& value, std::vector<ir::Value>& addresses) {
  if (value.type.is_array()) {
    addresses.push_back(l.b.mul(value.values[0], l.number(itemsize(value.type->dtype))));
    return;
  }
  if (value.type->kind == TypeKind::optional) return append_addresses(l, held(value), addresses);
  if (value.type->kind != TypeKind::tuple) return;
  for (size_t k = 0; k < value.type->elements.size(); ++k) append_addresses(l, element(value, k), addresses);
}

ir::Value call_objects(Lowering& l, HostObjects what, ir::Value first, ir::Value second) {
  return call_host(l, HostFunction::objects, {l.number(static_cast<int64_t>(what)), first, second});
}

/// Whether a container or a text in the value is one that nothing was stored in.
ir::Value is_unset(Lowering& l, const Item& value) {
  ir::Builder& b = l.b;
  if (value.type.is_container() || value.type->kind == TypeKind::string) return b.eq(value.values[0], l.number(0));
  if (value.type->kind == TypeKind::optional) return b.bit_and(value.values[0], is_unset(l, held(value)));
  ir::Value unset = b.constant(Scalar::of_bool(false));
  for (size_t k = 0; value.type->kind == TypeKind::tuple && k < value.type->elements.size(); ++k)
    if (holds_containers(value.type->elements[k])) unset = b.bit_or(unset, is_unset(l, element(value, k)));
  return unset;
}

Item load_field(Lowering& l, const Node& node, const Item& object, const UserClass& of, size_t field) {
  const uint32_t memory = l.memory.heap_of(DType::int64);
  const Item value = from_words(l.b, held_type(l, node, of.types[field]), [&](int64_t word) {
    return l.b.load(memory, std::vector{l.b.add(object.values[0], l.number(of.places[field] + word))});
  });
  if (!holds_containers(of.types[field])) return value;
  l.known.note_kept_containers();
  l.failures.raise_if(node, is_unset(l, value), ExceptionNumber::value_error,
                      format("the field {} of {} has no value yet", of.fields[field], of.name));
  return value;
}

void store_field(Lowering& l, const Node& node, const Item& object, const UserClass& of, size_t field,
                 const Item& given) {
  const Type& type = of.types[field];
  const Item present = type->kind == TypeKind::optional ? given : l.present(node, given);
  const Item value = for_field(l, node, present, held_type(l, node, type));
  if (holds_containers(type)) l.known.note_kept_containers();
  std::vector<ir::Value> addresses;
  append_addresses(l, value, addresses);
  const std::vector<ir::Value> words = to_words(l.b, value);
  const int64_t first = of.places[field], end = first + static_cast<int64_t>(words.size());
  const auto at = [&](int64_t word) { return l.b.add(object.values[0], l.number(word)); };
  if (!addresses.empty()) l.known.note_kept_arrays();
  for (size_t k = 0; k < addresses.size(); ++k)
    call_objects(l, HostObjects::hold_array, at(end + static_cast<int64_t>(k)), addresses[k]);
  for (int64_t word = first; word < end; ++word) {
    const ir::Value to = words[static_cast<size_t>(word - first)];
    const auto is_it = [&](const CountedWord& one) { return one.word == word && one.is_object; };
    if (std::ranges::any_of(of.counted, is_it))
      call_objects(l, HostObjects::hold_object, at(word), to);
    else
      l.b.store(l.memory.heap_of(DType::int64), to, std::vector{at(word)});
  }
}

/// The call with the object before the arguments.
Item call_member(Lowering& l, const Node& node, const Function& function, std::vector<Item> arguments) {
  for (Item& argument : arguments) argument = l.in_memory(node, argument);
  return call_function(l, node, function, arguments);
}

}  // namespace

bool is_object(const Item& item) { return item.type->kind == TypeKind::object; }

Item new_object(Lowering& l, const Type& type) {
  return {type, {call_objects(l, HostObjects::make, l.number(type->id), l.number(0))}};
}

std::optional<Item> hash_of_object(Lowering& l, const Node& node, const Item& object) {
  if (!find_member(l, object, "method:__hash__") && find_member(l, object, "method:__eq__")) return {};
  const std::optional<Item> hashed = call_builtin_of_object(l, node, "builtins.hash", {object});
  if (!hashed || !hashed->type.is_scalar() || is_floating(hashed->type->dtype) || is_complex(hashed->type->dtype))
    l.fail(node, format("__hash__ of {} gives no integer", describe(object.type)), "an integer");
  return hashed;
}

std::optional<Item> call_special_method(Lowering& l, const Node& node, const std::string& name,
                                        const std::vector<Item>& arguments) {
  if (arguments.empty()) return {};
  if (is_own(arguments[0])) return own_special_method(l, node, name, arguments);
  if (!is_object(arguments[0])) return {};
  const auto method = find_member(l, arguments[0], "method:" + name);
  if (!method) return {};
  if (method->tree.names.size() != arguments.size())
    l.fail(node, format("{} takes {} arguments, not {}", name, method->tree.names.size(), arguments.size()));
  return call_member(l, node, *method, arguments);
}

namespace {

/// Of values of packages' own types: as numbers, which Numba takes first, or by the functions of `operator`.
Item binary_of_own(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  const auto as_number = [&](const Item& item) {
    return is_own(item) ? overloaded_operator(l, node, "own.number", {item}) : std::optional(item);
  };
  if (const std::optional<Item> first = as_number(left))
    if (const std::optional<Item> second = as_number(right)) return binary(l, node, op, *first, *second);
  const std::string name(find_name(binary_methods, op));
  if (node.kind == NodeKind::augmented)
    if (auto result = overloaded_operator(l, node, format("operator.i{}", name), {left, right})) return *result;
  const std::string_view end = name == "and" || name == "or" ? "_" : "";
  const auto result = overloaded_operator(l, node, format("operator.{}{}", name, end), {left, right});
  if (!result)
    l.fail(node, format("{} has no implementation for {} and {}", op, describe(left.type), describe(right.type)),
           "a function that @overload finds for them");
  return *result;
}

ir::Value compare_own(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  const std::string_view method = find_name(comparisons, op);
  const std::string name(method.substr(2, method.size() - 4));
  const auto result = overloaded_operator(l, node, "operator." + name, {left, right});
  if (result) return truth(l, node, *result);
  if (op == "!=")
    if (const auto equal = overloaded_operator(l, node, "operator.eq", {left, right}))
      return l.b.bit_not(truth(l, node, *equal));
  l.fail(node, format("{} has no implementation for {} and {}", op, describe(left.type), describe(right.type)),
         "a function that @overload finds for them");
}

}  // namespace

std::optional<Item> call_builtin_of_object(Lowering& l, const Node& node, std::string_view builtin,
                                           const std::vector<Item>& arguments) {
  static constexpr std::array<std::string_view, 10> asked{"len",  "abs", "int",  "float", "complex",
                                                          "hash", "str", "repr", "round", "divmod"};
  const std::string_view name = builtin.substr(builtin.find('.') + 1);
  const bool is_asked = builtin.starts_with("builtins.") && std::ranges::find(asked, name) != asked.end();
  if (!arguments.empty() && is_own(arguments[0]) && is_asked) {
    if (auto result = overloaded_operator(l, node, std::string(builtin), arguments)) return result;
    if (const auto array = overloaded_operator(l, node, "own.array", arguments))
      return call_builtin(l, node, std::string(name), std::string(builtin), {*array});
    l.fail(node, format("{} has no implementation for {}", name, describe(arguments[0].type)),
           "a function that @overload finds for it");
  }
  if (arguments.empty() || !is_object(arguments[0])) return {};
  if (!builtin.starts_with("builtins.")) return {};
  if (name == "bool") return l.scalar(truth(l, node, arguments[0]));
  if (std::ranges::find(asked, name) == asked.end()) return {};
  if (auto result = call_special_method(l, node, format("__{}__", name), arguments)) return result;
  // As Python's classes of numbers ask.
  const auto number_from = [&](std::string_view other) -> std::optional<Item> {
    const auto result = call_special_method(l, node, format("__{}__", other), arguments);
    if (!result || !result->type.is_scalar()) return {};
    const DType to = name == "complex" ? DType::complex128 : name == "float" ? DType::float64 : DType::int64;
    return l.scalar(l.cast(*result, to));
  };
  if (name == "complex")
    if (auto result = number_from("float")) return result;
  if (name == "complex" || name == "float" || name == "int")
    if (auto result = number_from("index")) return result;
  if (name == "hash") return l.scalar(l.b.binary(ir::Opcode::shift_right, arguments[0].values[0], l.number(1)));
  return {};
}

namespace {

/// A new object; the node is a call of the class.
Item construct(Lowering& l, const Node& node, const Entity& of) {
  if (!l.options.is_function) l.refuse(node, format("an object of {} in a kernel", of.name), "a tuple");
  const Item object = new_object(l, type_of_objects(static_cast<uint32_t>(of.value.as_int())));
  const auto init = find_member(l, object, "method:__init__");
  if (!init) l.fail(node, format("{} has no __init__", of.name));
  std::vector<Item> arguments = lower_positional(l, node, true);
  arguments.insert(arguments.begin(), object);
  const Item result = call_member(l, node, *init, with_defaults(l, node, *init, std::move(arguments)));
  if (result.type->kind != TypeKind::none)
    l.fail(node, format("__init__() should return None, not {}", describe(result.type)), "no return value");
  return object;
}

/// A field or property; nothing where the object has none of this name.
std::optional<Item> object_attribute(Lowering& l, const Node& node, const Item& object, const std::string& name) {
  if (!is_object(object)) return {};
  const UserClass& of = user_class(object.type->id);
  if (const int64_t field = of.find(name); field >= 0)
    return load_field(l, node, object, of, static_cast<size_t>(field));
  const auto getter = find_member(l, object, "get:" + name);
  if (!getter) return {};
  return call_function(l, node, *getter, {object});
}

/// Sets a field or property.
bool set_object_attribute(Lowering& l, const Node& node, const Item& object, const std::string& name,
                          const Item& value) {
  if (!is_object(object)) return false;
  const UserClass& of = user_class(object.type->id);
  if (const int64_t field = of.find(name); field >= 0) {
    store_field(l, node, object, of, static_cast<size_t>(field), value);
    return true;
  }
  const auto setter = find_member(l, object, "set:" + name);
  if (!setter) l.fail(node, format("{} has no field {}", of.name, name), "one of its fields, or a property's setter");
  Node place = node;  // in one statement the property may have been read
  ++place.place.end_column;
  call_member(l, place, *setter, {object, value});
  return true;
}

/// The call of a method; the node's operands are its arguments.
Item call_object_method(Lowering& l, const Node& node, const Item& object, const std::string& name) {
  auto method = find_member(l, object, "method:" + name);
  std::vector<Item> arguments = lower_positional(l, node, true);
  if (method) {
    arguments.insert(arguments.begin(), object);
  } else {
    method = find_member(l, object, "static:" + name);
  }
  if (!method) l.fail(node, format("{} has no method {}", describe(object.type), name));
  return call_member(l, node, *method, with_defaults(l, node, *method, std::move(arguments)));
}

/// Operators, nothing where neither is an object with the method.
std::optional<Item> binary_of_objects(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                      const Item& right) {
  if (is_own(left) || is_own(right)) return binary_of_own(l, node, op, left, right);
  if (!is_object(left) && !is_object(right)) return {};
  const std::string name(find_name(binary_methods, op));
  if (name.empty()) return {};
  if (node.kind == NodeKind::augmented)
    if (auto result = call_special_method(l, node, format("__i{}__", name), {left, right})) return result;
  if (auto result = call_special_method(l, node, format("__{}__", name), {left, right})) return result;
  return call_special_method(l, node, format("__r{}__", name), {right, left});
}

std::optional<ir::Value> compare_objects(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                         const Item& right) {
  ir::Builder& b = l.b;
  const auto may_be = [](const Item& item) { return item.type->kind == TypeKind::optional ? held(item) : item; };
  if (op == "in" || op == "not in") {
    const auto found = call_special_method(l, node, "__contains__", {right, left});
    if (!found) return {};
    const ir::Value holds = truth(l, node, *found);
    return op == "in" ? holds : b.bit_not(holds);
  }
  if ((is_own(left) || is_own(right)) && !find_name(comparisons, op).empty())
    return compare_own(l, node, op, left, right);
  if (!is_object(may_be(left)) && !is_object(may_be(right))) return {};
  const bool are_objects = is_object(may_be(left)) && is_object(may_be(right));
  if (op == "is" || op == "is not") {
    if (!are_objects) return {};
    // Of one that is None the address is 0.
    const ir::Value same = left.type->kind == right.type->kind || are_objects
                               ? b.eq(may_be(left).values[0], may_be(right).values[0])
                               : b.constant(Scalar::of_bool(false));
    return op == "is" ? same : b.bit_not(same);
  }
  if (!is_object(left) && !is_object(right)) return {};
  const std::string method(find_name(comparisons, op)), other(find_name(comparisons, find_name(mirrored, op)));
  if (const auto result = call_special_method(l, node, method, {left, right})) return truth(l, node, *result);
  if (const auto result = call_special_method(l, node, other, {right, left})) return truth(l, node, *result);
  if (op == "!=") {
    const auto equal = compare_objects(l, node, "==", left, right);
    return equal ? std::optional(b.bit_not(*equal)) : std::nullopt;
  }
  if (op != "==" || left.type->kind == TypeKind::optional || right.type->kind == TypeKind::optional) return {};
  if (left.type != right.type) return b.constant(Scalar::of_bool(false));
  return b.eq(left.values[0], right.values[0]);
}

std::optional<Item> unary_of_object(Lowering& l, const Node& node, std::string_view op, const Item& object) {
  return call_special_method(l, node, op == "-" ? "__neg__" : op == "~" ? "__invert__" : "__pos__", {object});
}

std::optional<ir::Value> object_truth(Lowering& l, const Node& node, const Item& item) {
  if (!is_object(item)) return {};
  if (const auto holds = call_special_method(l, node, "__bool__", {item})) return truth(l, node, *holds);
  if (const auto length = call_special_method(l, node, "__len__", {item})) return truth(l, node, *length);
  return l.b.constant(Scalar::of_bool(true));
}

std::optional<Item> object_subscript(Lowering& l, const Node& node, const Item& object, const Item& index) {
  return is_object(object) ? call_special_method(l, node, "__getitem__", {object, index}) : std::nullopt;
}

bool store_in_object(Lowering& l, const Node& node, const Item& object, const Item& index, const Item& value) {
  if (!is_object(object) && !is_own(object)) return false;
  Node place = node;  // where the element may have been read
  ++place.place.end_column;
  if (!call_special_method(l, place, "__setitem__", {object, index, value}))
    l.fail(node, format("{} has no __setitem__", describe(object.type)));
  return true;
}

std::optional<Item> method_of_object(Lowering& l, const Node& node, const Item& object) {
  if (!is_object(object)) return {};
  return call_object_method(l, node, object, node.operands[0].name);
}

/// An object that is called, or a class.
std::optional<Item> call_object(Lowering& l, const Node& node, const Item& callee) {
  if (callee.type.is_entity(EntityKind::class_)) return construct(l, node, callee.type->entity);
  if (!is_object(callee)) return {};
  return call_object_method(l, node, callee, "__call__");
}

}  // namespace

const ValueRules object_rules{.truth = object_truth,
                              .unary = unary_of_object,
                              .binary = binary_of_objects,
                              .compare = compare_objects,
                              .subscript = object_subscript,
                              .store = store_in_object,
                              .attribute = object_attribute,
                              .set_attribute = set_object_attribute,
                              .method = method_of_object,
                              .called = call_object,
                              .builtin = call_builtin_of_object};

}  // namespace tessera::kernel
