#include "tessera/kernel/builtins.h"

#include <deque>
#include <map>
#include <string>

#include "tessera/ops/op.h"

namespace tessera::kernel {

namespace {

// The last argument is the array of the results, which is filled.
Item store_in(Lowering& l, const Builtin& self, const Call& call, const Item& result) {
  const Item& out = call.args.back();
  if (out.type.kind == TypeKind::none) return result;
  if (!out.type.is_array())
    l.fail(call.node, format("the result of {} is stored in {}", self.op, describe(out.type)), "an array");
  l.store(call.node, l.view_of(out), result);
  return out;
}

Item lower_op(Lowering& l, const Builtin& self, const Call& call) {
  return store_in(l, self, call, l.apply_op(call.node, self.op, {call.args.begin(), call.args.end() - 1}));
}

// A limit may be None.
Item lower_clip(Lowering& l, const Builtin& self, const Call& call) {
  const Item &x = call.args[0], &low = call.args[1], &high = call.args[2];
  const bool has_low = low.type.kind != TypeKind::none, has_high = high.type.kind != TypeKind::none;
  Item result = x;
  if (has_low && has_high)
    result = l.apply_op(call.node, "clip", {x, low, high});
  else if (has_low)
    result = l.apply_op(call.node, "maximum", {x, low});
  else if (has_high)
    result = l.apply_op(call.node, "minimum", {x, high});
  else
    l.fail(call.node, "clip without limits", "a_min or a_max, of which one may be None");
  return store_in(l, self, call, result);
}

Item lower_outputs(Lowering& l, const Builtin& self, const Call& call) {
  return l.apply_op(call.node, self.op, call.args);
}

/// The parameters of a function of n operands.
constexpr std::string_view operand_names[] = {"", "x", "x1 x2", "x1 x2 x3"};
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
  add_host_builtins(all);
  add_shape_builtins(all);
  add_list_builtins(all);
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
                                        .parameters = (single ? names_with_output : operand_names)[op.nin],
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
