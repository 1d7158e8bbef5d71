// Operators: Numba's types for them, Python's meaning.
#include "tessera/kernel/lower/operator.h"

#include <algorithm>
#include <array>
#include <span>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/calls/overload.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/date/date.h"
#include "tessera/kernel/values/value_rules.h"
#include "tessera/ops/op.h"

namespace tessera::kernel {

using ir::Opcode;

namespace {

constexpr std::array<std::pair<std::string_view, Opcode>, 5> arithmetic_opcodes{{
    {"+", Opcode::add},
    {"-", Opcode::sub},
    {"*", Opcode::mul},
    {"//", Opcode::floor_div},
    {"%", Opcode::floor_mod},
}};

constexpr std::array<std::pair<std::string_view, Opcode>, 5> bit_opcodes{{
    {"&", Opcode::bit_and},
    {"|", Opcode::bit_or},
    {"^", Opcode::bit_xor},
    {"<<", Opcode::shift_left},
    {">>", Opcode::shift_right},
}};

constexpr std::array<std::pair<std::string_view, Opcode>, 6> comparison_opcodes{{
    {"==", Opcode::eq},
    {"!=", Opcode::ne},
    {"<", Opcode::lt},
    {"<=", Opcode::le},
    {">", Opcode::gt},
    {">=", Opcode::ge},
}};

template <size_t n>
std::optional<Opcode> find_opcode(const std::array<std::pair<std::string_view, Opcode>, n>& table,
                                  std::string_view op) {
  for (const auto& [name, opcode] : table) {
    if (name == op) return opcode;
  }
  return std::nullopt;
}

/// The ops of arrays.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> array_ops{{
    {"+", "add"},
    {"-", "subtract"},
    {"*", "multiply"},
    {"/", "divide"},
    {"//", "floor_divide"},
    {"%", "remainder"},
    {"**", "power"},
    {"&", "bitwise_and"},
    {"|", "bitwise_or"},
    {"^", "bitwise_xor"},
    {"<<", "left_shift"},
    {">>", "right_shift"},
    {"==", "equal"},
    {"!=", "not_equal"},
    {"<", "less"},
    {"<=", "less_equal"},
    {">", "greater"},
    {">=", "greater_equal"},
}};

std::string_view array_op(std::string_view op) {
  for (const auto& [name, known] : array_ops)
    if (name == op) return known;
  return "";
}

/// x to a constant power, by squaring; a negative one divides.
ir::Value constant_power(ir::Builder& b, ir::Value x, int64_t exponent) {
  ir::Value result = ir::no_value;
  for (uint64_t left = static_cast<uint64_t>(std::abs(exponent)); left; left >>= 1) {
    if (left & 1) result = result == ir::no_value ? x : b.mul(result, x);
    if (left > 1) x = b.mul(x, x);
  }
  if (result == ir::no_value) return b.one_like(x);
  return exponent < 0 ? b.div(b.one_like(result), result) : result;
}

/// Integers compare by value: where one is int64 and the other uint64, a negative one is below all of the other's.
ir::Value compare_numbers(ir::Builder& b, Opcode op, ir::Value x, ir::Value y) {
  const DType s = b.type(x), t = b.type(y);
  const bool mixed = is_integer(s) && is_integer(t) && is_floating(promote(s, t));
  if (!mixed) return b.compare(op, b.cast(x, promote(s, t)), b.cast(y, promote(s, t)));
  const bool left = is_signed_integer(s);
  const ir::Value negative = b.lt(left ? x : y, b.zero_like(left ? x : y));
  const bool below =
      op == Opcode::ne || op == (left ? Opcode::lt : Opcode::gt) || op == (left ? Opcode::le : Opcode::ge);
  const ir::Value same = b.compare(op, b.cast(x, DType::uint64), b.cast(y, DType::uint64));
  return b.select(negative, b.constant(Scalar::of_bool(below)), same);
}

std::string advice(const Type& type) { return type.is_array() ? "one element of it, such as a[i]" : ""; }

/// Whether the expression is made of constants that are not negative by shifts, ~ or such: bits, not a number.
bool is_mask(const Node& node) {
  const auto is_made_by = [&](std::initializer_list<std::string_view> operators) {
    return std::ranges::find(operators, node.name) != operators.end();
  };
  if (node.kind == NodeKind::constant) return is_integer(node.value.dtype);
  if (node.kind == NodeKind::unary) return is_made_by({"~"}) && is_mask(node.operands[0]);
  if (node.kind != NodeKind::binary) return false;
  if (is_made_by({"<<", ">>"})) return is_mask(node.operands[0]);
  return is_made_by({"&", "|", "^"}) && is_mask(node.operands[0]) && is_mask(node.operands[1]);
}

/// A constant that is not negative, beside a uint64: the same as uint64, so that nothing is computed in float64.
std::optional<Item> beside_unsigned(Lowering& l, const Item& item, const Item& other) {
  if (!other.type.is_scalar() || other.type->dtype != DType::uint64) return std::nullopt;
  const Scalar* known = l.constant_of(item);
  if (!known || !is_signed_integer(known->dtype) || known->as_int() < 0) return std::nullopt;
  return l.scalar(l.cast(item, DType::uint64));
}

/// Neighbours on a ring: `(k + 1) % n` and `(k - 1) % n` within `range(n)` take no division.
std::optional<ir::Value> remainder_within(Lowering& l, ir::Value value, ir::Value length) {
  ir::Builder& b = l.b;
  const std::optional<int> outside = l.facts.steps_outside(value, length);
  if (!outside || *outside == 0) return outside ? std::optional(value) : std::nullopt;
  const ir::Value zero = b.constant(DType::int64, 0);
  if (*outside > 0) return b.select(b.eq(value, length), zero, value);
  return b.select(b.lt(value, zero), b.add(value, length), value);
}

/// Beside a uint64 a mask has its bits, as has what a uint64 is changed by in place: nothing becomes signed.
bool keeps_unsigned(const Node& node, const Item& left, const Item& right) {
  if ((node.kind != NodeKind::binary && node.kind != NodeKind::augmented) || node.operands.size() != 2) return false;
  if (!left.type.is_scalar() || !right.type.is_scalar()) return false;
  const DType x = left.type->dtype, y = right.type->dtype;
  if (x == DType::uint64 && is_signed_integer(y)) return node.kind == NodeKind::augmented || is_mask(node.operands[1]);
  return y == DType::uint64 && is_signed_integer(x) && is_mask(node.operands[0]);
}

/// What a comparison for equality with None or with a text: known from the types.
std::optional<bool> compare_known(std::string_view op, const Type& left, const Type& right) {
  const bool is_one_known =
      is_any_text(left) || is_any_text(right) || left->kind == TypeKind::none || right->kind == TypeKind::none;
  if (!is_one_known || (op != "==" && op != "!=")) return {};
  return (left->kind == TypeKind::none && right->kind == TypeKind::none) == (op == "==");
}

/// The same of dtypes, beside which a text or a class of numbers stands for its dtype.
std::optional<bool> compare_dtypes(std::string_view op, const Type& left, const Type& right) {
  if (op != "==" && op != "!=") return {};
  if (!left.is_entity(EntityKind::dtype) && !right.is_entity(EntityKind::dtype)) return {};
  if (unit_meant(left) || unit_meant(right)) return (unit_meant(left) == unit_meant(right)) == (op == "==");
  const std::optional<DType> x = dtype_meant(left), y = dtype_meant(right);
  return (x && y && *x == *y) == (op == "==");
}

/// Members of several enumerations are not the same, nor is one equal to a number where its class has none.
std::optional<bool> compare_members(std::string_view op, const Type& left, const Type& right) {
  if (!left.is_scalar() || !right.is_scalar() || left->names == right->names) return {};
  const bool is_identity = op == "is" || op == "is not", are_members = is_member(left) && is_member(right);
  if (is_identity && are_members) return op == "is not";
  if ((op == "==" || op == "!=") && (is_plain_member(left) || is_plain_member(right))) return op == "!=";
  return {};
}

/// Whether both are None, or both are there and equal.
ir::Value equal_or_none(Lowering& l, const Node& node, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  const auto is_there = [&l](const Item& item) {
    if (item.type->kind == TypeKind::optional) return item.values[0];
    return l.b.constant(Scalar::of_bool(item.type->kind != TypeKind::none));
  };
  const auto value = [](const Item& item) { return item.type->kind == TypeKind::optional ? held(item) : item; };
  const ir::Value x = is_there(left), y = is_there(right);
  const Item a = value(left), c = value(right);
  const bool is_none = a.type->kind == TypeKind::none || c.type->kind == TypeKind::none;
  const ir::Value neither = both(l, b.bit_not(x), b.bit_not(y));
  return is_none ? neither : b.bit_or(neither, both(l, both(l, x, y), compare(l, node, "==", a, c)));
}

/// A number that is no integer is in no range; what is no number neither.
ir::Value is_in_range(Lowering& l, const Node& node, const Item& value, const Item& range) {
  ir::Builder& b = l.b;
  if (!value.type.is_scalar()) return b.constant(Scalar::of_bool(false));
  if (!is_integer(value.type->dtype) && !is_boolean(value.type->dtype)) {
    const Item whole = l.scalar(b.cast(b.real(value.values[0]), DType::int64));
    return b.bit_and(is_in_range(l, node, whole, range), compare(l, node, "==", whole, value));
  }
  const auto [lower, upper, step] = range_of(range);
  const ir::Value zero = b.constant(DType::int64, 0), x = l.cast(value, DType::int64);
  const ir::Value up = b.bit_and(b.le(lower, x), b.lt(x, upper)), down = b.bit_and(b.le(x, lower), b.lt(upper, x));
  const ir::Value hits = b.eq(b.binary(Opcode::floor_mod, b.sub(x, lower), step), zero);
  return b.bit_and(b.select(b.lt(step, zero), down, up), hits);
}

/// Whether both are the same elements in the same order, which is what arrays are in functions.
ir::Value is_same_array(Lowering& l, const Node& node, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  if (left.type->dtype != right.type->dtype || left.type->axes != right.type->axes)
    return b.constant(Scalar::of_bool(false));
  const ArrayView x = view_of(l, left), y = view_of(l, right);
  ir::Value same = b.eq(first_address(l, node, left), first_address(l, node, right));
  const auto add = [&](std::span<const ir::Value> of_left, std::span<const ir::Value> of_right) {
    for (size_t k = 0; k < of_left.size(); ++k) same = b.bit_and(same, b.eq(of_left[k], of_right[k]));
  };
  add(shape_of(l, left).values, shape_of(l, right).values);
  add(strides_of(l, x), strides_of(l, y));
  return same;
}

// a < b < c: the middle is evaluated once, and what follows only if all before it holds.
ir::Value lower_chain(Lowering& l, const Node& node, size_t k, const Item& left) {
  ir::Builder& b = l.b;
  const Item right = l.lower(node.operands[k + 1]);
  const ir::Value first = compare(l, node, node.names[k], left, right);
  if (k + 1 == node.names.size()) return first;
  const auto rest = std::span(node.operands).subspan(k + 2);
  if (std::ranges::all_of(rest, [&](const Node& operand) { return is_cheap(l, operand); }))
    return both(l, first, lower_chain(l, node, k + 1, right));
  return b.if_(
      first, [&](auto) { return std::vector{lower_chain(l, node, k + 1, right)}; },
      [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; })[0];
}

Item compared(Lowering& l, const Node& node, const Item& left, const Item& right) {
  const bool looks_inside = node.names[0] == "in" || node.names[0] == "not in";
  if (!looks_inside && (left.type.is_array_like() || right.type.is_array_like()))
    return apply_op(l, node, array_op(node.names[0]), {left, right});
  if (!looks_inside)
    if (const auto each = ask_values(&ValueRules::compare_elements, l, node, node.names[0], left, right)) return *each;
  return l.scalar(compare(l, node, node.names[0], left, right));
}

}  // namespace

ir::Value truth(Lowering& l, const Node& node, const Item& item) {
  ir::Builder& b = l.b;
  switch (item.type->kind) {
    case TypeKind::none: return b.constant(Scalar::of_bool(false));
    case TypeKind::optional: return both(l, item.values[0], truth(l, node, held(item)));
    case TypeKind::range: return b.ne(count_range(l, range_of(item)), b.constant(DType::int64, 0));
    case TypeKind::tuple: {
      if (!is_own(item)) return b.constant(Scalar::of_bool(!item.type->elements.empty()));
      if (const auto holds = overloaded_operator(l, node, "builtins.bool", {item})) return truth(l, node, *holds);
      return truth(l, node, own_special_method(l, node, "__truth__", {item}));
    }
    case TypeKind::scalar: {
      if (is_boolean(item.type->dtype)) return item.values[0];
      return b.ne(item.values[0], b.zero_like(item.values[0]));
    }
    default:
      if (item.type.is_array_like() && item.type->axes == 0) return truth(l, node, element_of(l, item, {}));
      if (const auto holds = ask_values(&ValueRules::truth, l, node, item)) return *holds;
      if (const auto length = ask_values(&ValueRules::length, l, node, item)) return b.ne(*length, l.number(0));
      l.fail(node, format("{} is neither true nor false", describe(item.type)), advice(item.type));
  }
}

namespace {

/// The type in which an operator on bits computes.
DType bitwise_dtype(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  const DType x = left.type->dtype, y = right.type->dtype;
  const bool shift = op == "<<" || op == ">>";
  if (is_boolean(x) && is_boolean(y) && !shift) return DType::boolean;
  if (is_floating(promote(x, y)) && !(is_integer(x) && is_integer(y)))
    l.fail(node, format("{} is not defined for {} and {}", op, x, y), "integers, such as int(x)");
  if (is_complex(x) || is_complex(y)) l.fail(node, format("{} is not defined for {} and {}", op, x, y));
  if (!shift && keeps_unsigned(node, left, right)) return DType::uint64;
  return shift ? integer_dtype(x, x) : integer_dtype(x, y);
}

/// A divisor that is zero raises.
void check_divisor(Lowering& l, const Node& node, std::string_view op, ir::Value divisor) {
  const DType in = l.b.type(divisor);
  const std::string_view text = is_complex(in)   ? "complex division by zero"
                                : op == "%"      ? is_integer(in) ? "integer modulo by zero" : "float modulo by zero"
                                : is_integer(in) ? "division by zero"
                                : op == "/"      ? "float division by zero"
                                                 : "float floor division by zero";
  if (!l.facts.is_never_zero(divisor))
    l.failures.raise_if(node, l.b.eq(divisor, l.b.zero_like(divisor)), ExceptionNumber::zero_division_error, text);
}

/// Whether NumPy, too, computes the power of an array by a product.
bool is_square(const Lowering& l, const Item& base, const Item& exponent) {
  if (!base.type.is_array_like() || !exponent.type.is_scalar()) return false;
  const Scalar* known = l.constant_of(exponent);
  if (!known || is_complex(known->dtype) || is_boolean(known->dtype)) return false;
  const DType in = base.type->dtype;
  if (in != DType::float64 && !(in == DType::float32 && is_integer(known->dtype))) return false;
  return is_floating(known->dtype) ? known->as_complex().real() == 2.0 : known->as_int() == 2;
}

/// Small constant exponents are products.
Item power(Lowering& l, const Item& base, const Item& exponent, DType in) {
  constexpr int64_t most = 64;
  const DType x = base.type->dtype;
  const Scalar* known = l.constant_of(exponent);
  if (known && is_integer(known->dtype) && std::abs(known->as_int()) <= most) {
    const DType as = is_floating(x) || is_complex(x) ? x : integer_dtype(x, x);
    if (!is_integer(as) || known->as_int() >= 0)
      return l.scalar(constant_power(l.b, l.cast(base, as), known->as_int()));
  }
  const DType as = is_floating(x) && is_integer(exponent.type->dtype) ? x : in;
  return l.scalar(l.b.binary(Opcode::pow, l.cast(base, as), l.cast(exponent, as)));
}

}  // namespace

Item binary(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  if (const std::optional<Item> result = ask_values(&ValueRules::binary, l, node, op, left, right)) return *result;
  if (op == "+" && left.type->kind == TypeKind::tuple && right.type->kind == TypeKind::tuple) {
    std::vector<Item> parts;
    for (const Item& side : {left, right})
      for (size_t k = 0; k < side.type->elements.size(); ++k) parts.push_back(element(side, k));
    return joined_of({.kind = TypeKind::tuple, .is_list = left.type->is_list && right.type->is_list}, parts);
  }
  if (op == "@") return matrix_product(l, node, left, right);
  if (const std::optional<Item> small = beside_unsigned(l, left, right)) return binary(l, node, op, *small, right);
  if (const std::optional<Item> small = beside_unsigned(l, right, left)) return binary(l, node, op, left, *small);
  if (op == "**" && is_square(l, left, right)) return apply_op(l, node, "square", {left});
  if ((left.type.is_array_like() || right.type.is_array_like()) && !array_op(op).empty())
    return apply_op(l, node, array_op(op), {left, right});
  for (const Item* side : {&left, &right}) {
    if (!side->type.is_scalar()) {
      l.fail(node, format("{} is not defined for {} and {}", op, describe(left.type), describe(right.type)),
             advice(side->type));
    }
  }
  const DType x = left.type->dtype, y = right.type->dtype;
  const auto apply = [&](Opcode opcode, DType in) {
    return l.scalar(b.binary(opcode, l.cast(left, in), l.cast(right, in)));
  };
  if (const auto opcode = find_opcode(bit_opcodes, op)) return apply(*opcode, bitwise_dtype(l, node, op, left, right));
  const DType in = arithmetic_dtype(x, y);
  if (l.options.raises_on_zero && (op == "/" || op == "//" || op == "%")) check_divisor(l, node, op, l.cast(right, in));
  if (op == "%" && in == DType::int64)
    if (const std::optional<ir::Value> rest = remainder_within(l, l.cast(left, in), l.cast(right, in)))
      return l.scalar(*rest);
  if (op == "/") return apply(Opcode::div, is_integer(in) ? DType::float64 : in);
  if (op == "**") return power(l, left, right, in);
  const auto opcode = find_opcode(arithmetic_opcodes, op);
  if (!opcode) l.refuse(node, format("the operator {} is not part of kernels", op));
  if (is_complex(in) && (op == "//" || op == "%")) l.fail(node, format("{} is not defined for complex numbers", op));
  return apply(*opcode, in);
}

Item unary(Lowering& l, const Node& node, std::string_view op, const Item& item) {
  ir::Builder& b = l.b;
  if (op == "not") return l.scalar(b.bit_not(truth(l, node, item)));
  if (const std::optional<Item> result = ask_values(&ValueRules::unary, l, node, op, item)) return *result;
  if (item.type.is_array_like())
    return apply_op(l, node, op == "-" ? "negative" : op == "~" ? "invert" : "positive", {item});
  if (!item.type.is_scalar())
    l.fail(node, format("{} is not defined for {}", op, describe(item.type)), advice(item.type));
  const DType from = item.type->dtype;
  const DType wide = is_floating(from) || is_complex(from) ? from : integer_dtype(from, from);
  if (op == "~") {
    if (!is_integer(wide)) l.fail(node, format("~ is not defined for {}", from), "an integer, such as int(x)");
    if (is_boolean(from)) return l.scalar(b.bit_not(item.values[0]));
    // Of unsigned ones the bits that the type has.
    return l.scalar(b.cast(b.bit_not(item.values[0]), wide));
  }
  if (op == "-" && is_unsigned_integer(from)) return l.scalar(b.cast(b.neg(item.values[0]), wide));
  const ir::Value value = l.cast(item, wide);
  return l.scalar(op == "-" ? b.neg(value) : value);
}

Item lower_unary(Lowering& l, const Node& node) { return unary(l, node, node.name, l.lower(node.operands[0])); }

/// Of tuples: the first elements that differ decide, else the lengths do.
ir::Value compare_in_order(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  const size_t of_left = left.type->elements.size(), of_right = right.type->elements.size();
  const bool is_less = op[0] == '<', or_equal = op.size() == 2;
  const bool is_decided = is_less ? of_left < of_right : of_left > of_right;
  ir::Value result = b.constant(Scalar::of_bool(is_decided || (or_equal && of_left == of_right)));
  for (size_t k = std::min(of_left, of_right); k-- > 0;) {
    const Item x = element(left, k), y = element(right, k);
    const ir::Value same = equal_elements(l, node, x, y);
    result = b.bit_or(compare(l, node, op.substr(0, 1), x, y), both(l, same, result));
  }
  return result;
}

namespace {

/// The same where nothing has decided yet; methods of objects are asked only then.
ir::Value equal_unless(Lowering& l, const Node& node, ir::Value decided, const Item& left, const Item& right) {
  if (left.type->kind != TypeKind::object || right.type->kind != TypeKind::object || l.constant_of(l.scalar(decided)))
    return equal_elements(l, node, left, right);
  const auto no = [&](auto) { return std::vector{l.b.constant(Scalar::of_bool(false))}; };
  const auto ask = [&](auto) {
    ++l.frame->depth;
    const ir::Value equal = equal_elements(l, node, left, right);
    --l.frame->depth;
    return std::vector{equal};
  };
  return l.b.if_(decided, no, ask)[0];
}

/// `is` and `is not`.
ir::Value compare_identity(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  const auto is_whole = [](const Item& item) {
    return item.type.is_scalar() && (is_integer(item.type->dtype) || is_boolean(item.type->dtype));
  };
  const bool are_tuples = left.type->kind == TypeKind::tuple && left.type == right.type;
  if (left.type.is_entity(EntityKind::ellipsis) && right.type.is_entity(EntityKind::ellipsis))
    return b.constant(Scalar::of_bool(op == "is"));
  for (const auto& [one, other] : {std::pair(&left, &right), std::pair(&right, &left)})
    if (one->type->kind == TypeKind::optional && other->type->kind == TypeKind::none)
      return op == "is" ? b.bit_not(one->values[0]) : one->values[0];
  // A text is no number, and a float is neither True nor False.
  const auto is_truth = [](const Item& item) { return item.type.is_scalar() && is_boolean(item.type->dtype); };
  for (const auto& [one, other] : {std::pair(&left, &right), std::pair(&right, &left)})
    if ((is_text(one->type) && other->type.is_scalar()) ||
        (is_truth(*one) && other->type.is_scalar() && !is_whole(*other)))
      return b.constant(Scalar::of_bool(op == "is not"));
  if (left.type.is_array() && right.type.is_array() && l.options.is_function) {
    const ir::Value same = is_same_array(l, node, left, right);
    return op == "is" ? same : b.bit_not(same);
  }
  // Members of enumerations, which are what their values are, True and False.
  if ((is_whole(left) && is_whole(right)) || are_tuples) return compare(l, node, op == "is" ? "==" : "!=", left, right);
  if (left.type->kind != TypeKind::none && right.type->kind != TypeKind::none)
    l.refuse(node, "`is` compares with None only", "== or !=");
  return b.constant(Scalar::of_bool((left.type->kind == right.type->kind) == (op == "is")));
}

/// Whether the value is in what is on the right of `in`.
ir::Value contains(Lowering& l, const Node& node, const Item& value, const Item& of) {
  ir::Builder& b = l.b;
  if (of.type->kind == TypeKind::range) return is_in_range(l, node, value, of);
  if (of.type.is_array_like()) {
    const Item equal = apply_op(l, node, "equal", {value, of});
    const Item none = l.scalar(b.constant(Scalar::of_bool(false)));
    const auto either = [&l](const Item& x, const Item& y) { return l.scalar(l.b.bit_or(x.values[0], y.values[0])); };
    return reduce(l, equal, none, either).values[0];
  }
  if (of.type->kind != TypeKind::tuple) l.refuse(node, format("`in` looks into tuples, not {}", describe(of.type)));
  ir::Value found = b.constant(Scalar::of_bool(false));
  for (size_t k = 0; k < of.type->elements.size(); ++k)
    found = b.bit_or(found, equal_unless(l, node, found, value, element(of, k)));
  return found;
}

}  // namespace

ir::Value compare(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  if (const std::optional<ir::Value> known = ask_values(&ValueRules::compare, l, node, op, left, right)) return *known;
  // Kernels are launched with values in place of members.
  const bool has_members = l.options.is_function || (is_member(left.type) && is_member(right.type));
  if (const std::optional<bool> same = compare_members(op, left.type, right.type); same && has_members)
    return b.constant(Scalar::of_bool(*same));
  if (op == "is" || op == "is not") return compare_identity(l, node, op, left, right);
  const bool is_optional = left.type->kind == TypeKind::optional || right.type->kind == TypeKind::optional;
  if (is_optional && (op == "==" || op == "!=")) {
    const ir::Value same = equal_or_none(l, node, left, right);
    return op == "==" ? same : b.bit_not(same);
  }
  if (op == "in" || op == "not in") {
    const ir::Value found = contains(l, node, left, right);
    return op == "in" ? found : b.bit_not(found);
  }
  if (const std::optional<bool> known = compare_dtypes(op, left.type, right.type))
    return b.constant(Scalar::of_bool(*known));
  if (const std::optional<bool> known = compare_known(op, left.type, right.type))
    return b.constant(Scalar::of_bool(*known));
  const bool are_tuples = left.type->kind == TypeKind::tuple && right.type->kind == TypeKind::tuple;
  if (are_tuples && op != "==" && op != "!=") return compare_in_order(l, node, op, left, right);
  const Opcode opcode = *find_opcode(comparison_opcodes, op);
  if (left.type->kind == TypeKind::tuple && right.type->kind == TypeKind::tuple && (op == "==" || op == "!=")) {
    const bool alike = left.type->elements.size() == right.type->elements.size();
    ir::Value same = b.constant(Scalar::of_bool(alike));
    for (size_t k = 0; alike && k < left.type->elements.size(); ++k)
      same = both(l, same, equal_unless(l, node, b.bit_not(same), element(left, k), element(right, k)));
    return op == "==" ? same : b.bit_not(same);
  }
  for (const Item* side : {&left, &right}) {
    if (!side->type.is_scalar()) {
      l.fail(node, format("{} does not compare {} and {}", op, describe(left.type), describe(right.type)),
             advice(side->type));
    }
  }
  return compare_numbers(b, opcode, left.values[0], right.values[0]);
}

ir::Value equal_elements(Lowering& l, const Node& node, const Item& left, const Item& right) {
  const auto may_be = [](const Item& item) { return item.type->kind == TypeKind::optional ? held(item) : item; };
  const Item x = may_be(left), y = may_be(right);
  if (x.type->kind != TypeKind::object || y.type->kind != TypeKind::object) return compare(l, node, "==", left, right);
  const auto yes = [&](auto) { return std::vector{l.b.constant(Scalar::of_bool(true))}; };
  const auto ask = [&](auto) {
    ++l.frame->depth;
    const ir::Value equal = compare(l, node, "==", left, right);
    --l.frame->depth;
    return std::vector{equal};
  };
  // Of one that is None the address is 0.
  return l.b.if_(l.b.eq(x.values[0], y.values[0]), yes, ask)[0];
}

Item lower_compare(Lowering& l, const Node& node) {
  if (node.names.size() == 1 && (node.names[0] == "is" || node.names[0] == "is not")) {
    const Item left = l.lower_optional(node.operands[0]);
    return l.scalar(compare(l, node, node.names[0], left, l.lower_optional(node.operands[1])));
  }
  if (node.names.size() == 1 && (node.names[0] == "==" || node.names[0] == "!=")) {
    const Item left = l.lower_optional(node.operands[0]), right = l.lower_optional(node.operands[1]);
    if (left.type->kind == TypeKind::optional || right.type->kind == TypeKind::optional)
      return l.scalar(compare(l, node, node.names[0], left, right));
    return compared(l, node, left, right);
  }
  const Item left = l.lower(node.operands[0]);
  if (node.names.size() > 1 || array_op(node.names[0]).empty()) return l.scalar(lower_chain(l, node, 0, left));
  return compared(l, node, left, l.lower(node.operands[1]));
}

namespace {

/// Of values of packages' own types that stand for arrays: what the op makes of these, as a value of the first's type.
std::optional<Item> apply_to_own(Lowering& l, const Node& node, std::string_view op, std::vector<Item> operands) {
  const auto own = std::ranges::find_if(operands, is_own);
  if (own == operands.end()) return {};
  const Item first = *own;
  for (Item& operand : operands)
    if (is_own(operand)) {
      const std::optional<Item> array = overloaded_operator(l, node, "own.array", {operand});
      if (!array) return {};
      operand = *array;
    }
  return overloaded_operator(l, node, "own.wrap", {first, apply_op(l, node, op, operands)});
}

}  // namespace

namespace {

/// The op's loop for operands of these types; an error of the user's where there is none.
const ops::Signature& resolve(Lowering& l, const Node& node, const ops::Op& op, std::span<const Item> operands) {
  std::vector<ops::OperandType> types;
  for (const Item& operand : operands) types.push_back({operand.type->dtype});
  if (types.size() != op.nin) l.fail(node, format("{} takes {} arguments, not {}", op.name, int{op.nin}, types.size()));
  try {
    return ops::resolve(op, types);
  } catch (const TypeError& error) {
    l.fail(node, error.what());
  }
}

/// Beside arrays of floating-point numbers, integers that are no arrays compute as those do, where they become such
/// numbers at all, as in Numba: an array of float32 times 2 is one of float32. Half precision, which Numba does not
/// have, follows NumPy's rule for two arrays.
std::vector<Item> with_integers_as_floats(Lowering& l, const Node& node, const ops::Op& op,
                                          std::vector<Item> operands) {
  const auto is_integer_alone = [](const Item& operand) {
    return operand.type.is_scalar() && is_integer(operand.type->dtype) && !operand.type->unit;
  };
  if (std::ranges::none_of(operands, is_integer_alone)) return operands;
  std::optional<DType> in;
  std::vector<Item> elements;
  for (const Item& operand : operands) {
    const bool is_array = operand.type.is_array_like();
    if (!is_array && !operand.type.is_scalar()) return operands;
    elements.push_back(is_array ? l.zero(element_type_of(operand.type)) : operand);
    if (!elements.back().type.is_scalar() || elements.back().type->unit) return operands;
    const DType own = elements.back().type->dtype;
    if (own == DType::float16) return operands;
    if (is_array && (is_floating(own) || is_complex(own))) in = in ? promote(*in, own) : own;
  }
  if (!in) return operands;
  const ops::Signature& loop = resolve(l, node, op, elements);
  for (size_t k = 0; k < operands.size(); ++k)
    if (is_integer_alone(operands[k]) && !is_integer(loop.in[k])) operands[k] = l.scalar(l.cast(operands[k], *in));
  return operands;
}

}  // namespace

Item apply_op(Lowering& l, const Node& node, std::string_view op, const std::vector<Item>& operands) {
  const ops::Op* found = ops::OpTable::standard().find(op);
  invariant(found != nullptr, "kernel: there is no op {}", op);
  if (const std::optional<Item> result = apply_to_own(l, node, op, operands)) return *result;
  for (const Item& operand : operands)
    if (operand.type.is_array_like())
      return elementwise(
          l, node, with_integers_as_floats(l, node, *found, operands),
          [&l, &node, op](const std::vector<Item>& elements) { return apply_op(l, node, op, elements); });
  if (const std::optional<Item> result = ask_values(&ValueRules::apply, l, node, op, operands)) return *result;
  for (const Item& operand : operands)
    if (!operand.type.is_scalar())
      l.fail(node, format("{} is not defined for {}", op, describe(operand.type)), advice(operand.type));
  const ops::Signature* loop = &resolve(l, node, *found, operands);
  std::vector<ir::Value> in, out(found->nout);
  for (size_t k = 0; k < operands.size(); ++k) in.push_back(l.cast(operands[k], loop->in[k]));
  found->body(l.b, in, out);
  if (out.size() == 1) return l.scalar(out[0]);
  std::vector<Item> results;
  for (ir::Value value : out) results.push_back(l.scalar(value));
  return tuple_of(results);
}

}  // namespace tessera::kernel
