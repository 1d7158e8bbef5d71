#include "tessera/kernel/values/date/date.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

using ir::Opcode;
using ir::Value;

Type dated(Unit unit) { return TypeParts{.kind = TypeKind::scalar, .dtype = DType::int64, .unit = unit}; }

Type element_type_of(const Type& array) { return array->unit ? dated(array->unit) : Type::scalar(array->dtype); }

Item with_unit(const Item& item, Unit unit) {
  if (item.type->unit == unit) return item;
  const auto changed = [unit](const auto& self, const Type& type) -> Type {
    TypeParts parts = *type;
    parts.unit = unit;
    for (Type& one : parts.elements) one = self(self, one);  // of one array or another
    return parts;
  };
  Item made = item;
  made.type = changed(changed, item.type);
  if (!item.computed) return made;
  Computed elements = *item.computed;
  elements.element = [of = item.computed->element, unit](std::span<const Value> at) { return with_unit(of(at), unit); };
  made.computed = std::make_shared<const Computed>(std::move(elements));
  return made;
}

Unit unit_meant(const Type& dtype) {
  if (dtype.is_entity(EntityKind::dtype)) return dtype->entity.unit;
  return dtype.is_entity(EntityKind::text) ? unit_named(dtype->entity.name) : Unit{0};
}

namespace {

constexpr int64_t days_to_1970 = 719468, days_in_400_years = 146097;  // from the first of March of the year 0

struct Words {
  Lowering& l;
  ir::Builder& b;
  Value number(int64_t value) const { return l.number(value); }
  Value add(Value x, int64_t by) const { return b.add(x, number(by)); }
  Value times(Value x, int64_t by) const { return b.mul(x, number(by)); }
  Value over(Value x, int64_t by) const { return b.binary(Opcode::floor_div, x, number(by)); }
  Value rest(Value x, int64_t by) const { return b.binary(Opcode::floor_mod, x, number(by)); }
  Value is_nat(Value x) const { return b.eq(x, number(not_a_time)); }
  Value nat_where(Value condition, Value x) const { return b.select(condition, number(not_a_time), x); }
  Value or_nat(Value of, Value x) const { return nat_where(is_nat(of), x); }
};

/// The days from 1970 to the first of a month, counted from January 1970. Years begin in March, which puts leap days
/// last.
Value days_of_months(const Words& w, Value months) {
  ir::Builder& b = w.b;
  const Value month = w.rest(months, 12);
  const Value before_march = b.lt(month, w.number(2));
  const Value of_year = w.add(w.over(months, 12), 1970);
  const Value year = b.select(before_march, w.add(of_year, -1), of_year);
  const Value era = w.over(year, 400), in_era = w.rest(year, 400);
  const Value since_march = w.rest(w.add(month, 10), 12);
  const Value day = w.over(w.add(w.times(since_march, 153), 2), 5);
  const Value leaps = b.sub(w.over(in_era, 4), w.over(in_era, 100));
  const Value of_era = b.add(b.add(w.times(in_era, 365), leaps), day);
  return w.add(b.add(w.times(era, days_in_400_years), of_era), -days_to_1970);
}

/// The month, counted from January 1970, in which a day is.
Value months_of_days(const Words& w, Value days) {
  ir::Builder& b = w.b;
  const Value shifted = w.add(days, days_to_1970);
  const Value era = w.over(shifted, days_in_400_years), day = w.rest(shifted, days_in_400_years);
  const Value leaps = b.sub(b.sub(w.over(day, 36524), w.over(day, 1460)), w.over(day, 146096));
  const Value year = w.over(b.add(day, leaps), 365);
  const Value before = b.sub(b.add(w.times(year, 365), w.over(year, 4)), w.over(year, 100));
  const Value since_march = w.over(w.add(w.times(b.sub(day, before), 5), 2), 153);
  const Value years = b.add(w.add(w.times(era, 400), -1970), year);
  return b.add(w.times(years, 12), w.add(since_march, 2));
}

bool is_calendar(TimeUnit unit) { return unit <= TimeUnit::month; }

/// Between units with a common measure.
Value rescaled(const Words& w, Value x, TimeUnit from, TimeUnit to) {
  if (from == to) return x;
  return from < to ? w.times(x, units_in(from, to)) : w.over(x, units_in(to, from));
}

/// Of what is not NaT.
Value in_unit(const Words& w, Value x, TimeUnit from, TimeUnit to) {
  if (have_common_measure(from, to)) return rescaled(w, x, from, to);
  if (is_calendar(from))
    return rescaled(w, days_of_months(w, rescaled(w, x, from, TimeUnit::month)), TimeUnit::day, to);
  return rescaled(w, months_of_days(w, rescaled(w, x, from, TimeUnit::day)), TimeUnit::month, to);
}

bool is_dated(const Item& item) { return item.type.is_scalar() && item.type->unit != 0; }
bool is_span(const Item& item) { return is_dated(item) && is_of_spans(item.type->unit); }
bool is_date(const Item& item) { return is_dated(item) && is_of_dates(item.type->unit); }

[[noreturn]] void fail_between(Lowering& l, const Node& node, std::string_view op, const Item& left,
                               const Item& right) {
  l.fail(node, format("ufunc '{}' is not supported between {} and {}", op, describe(left.type), describe(right.type)),
         "operands of one kind of unit, as in x.astype('timedelta64[D]')");
}

/// NumPy's name of an operator.
std::string_view name_of(std::string_view op) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"+", "add"},           {"-", "subtract"},    {"*", "multiply"}, {"/", "true_divide"},
      {"//", "floor_divide"}, {"%", "remainder"},   {"==", "equal"},   {"!=", "not_equal"},
      {"<", "less"},          {"<=", "less_equal"}, {">", "greater"},  {">=", "greater_equal"}};
  const auto found = std::ranges::find(names, op, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(names) ? op : found->second;
}

/// The sum or difference, in the finer unit.
Item added(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  const Words w{l, l.b};
  const TimeUnit x = time_unit(left.type->unit), y = time_unit(right.type->unit);
  const bool is_plus = op == "+", are_spans = is_span(left) && is_span(right),
             are_dates = is_date(left) && is_date(right);
  if (are_dates && is_plus) fail_between(l, node, name_of(op), left, right);
  if (is_span(left) && is_date(right) && !is_plus) fail_between(l, node, name_of(op), left, right);
  const TimeUnit unit = finer_unit(x, y);
  if (are_spans && !have_common_measure(x, y)) fail_between(l, node, name_of(op), left, right);
  if (!are_spans && !are_dates && !have_common_measure(time_unit((is_span(left) ? left : right).type->unit), unit))
    fail_between(l, node, name_of(op), left, right);
  const Value a = convert_date(l, left, with_time_unit(left.type->unit, unit)).values[0];
  const Value c = convert_date(l, right, with_time_unit(right.type->unit, unit)).values[0];
  const Value sum = is_plus ? l.b.add(a, c) : l.b.sub(a, c);
  const bool gives_span = are_spans || are_dates;
  return {dated(gives_span ? unit_of_spans(unit) : unit_of_dates(unit)), {w.or_nat(a, w.or_nat(c, sum))}};
}

bool is_plain_number(const Item& item) {
  return item.type.is_scalar() && !item.type->unit && !is_complex(item.type->dtype);
}

Item multiplied(Lowering& l, const Item& span, const Item& by) {
  const Words w{l, l.b};
  const Value x = span.values[0];
  if (!is_floating(by.type->dtype)) return {span.type, {w.or_nat(x, l.b.mul(x, l.cast(by, DType::int64)))}};
  // What is not an int64 becomes NaT.
  const Value product = l.b.mul(l.b.cast(x, DType::float64), l.cast(by, DType::float64));
  return {span.type, {w.or_nat(x, l.b.cast(product, DType::int64))}};
}

/// A span by a number, truncated by `//` too: NaT where that is zero.
Item divided_by_number(Lowering& l, const Item& span, const Item& by) {
  const Words w{l, l.b};
  const Value x = span.values[0];
  if (is_floating(by.type->dtype)) {
    const Value ratio = l.b.div(l.b.cast(x, DType::float64), l.cast(by, DType::float64));
    return {span.type, {w.or_nat(x, l.b.cast(ratio, DType::int64))}};
  }
  const Value divisor = l.cast(by, DType::int64), zero = w.number(0);
  const Value is_zero = l.b.eq(divisor, zero);
  const Value whole = l.b.select(w.is_nat(x), zero, x), one = l.b.select(is_zero, w.number(1), divisor);
  const Value ratio = l.b.binary(Opcode::div, whole, one);
  return {span.type, {w.or_nat(x, w.nat_where(is_zero, ratio))}};
}

/// A span by a span: a float, an integer for `//`, or the rest.
Item divided_by_span(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  const Words w{l, l.b};
  ir::Builder& b = l.b;
  const TimeUnit x = time_unit(left.type->unit), y = time_unit(right.type->unit);
  if (!have_common_measure(x, y)) fail_between(l, node, name_of(op), left, right);
  const Unit unit = unit_of_spans(finer_unit(x, y));
  const Value a = convert_date(l, left, unit).values[0], c = convert_date(l, right, unit).values[0];
  const Value has_nat = b.bit_or(w.is_nat(a), w.is_nat(c));
  if (op == "/") {
    const Value ratio = b.div(b.cast(a, DType::float64), b.cast(c, DType::float64));
    const Scalar nan = Scalar::of_float(DType::float64, std::numeric_limits<double>::quiet_NaN());
    return l.scalar(b.select(has_nat, b.constant(nan), ratio));
  }
  const Value zero = w.number(0), is_undefined = b.bit_or(has_nat, b.eq(c, zero));
  const Value dividend = b.select(is_undefined, zero, a), divisor = b.select(is_undefined, w.number(1), c);
  if (op == "//") return l.scalar(b.binary(Opcode::floor_div, dividend, divisor));
  return {dated(unit), {w.nat_where(is_undefined, b.binary(Opcode::floor_mod, dividend, divisor))}};
}

}  // namespace

Item convert_date(Lowering& l, const Item& item, Unit to) {
  const Words w{l, l.b};
  const TimeUnit from = time_unit(item.type->unit), unit = time_unit(to);
  if (from == unit || from == TimeUnit::generic || unit == TimeUnit::generic) return {dated(to), item.values};
  const Value x = item.values[0];
  return {dated(to), {w.or_nat(x, in_unit(w, x, from, unit))}};
}

Item date_for(Lowering& l, const Node& node, const Item& item, Unit to) {
  if (is_dated(item) && is_of_spans(item.type->unit) == is_of_spans(to) &&
      (is_of_dates(to) || have_common_measure(time_unit(item.type->unit), time_unit(to))))
    return convert_date(l, item, to);
  const bool is_whole = item.type.is_scalar() && !item.type->unit && is_integer(item.type->dtype);
  if (is_whole && is_of_spans(to)) return {dated(to), {l.cast(item, DType::int64)}};
  l.fail(node, format("{} where {} is wanted", describe(item.type), name_of_unit(to)),
         format("a {}", name_of_unit(to)));
}

std::optional<Item> binary_of_dates(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                    const Item& right) {
  if (!is_dated(left) && !is_dated(right)) return {};
  if (is_dated(left) && is_dated(right)) {
    if (op == "+" || op == "-") return added(l, node, op, left, right);
    if (is_span(left) && is_span(right) && (op == "/" || op == "//" || op == "%"))
      return divided_by_span(l, node, op, left, right);
    fail_between(l, node, name_of(op), left, right);
  }
  if (is_span(left) && is_plain_number(right)) {
    if (op == "*") return multiplied(l, left, right);
    if (op == "/" || op == "//") return divided_by_number(l, left, right);
  }
  if (is_plain_number(left) && is_span(right) && op == "*") return multiplied(l, right, left);
  // As in NumPy an integer is a span of the date's unit.
  const auto whole = [&](const Item& item, const Item& beside) -> std::optional<Item> {
    if (!is_plain_number(item) || !is_integer(item.type->dtype)) return {};
    return Item{dated(unit_of_spans(time_unit(beside.type->unit))), {l.cast(item, DType::int64)}};
  };
  if (op == "+" || op == "-") {
    if (const auto span = is_dated(left) ? whole(right, left) : std::nullopt) return added(l, node, op, left, *span);
    if (const auto span = is_dated(right) ? whole(left, right) : std::nullopt) return added(l, node, op, *span, right);
  }
  fail_between(l, node, name_of(op), left, right);
}

std::optional<Item> unary_of_date(Lowering& l, const Node& node, std::string_view op, const Item& item) {
  if (!is_dated(item)) return {};
  if (!is_span(item)) l.fail(node, format("{} is not defined for {}", op, describe(item.type)));
  if (op == "+") return item;
  if (op == "-") return Item{item.type, {l.b.neg(item.values[0])}};  // that of NaT is NaT
  l.fail(node, format("{} is not defined for {}", op, describe(item.type)));
}

std::optional<Value> compare_dates(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                   const Item& right) {
  if (!is_dated(left) && !is_dated(right)) return {};
  constexpr std::pair<std::string_view, Opcode> opcodes[] = {{"==", Opcode::eq}, {"!=", Opcode::eq},
                                                             {"<", Opcode::lt},  {"<=", Opcode::le},
                                                             {">", Opcode::gt},  {">=", Opcode::ge}};
  const auto found = std::ranges::find(opcodes, op, &std::pair<std::string_view, Opcode>::first);
  const bool are_alike = is_dated(left) && is_dated(right) && is_span(left) == is_span(right);
  const TimeUnit x = is_dated(left) ? time_unit(left.type->unit) : TimeUnit::generic;
  const TimeUnit y = is_dated(right) ? time_unit(right.type->unit) : TimeUnit::generic;
  const bool is_equality = op == "==" || op == "!=";
  const bool is_measurable = !are_alike || !is_span(left) || have_common_measure(x, y);
  if (found == std::end(opcodes) || !are_alike || !is_measurable) {
    if (is_equality && is_measurable) return l.b.constant(Scalar::of_bool(op == "!="));
    fail_between(l, node, name_of(op), left, right);
  }
  const Words w{l, l.b};
  const Unit unit = with_time_unit(left.type->unit, finer_unit(x, y));
  const Value a = convert_date(l, left, unit).values[0], c = convert_date(l, right, unit).values[0];
  const Value are_times = l.b.bit_not(l.b.bit_or(w.is_nat(a), w.is_nat(c)));
  const Value holds = l.b.bit_and(l.b.compare(found->second, a, c), are_times);
  return op == "!=" ? l.b.bit_not(holds) : holds;
}

namespace {

/// The least or greatest of two; where one is NaT, that, or with `skips_nat` the other.
Item extreme(Lowering& l, const Node& node, bool is_max, bool skips_nat, const Item& left, const Item& right) {
  const std::optional<Type> type = unify(left.type, right.type);
  if (!type || !(*type)->unit) fail_between(l, node, is_max ? "maximum" : "minimum", left, right);
  const Words w{l, l.b};
  const Value a = convert_date(l, left, (*type)->unit).values[0], c = convert_date(l, right, (*type)->unit).values[0];
  const Value one = is_max ? l.b.max(a, c) : l.b.min(a, c);
  if (!skips_nat) return {*type, {w.or_nat(a, w.or_nat(c, one))}};
  return {*type, {l.b.select(w.is_nat(a), c, l.b.select(w.is_nat(c), a, one))}};
}

constexpr std::pair<std::string_view, std::string_view> operators[] = {
    {"add", "+"},           {"subtract", "-"},    {"multiply", "*"}, {"divide", "/"},
    {"floor_divide", "//"}, {"remainder", "%"},   {"equal", "=="},   {"not_equal", "!="},
    {"less", "<"},          {"less_equal", "<="}, {"greater", ">"},  {"greater_equal", ">="}};

Item apply_to_one(Lowering& l, const Node& node, std::string_view op, const Item& item) {
  const Words w{l, l.b};
  const Value x = item.values[0], zero = w.number(0);
  if (op == "isfinite") return l.scalar(l.b.bit_not(w.is_nat(x)));
  if (op == "isinf") return l.scalar(l.b.constant(Scalar::of_bool(false)));
  if (op == "isnan") return l.scalar(w.is_nat(x));
  if (op == "negative" || op == "positive") return *unary_of_date(l, node, op == "negative" ? "-" : "+", item);
  if (is_span(item) && op == "absolute") return {item.type, {l.b.select(l.b.lt(x, zero), l.b.neg(x), x)}};
  if (is_span(item) && op == "sign") {
    const Value sign = l.b.select(l.b.lt(x, zero), w.number(-1), l.b.select(l.b.eq(x, zero), zero, w.number(1)));
    return {item.type, {sign}};  // NumPy's NaT is negative
  }
  l.fail(node, format("ufunc '{}' is not supported for {}", op, describe(item.type)));
}

}  // namespace

std::optional<Item> apply_to_dates(Lowering& l, const Node& node, std::string_view op, const std::vector<Item>& items) {
  if (std::ranges::none_of(items, is_dated)) return {};
  if (items.size() == 1) return apply_to_one(l, node, op, items[0]);
  if (items.size() == 2) {
    const auto found = std::ranges::find(operators, op, &std::pair<std::string_view, std::string_view>::first);
    if (found != std::end(operators) && found - operators < 6)
      return *binary_of_dates(l, node, found->second, items[0], items[1]);
    if (found != std::end(operators)) return l.scalar(*compare_dates(l, node, found->second, items[0], items[1]));
    const bool is_max = op == "maximum" || op == "fmax", is_min = op == "minimum" || op == "fmin";
    if ((is_max || is_min) && is_dated(items[0]) && is_dated(items[1]))
      return extreme(l, node, is_max, op[0] == 'f', items[0], items[1]);
    fail_between(l, node, op, items[0], items[1]);
  }
  l.fail(node, format("ufunc '{}' is not supported for {}", op, describe(items[0].type)));
}

namespace {

bool are_numbers(const Item& left, const Item& right) { return left.type.is_scalar() && right.type.is_scalar(); }

std::optional<Item> binary_with_date(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                     const Item& right) {
  return are_numbers(left, right) ? binary_of_dates(l, node, op, left, right) : std::nullopt;
}

std::optional<Value> compare_with_date(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                       const Item& right) {
  const bool is_order = op[0] != 'i' && op[0] != 'n';  // neither `is` nor `in`
  return is_order && are_numbers(left, right) ? compare_dates(l, node, op, left, right) : std::nullopt;
}

std::optional<Item> convert_to_date(Lowering& l, const Item& item, const Type& type) {
  const bool is_one = item.type.is_scalar() && item.type->unit && type->unit;
  return is_one ? std::optional(convert_date(l, item, type->unit)) : std::nullopt;
}

}  // namespace

const ValueRules date_rules{.unary = unary_of_date,
                            .binary = binary_with_date,
                            .compare = compare_with_date,
                            .apply = apply_to_dates,
                            .builtin_of_arrays = call_builtin_of_dates,
                            .convert = convert_to_date};

}  // namespace tessera::kernel
