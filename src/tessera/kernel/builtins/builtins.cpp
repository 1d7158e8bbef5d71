#include "tessera/kernel/builtins/builtins.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/ops/op.h"

namespace tessera::kernel {

namespace {

// The array of the results, where one is passed, is filled.
Item store_in(Lowering& l, const Builtin& self, const Call& call, const Item& out, const Item& result) {
  if (out.type->kind == TypeKind::none) return result;
  if (!out.type.is_array())
    l.fail(call.node, format("the result of {} is stored in {}", self.op, describe(out.type)), "an array");
  store(l, call.node, view_of(l, out), result);
  return out;
}

Item lower_op(Lowering& l, const Builtin& self, const Call& call) {
  const Item result = apply_op(l, call.node, self.op, {call.args.begin(), call.args.end() - 1});
  return store_in(l, self, call, call.args.back(), result);
}

// A limit may be None.
Item lower_clip(Lowering& l, const Builtin& self, const Call& call) {
  const Item &x = call.args[0], &low = call.args[1], &high = call.args[2];
  const bool has_low = low.type->kind != TypeKind::none, has_high = high.type->kind != TypeKind::none;
  Item result = x;
  if (has_low && has_high)
    result = apply_op(l, call.node, "clip", {x, low, high});
  else if (has_low)
    result = apply_op(l, call.node, "maximum", {x, low});
  else if (has_high)
    result = apply_op(l, call.node, "minimum", {x, high});
  else
    return by_numpy(l, self, call, "clip without limits in a kernel");
  return store_in(l, self, call, call.args.back(), result);
}

/// Of several results, each of which may be stored in an array that is passed.
Item lower_outputs(Lowering& l, const Builtin& self, const Call& call) {
  const auto operands = call.args.begin() + ops::OpTable::standard().find(self.op)->nin;
  const Item result = apply_op(l, call.node, self.op, {call.args.begin(), operands});
  const std::span<const Item> outs(operands, call.args.end());
  const auto is_given = [](const Item& out) { return out.type->kind != TypeKind::none; };
  if (std::ranges::none_of(outs, is_given)) return result;
  // All are computed before one is stored: its array may be an operand, too.
  std::vector<Item> made;
  for (size_t k = 0; k < outs.size(); ++k) made.push_back(l.in_memory(call.node, element(result, k)));
  for (size_t k = 0; k < outs.size(); ++k) made[k] = store_in(l, self, call, outs[k], made[k]);
  return tuple_of(made);
}

/// The parameters of a function of n operands with two results.
constexpr std::string_view names_with_outputs[] = {"", "x out1= out2=", "x1 x2 out1= out2=", "x1 x2 x3 out1= out2="};

constexpr std::string_view names_with_output[] = {"out=", "x out=", "x1 x2 out=", "x1 x2 x3 out="};

std::map<std::string_view, Builtin> make_table() {
  std::vector<Builtin> all;
  add_thread_builtins(all);
  add_warp_builtins(all);
  add_array_builtins(all);
  add_creation_builtins(all);
  add_atomic_builtins(all);
  add_bit_builtins(all);
  add_python_builtins(all);
  add_operator_builtins(all);
  add_reduction_builtins(all);
  add_complex_builtins(all);
  add_math_builtins(all);
  add_half_builtins(all);
  add_libdevice_builtins(all);
  add_vector_builtins(all);
  add_foreign_builtins(all);
  add_called_address_builtins(all);
  add_host_builtins(all);
  add_shape_builtins(all);
  add_view_builtins(all);
  add_list_builtins(all);
  add_table_builtins(all);
  add_date_builtins(all);
  add_object_builtins(all);
  all.push_back({"numpy.clip", "a a_min= a_max= out=", lower_clip, "clip"});
  all.push_back({"array.clip", "a min= max= out=", lower_clip, "clip"});
  std::map<std::string_view, Builtin> table;
  for (const Builtin& builtin : all) table.emplace(builtin.name, builtin);
  static std::deque<std::string> names;
  for (const ops::Op& op : ops::OpTable::standard()) {
    if (op.kind == ops::OpKind::hidden || op.counts || op.nin > 3) continue;
    const std::string_view room = op.kind == ops::OpKind::map ? "numpy." : "special.";
    names.push_back(std::string(room) + std::string(op.name));
    const bool single = op.nout == 1;
    table.emplace(names.back(), Builtin{.name = names.back(),
                                        .parameters = (single ? names_with_output : names_with_outputs)[op.nin],
                                        .lower = single ? lower_op : lower_outputs,
                                        .op = op.name});
  }
  return table;
}

const std::map<std::string_view, Builtin>& builtins() {
  static const std::map<std::string_view, Builtin> table = make_table();
  return table;
}

}  // namespace

std::optional<DType> dtype_named(std::string_view text) {
  if (const std::optional<DType> known = dtype_from_name(text)) return known;
  if (text.size() == 1) return dtype_from_code(text[0]);
  using enum DType;
  constexpr std::pair<std::string_view, DType> others[] = {
      {"b1", boolean},         {"i1", int8},           {"i2", int16},
      {"i4", int32},           {"i8", int64},          {"u1", uint8},
      {"u2", uint16},          {"u4", uint32},         {"u8", uint64},
      {"f2", float16},         {"f4", float32},        {"f8", float64},
      {"c8", complex64},       {"c16", complex128},    {"bool_", boolean},
      {"byte", int8},          {"ubyte", uint8},       {"short", int16},
      {"ushort", uint16},      {"intc", int32},        {"uintc", uint32},
      {"int_", int64},         {"int", int64},         {"uint", uint64},
      {"intp", int64},         {"uintp", uint64},      {"longlong", int64},
      {"ulonglong", uint64},   {"half", float16},      {"single", float32},
      {"double", float64},     {"float", float64},     {"csingle", complex64},
      {"cdouble", complex128}, {"complex", complex128}};
  if (text.starts_with('<') || text.starts_with('=') || text.starts_with('|')) text.remove_prefix(1);
  const auto found = std::ranges::find(others, text, &std::pair<std::string_view, DType>::first);
  return found == std::end(others) ? std::nullopt : std::optional(found->second);
}

std::optional<DType> dtype_meant(const Type& type) {
  if (type->kind != TypeKind::entity) return {};
  const Entity& entity = type->entity;
  if (entity.kind == EntityKind::dtype) return entity.value.dtype;
  if (entity.kind == EntityKind::text) return dtype_named(entity.name);
  if (entity.kind != EntityKind::builtin) return {};
  if (entity.name == "builtins.int") return DType::int64;
  if (entity.name == "builtins.float") return DType::float64;
  if (entity.name == "builtins.bool") return DType::boolean;
  if (entity.name == "builtins.complex") return DType::complex128;
  return {};
}

std::optional<Type> type_meant(const Type& type) {
  if (type.is_entity(EntityKind::type)) return type_of_number(type->entity.value.as_int());
  if (type.is_entity(EntityKind::builtin) && type->entity.name == "builtins.str")
    return TypeParts{.kind = TypeKind::string};
  const std::optional<DType> dtype = type.is_entity(EntityKind::text) ? std::nullopt : dtype_meant(type);
  return dtype ? std::optional(Type::scalar(*dtype)) : std::nullopt;
}

Item dtype_object(DType dtype) {
  Entity entity{.kind = EntityKind::dtype, .name = "dtype"};
  entity.value.dtype = dtype;
  return {Type::of_entity(entity), {}};
}

Item by_numpy(Lowering& l, const Builtin& self, const Call& call, const std::string& text) {
  const std::shared_ptr<const HostObject> function = l.environment.host_method(std::string(self.name));
  if (!l.options.is_function || !function) l.fail(call.node, text);
  std::vector<Item> arguments;
  std::vector<std::string> names;
  std::istringstream parameters{std::string(self.parameters)};
  for (const Item& argument : call.args) {
    std::string name;
    parameters >> name;
    if (name.ends_with('=')) name.pop_back();
    const size_t place = static_cast<size_t>(&argument - call.args.data());
    if (!call.given[place]) continue;
    if (!names.empty() || arguments.size() < place) names.push_back(name);
    arguments.push_back(argument);
  }
  return l.host_calls.call_object(call.node, function, self.name, arguments, names);
}

const Item& array_argument(Lowering& l, const Builtin& self, const Call& call) {
  if (!call.args[0].type.is_array_like())
    l.fail(call.node, format("{} takes an array, not {}", self.name, describe(call.args[0].type)));
  return call.args[0];
}

const Builtin* find_builtin(std::string_view name) {
  const auto found = builtins().find(name);
  return found == builtins().end() ? nullptr : &found->second;
}

std::vector<std::string_view> builtin_names(std::string_view prefix) {
  std::vector<std::string_view> names;
  for (const auto& [name, builtin] : builtins())
    if (name.starts_with(prefix)) names.push_back(name);
  return names;
}

}  // namespace tessera::kernel
