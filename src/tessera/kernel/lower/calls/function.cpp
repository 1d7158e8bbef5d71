#include "tessera/kernel/lower/calls/function.h"

#include <algorithm>

#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/result.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/types/conversion.h"
#include "tessera/kernel/values/function/chosen_function.h"

namespace tessera::kernel {

namespace {

bool is_call_of(const Node& node, const std::string& name) {
  return node.kind == NodeKind::call && node.operands[0].kind == NodeKind::name && node.operands[0].name == name;
}

/// Whether the value always needs that of a call.
bool calls(const Node& node, const std::string& name) {
  const auto inside = [&](const Node& one) { return calls(one, name); };
  if (node.kind == NodeKind::conditional) return calls(node.operands[1], name) && calls(node.operands[2], name);
  return is_call_of(node, name) || std::ranges::any_of(node.operands, inside) ||
         std::ranges::any_of(node.body, inside) || std::ranges::any_of(node.other, inside);
}

/// Whether a name in the tree that is no variable of its own is one of the function around.
bool names_any(const Node& tree, const Liveness& own, const Liveness& outer) {
  if (tree.kind == NodeKind::name && own.find(tree.name) < 0 && outer.find(tree.name) >= 0) return true;
  const auto inside = [&](const Node& one) { return names_any(one, own, outer); };
  return std::ranges::any_of(tree.operands, inside) || std::ranges::any_of(tree.body, inside) ||
         std::ranges::any_of(tree.other, inside);
}

/// Whether it needs a call of the function in which it is defined, whose variables it names.
bool names_outer_variables(const Function& function) {
  for (const Function* outer = function.inside; outer; outer = outer->inside)
    if (names_any(function.tree, Liveness(function.tree), Liveness(outer->tree))) return true;
  return false;
}

void collect_returns(const std::vector<Node>& statements, std::vector<const Node*>& returns) {
  for (const Node& statement : statements) {
    if (statement.kind == NodeKind::return_) returns.push_back(&statement);
    if (statement.kind == NodeKind::function) continue;
    collect_returns(statement.body, returns);
    collect_returns(statement.other, returns);
  }
}

}  // namespace

// Further arguments are a tuple, those that are left out have their default values.
void assign_parameters(Lowering& l, const Node& node, const Function& function, const std::vector<Item>& arguments) {
  const int count = static_cast<int>(function.tree.names.size());
  for (int k = 0; k < count; ++k) {
    const bool given = static_cast<size_t>(k) < arguments.size();
    if (k == function.rest) {
      const size_t first = std::min(arguments.size(), static_cast<size_t>(k));
      assign(l, node, k, tuple_of({arguments.begin() + static_cast<int64_t>(first), arguments.end()}));
    } else if (given && (function.rest < 0 || k < function.rest)) {
      assign(l, node, k, arguments[k]);
    } else {
      assign(l, node, k, item_of(l, function.defaults.at(function.tree.names[k]), node));
    }
  }
}

/// Says of a function that calls itself why no type is right for what it returns, where there is none.
void check_returns(const Lowering& l, const Node& node, const Function& callee) {
  const std::string& name = callee.tree.name;
  std::vector<const Node*> returns;
  collect_returns(callee.tree.body, returns);
  const auto calls_itself = [&](const Node* one) { return calls(*one, name); };
  if (!returns.empty() && std::ranges::all_of(returns, calls_itself)) {
    l.known.stop();
    l.fail(node, format("cannot type infer runaway recursion: {} returns only what {} returns", name, name));
  }
  const auto grows = [&](const Node* one) {
    return !one->operands.empty() && one->operands[0].kind == NodeKind::tuple && calls(*one, name);
  };
  if (std::ranges::any_of(returns, grows)) {
    l.known.stop();
    l.fail(node, format("Return type of recursive function does not converge: {} returns a tuple of what {} returns",
                        name, name));
  }
}

// What the callee does stands in the caller's place, with variables of its own, unless it calls itself.
Item call_function(Lowering& l, const Node& node, const Function& callee, const std::vector<Item>& args) {
  if (callee.is_generator) return l.generators.make(node, callee, args);
  if (const std::optional<size_t> number = l.called.find(node, callee, args)) {
    const Signature* signature = signature_for(l, callee, args);
    const Item result = l.called.call(node, *number, args);
    const bool converts = signature && signature->result && result.type.is_scalar();
    return converts ? as_number(l, node, result, *signature->result) : result;
  }
  constexpr int most_calls = 64;
  int calls = 0;
  for (const Frame* frame = l.frame; frame; frame = frame->caller) ++calls;
  if (calls > most_calls) {
    l.known.stop();
    check_returns(l, node, callee);
    l.refuse(node, format("{} calls itself with arguments of ever other types", callee.name()), "a loop");
  }
  Frame frame(l, callee, &node);
  for (const Item& arg : args) frame.arguments.push_back(arg.type);
  if (callee.inside) {
    frame.enclosing = l.frame;
    while (frame.enclosing && &frame.enclosing->function != callee.inside) frame.enclosing = frame.enclosing->caller;
    if (!frame.enclosing && names_outer_variables(callee))
      l.refuse(node, format("{} is called outside of {}, in which it is defined", callee.name(), callee.inside->name()),
               "pass its result, or define it outside");
  }
  const Signature* signature = signature_for(l, callee, args);
  Frame* const caller = std::exchange(l.frame, &frame);
  set_flag(l, l.frame->returned_slot(), false);
  for (size_t k = 0; k < args.size(); ++k) {
    assign(l, callee.tree, static_cast<int>(k), as_parameter(l, node, signature, k, args[k]));
  }
  const SitesBegin begin = l.failures.begin();
  lower_block(l, callee.tree.body);
  Item result = returned(l);
  const Scalar* const has_ended = l.constant_of(*frame.values[frame.returned_slot()]);
  // None of its returns was reached, and nothing else ends it.
  const bool always_raised =
      !frame.ends.has_returned && ((has_ended && has_ended->bytes[0]) || always_jumps(callee.tree.body));
  l.frame = caller;
  caller->ends.has_raised |= always_raised;
  if (frame.ends.unresolved > 0 && result.type->kind == TypeKind::none) l.known.want();
  if (l.failures.begin() != begin && l.failures.is_told_at_once()) guard(l, l.b.bit_not(l.failures.failed()));
  const bool converts = signature && signature->result && result.type.is_scalar();
  return converts ? as_number(l, node, result, *signature->result) : result;
}

/// The one with the fewest conversions; of several that are as good the first.
const Signature* signature_for(const Lowering& l, const Function& callee, const std::vector<Item>& args) {
  if (callee.signatures.empty()) return nullptr;
  std::vector<const Signature*> possible;
  for (const Signature& one : callee.signatures)
    if (one.parameters.size() == args.size()) possible.push_back(&one);
  const auto conversions = [&](size_t signature, size_t k) -> std::optional<Conversion> {
    const std::optional<DType> wanted = possible[signature]->parameters[k];
    if (!wanted) return Conversion::same;
    if (!args[k].type.is_scalar()) return {};
    return conversion(args[k].type->dtype, *wanted).value_or(Conversion::unsafe);  // as_number refuses it
  };
  const std::vector<size_t> best = choose_signatures(possible.size(), args.size(), conversions);
  if (best.empty()) l.fail(callee.tree, format("the arguments of {} are not what its signature says", callee.name()));
  return possible[best[0]];
}

Item as_parameter(Lowering& l, const Node& node, const Signature* signature, size_t k, const Item& item) {
  if (!signature) return item;
  if (const auto function = signature->functions.find(k);
      function != signature->functions.end() && is_function_value(item.type))
    return with_signature(l, item, function->second);
  return signature->parameters[k] ? as_number(l, node, item, *signature->parameters[k]) : item;
}

Item as_number(Lowering& l, const Node& node, const Item& item, DType dtype) {
  if (is_complex(item.type->dtype) && !is_complex(dtype))
    l.fail(node, format("{} where the signature says {}", describe(item.type), dtype), "its .real");
  return l.scalar(l.cast(item, dtype));
}

}  // namespace tessera::kernel
