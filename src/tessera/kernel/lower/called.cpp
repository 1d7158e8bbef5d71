// Functions that call themselves: each becomes one of the kernel's functions for the types of its arguments. It gets
// how many calls it is in, and raises where those are too many.
#include "tessera/kernel/lower/called.h"

#include <algorithm>
#include <utility>

#include "tessera/ir/opcode.h"
#include "tessera/kernel/lower/function.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/result.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/variable.h"

namespace tessera::kernel {

namespace {

std::vector<Type> types_of(const std::vector<Item>& items) {
  std::vector<Type> types;
  for (const Item& item : items) types.push_back(item.type);
  return types;
}

std::vector<DType> scalars_of(std::span<const Type> types) {
  std::vector<DType> dtypes;
  for (const Type& type : types) append_scalars(type, dtypes);
  return dtypes;
}

/// Whether a return of the function's own gives something.
bool returns_something(const std::vector<Node>& statements) {
  return std::ranges::any_of(statements, [](const Node& statement) {
    if (statement.kind == NodeKind::function) return false;
    if (statement.kind == NodeKind::return_)
      return !statement.operands.empty() && statement.operands[0].kind != NodeKind::nothing;
    return returns_something(statement.body) || returns_something(statement.other);
  });
}

/// The statements in whose path it stands may raise.
void note_may_fail(Lowering& l) {
  if (!std::exchange(l.known.failures.reports, true)) l.is_changed = true;
  for (const Frame* frame = l.frame; frame; frame = frame->caller)
    l.is_changed |= l.known.failures.failing.insert(frame->statement).second;
}

/// Nothing of it runs where the calls are too many.
void lower_called_body(Lowering& l, const Function& callee, const std::vector<Item>& args, ir::Value depth) {
  ir::Builder& b = l.b;
  const Signature* signature = signature_for(l, callee, args);
  const ir::Value is_deep = b.ge(depth, b.constant(Scalar::of_int(DType::int64, l.known.calls.deepest)));
  l.failures.raise_if(callee.tree, is_deep, ExceptionNumber::recursion_error, "maximum recursion depth exceeded");
  for (size_t k = 0; k < args.size(); ++k) {
    const std::optional<DType> as = signature ? signature->parameters[k] : std::nullopt;
    assign(l, callee.tree, static_cast<int>(k), as ? as_number(l, callee.tree, args[k], *as) : args[k]);
  }
  set_flag(l, l.frame->returned_slot(), false);
  lower_block(l, callee.tree.body);
}

/// Refuses what lanes that are in different calls cannot do together.
void check_called(const Lowering& l, const Node& node, const Function& callee, size_t arrays) {
  ir::Builder& b = l.b;
  const auto refuse_it = [&](std::string_view what) {
    l.refuse(node, format("{} calls itself and {}", callee.name(), what), "a loop, or these in its caller");
  };
  if (b.kernel().arrays.size() != arrays) refuse_it("makes shared or local arrays");
  for (const ir::Kernel& body : b.kernel().bodies)
    for (const ir::Instruction& i : body.instructions) {
      const bool of_array =
          i.op == ir::Opcode::load_array || i.op == ir::Opcode::store_array || i.op == ir::Opcode::atomic_array;
      if (of_array && b.kernel().arrays[i.imm].shared) refuse_it("accesses shared arrays");
      if (ir::is_meeting(i.op) || i.op == ir::Opcode::pause) refuse_it("has barriers or operations of warps");
      if (i.op == ir::Opcode::call_foreign || i.op == ir::Opcode::address || i.op == ir::Opcode::address_array)
        refuse_it("calls functions in other code");
    }
}

}  // namespace

CalledFunctions::CalledFunctions(Lowering& l) : l_(l), b(l.b) {}

void CalledFunctions::add_word() {
  if (l_.known.calls.has_any) failed_inside_ = b.add_array({.dtype = DType::int32, .size = 1, .shared = false});
}

std::optional<size_t> CalledFunctions::find(const Node& node, const Function& callee, const std::vector<Item>& args) {
  const std::vector<Type> types = types_of(args);
  for (size_t k = 0; k < l_.known.calls.functions.size(); ++k)
    if (l_.known.calls.functions[k].function == &callee && l_.known.calls.functions[k].arguments == types) return k;
  for (const Frame* frame = l_.frame; frame; frame = frame->caller) {
    if (&frame->function != &callee || frame->arguments != types) continue;
    if (callee.inside)
      l_.refuse(node, format("{} calls itself inside {}", callee.name(), callee.inside->name()),
                "a function that is defined outside");
    if (l_.options.is_body)
      l_.refuse(node, format("{} calls itself, which functions of elements do not", callee.name()),
                "a loop, or a function with @jit");
    l_.known.calls.functions.push_back({&callee, types, std::nullopt});
    l_.known.calls.has_any = l_.is_changed = true;
    l_.fail(node, format("{} calls itself", callee.name()));  // the run is repeated, and the function is called there
  }
  return std::nullopt;
}

void return_known_sides(Lowering& l, const Node& value) {
  if (value.kind != NodeKind::conditional) return;
  for (const Node& side : std::span(value.operands).subspan(1)) {
    return_known_sides(l, side);
    if (side.kind == NodeKind::conditional || l.known.skipped.contains({l.frame->path, &side})) continue;
    l.frame->statement = &side;
    assign(l, side, l.frame->result_slot(), l.in_memory(side, l.lower(side)));
  }
}

Item CalledFunctions::call(const Node& node, size_t number, const std::vector<Item>& args) {
  note_may_fail(l_);
  if (!functions_.contains(number)) lower(node, number);
  const CalledFunction& called = l_.known.calls.functions[number];
  if (!called.result) {
    if (called.function->signatures.empty()) check_returns(l_, node, *called.function);
    l_.lists.note_guess();
    l_.fail(node, format("what {} returns is known only where it has returned", called.function->name()),
            "a return that does not call it, or a signature with what it returns");
  }
  const bool is_outside = !is_inside();
  const ir::Value zero = b.constant(DType::int64, 0), none = b.constant(DType::int32, 0);
  std::vector<ir::Value> values{is_outside ? zero : b.add(depth_, b.constant(DType::int64, 1))};
  for (const Item& item : args) values.insert(values.end(), item.values.begin(), item.values.end());
  if (l_.is_changed) return l_.zero(*called.result);
  if (is_outside) b.store_array(failed_inside_, none, zero);
  const std::vector<ir::Value> results = b.call(functions_.at(number), values);
  if (is_outside) l_.failures.add_failures_of(failed_inside_);
  guard(l_, b.bit_not(l_.failures.failed()));
  return {*called.result, results};
}

void CalledFunctions::lower(const Node& node, size_t number) {
  const CalledFunction called = l_.known.calls.functions[number];
  const Function& callee = *called.function;
  const bool has_result = called.result.has_value();
  std::vector<DType> parameters = scalars_of(called.arguments);
  parameters.insert(parameters.begin(), DType::int64);
  const std::vector<DType> results = has_result ? scalars_of({&*called.result, 1}) : std::vector<DType>{};
  const uint32_t function =
      b.add_function({.name = format("f{}", number), .parameters = parameters, .results = results});
  functions_[number] = function;
  if (!returns_something(callee.tree.body)) l_.known.calls.functions[number].result = Type{};

  const size_t arrays = b.kernel().arrays.size();
  const std::vector<ir::Value> values = b.begin_function(function);
  std::vector<Item> args;
  size_t next = 1;
  for (const Type& type : called.arguments) {
    const std::span<const Type> one(&type, 1);
    const size_t count = scalars_of(one).size();
    args.push_back(
        {type, {values.begin() + static_cast<int64_t>(next), values.begin() + static_cast<int64_t>(next + count)}});
    next += count;
  }
  Frame frame(callee, l_.frame, &node);
  frame.path = format("#{}", number);
  frame.arguments = called.arguments;
  Frame* const caller = std::exchange(l_.frame, &frame);
  const Facts facts = std::exchange(l_.facts, Facts(b));
  const Failures::Word failed = l_.failures.exchange_word({true, failed_inside_});
  const ir::Value depth = std::exchange(depth_, values[0]), no_list = l_.lists.exchange_no_list(ir::no_value);
  const bool in_iterations = l_.parallel.begin_function();
  lower_called_body(l_, callee, args, depth_);
  Item result = returned(l_);
  l_.parallel.end_function(in_iterations);
  l_.lists.exchange_no_list(no_list);
  depth_ = depth;
  l_.failures.exchange_word(failed);
  l_.facts = facts;
  l_.frame = caller;
  std::optional<Type>& known = l_.known.calls.functions[number].result;
  const bool is_known = result.type.kind != TypeKind::none;
  if (is_known && (!known || *known != result.type)) {
    known = known ? unify(*known, result.type) : result.type;
    if (!known) l_.fail(node, format("{} returns {}, and other types elsewhere", callee.name(), describe(result.type)));
    l_.is_changed = l_.known.grew = true;
  }
  if (l_.is_changed) result = has_result ? l_.zero(*called.result) : Item{};
  b.end_function(function, result.values);
  if (!l_.is_changed) check_called(l_, node, callee, arrays);
}

}  // namespace tessera::kernel
