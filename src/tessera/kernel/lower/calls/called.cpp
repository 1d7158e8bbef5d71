// Functions that call themselves: each becomes one of the kernel's functions for the types of its arguments. It gets
// how many calls it is in, and raises where those are too many.
#include "tessera/kernel/lower/calls/called.h"

#include <algorithm>
#include <utility>

#include "tessera/ir/opcode.h"
#include "tessera/kernel/lower/calls/function.h"
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
  l.known.note_reports();
  for (const Frame* frame = l.frame; frame; frame = frame->caller) l.known.note_failing(frame->statement);
}

/// Nothing of it runs where the calls are too many.
void lower_called_body(Lowering& l, const Function& callee, const std::vector<Item>& args, ir::Value depth) {
  ir::Builder& b = l.b;
  const Signature* signature = signature_for(l, callee, args);
  const ir::Value is_deep = b.ge(depth, b.constant(Scalar::of_int(DType::int64, l.known->calls.deepest)));
  l.failures.raise_if(callee.tree, is_deep, ExceptionNumber::recursion_error, "maximum recursion depth exceeded");
  for (size_t k = 0; k < args.size(); ++k) {
    assign(l, callee.tree, static_cast<int>(k), as_parameter(l, callee.tree, signature, k, args[k]));
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
  if (l_.known->calls.has_any) failed_inside_ = b.add_array({.dtype = DType::int32, .size = 1, .shared = false});
}

std::optional<size_t> CalledFunctions::find(const Node& node, const Function& callee, const std::vector<Item>& args) {
  const std::vector<Type> types = types_of(args);
  for (size_t k = 0; k < l_.known->calls.functions.size(); ++k)
    if (l_.known->calls.functions[k].function == &callee && l_.known->calls.functions[k].arguments == types) return k;
  for (const Frame* frame = l_.frame; frame; frame = frame->caller) {
    if (&frame->function != &callee || frame->arguments != types) continue;
    if (callee.inside)
      l_.refuse(node, format("{} calls itself inside {}", callee.name(), callee.inside->name()),
                "a function that is defined outside");
    if (l_.options.is_body)
      l_.refuse(node, format("{} calls itself, which functions of elements do not", callee.name()),
                "a loop, or a function with @jit");
    typed::Calls& calls = l_.known.change().calls;
    calls.functions.push_back({&callee, types, std::nullopt});
    calls.has_any = true;
    l_.known.want();  // the next pass calls the function here
  }
  return std::nullopt;
}

void return_known_sides(Lowering& l, const Node& value) {
  if (value.kind != NodeKind::conditional) return;
  for (const Node& side : std::span(value.operands).subspan(1)) {
    return_known_sides(l, side);
    if (side.kind == NodeKind::conditional) continue;
    attempt(l, [&] { assign(l, side, l.frame->result_slot(), l.in_memory(side, l.lower(side))); });
  }
}

Item CalledFunctions::call(const Node& node, size_t number, const std::vector<Item>& args) {
  note_may_fail(l_);
  ++calls_;
  if (!functions_.contains(number)) lower(node, number);
  const typed::CalledFunction& called = l_.known->calls.functions[number];
  if (!called.result) {
    if (called.function->signatures.empty()) check_returns(l_, node, *called.function);
    l_.fail(node, format("what {} returns is known only where it has returned", called.function->name()),
            "a return that does not call it, or a signature with what it returns");
  }
  const bool is_outside = !is_inside();
  const ir::Value zero = b.constant(DType::int64, 0), none = b.constant(DType::int32, 0);
  std::vector<ir::Value> values{is_outside ? zero : b.add(depth_, b.constant(DType::int64, 1))};
  for (const Item& item : args) values.insert(values.end(), item.values.begin(), item.values.end());
  if (l_.known.is_changed()) return l_.zero(*called.result);
  if (is_outside) b.store_array(failed_inside_, none, zero);
  const std::vector<ir::Value> results = b.call(functions_.at(number), values);
  if (is_outside) l_.failures.add_failures_of(failed_inside_);
  guard(l_, b.bit_not(l_.failures.failed()));
  return {*called.result, results};
}

/// Between the begin and the end of a function's body, which knows nothing of where it is called.
class CalledFunctions::Inside {
 public:
  Inside(CalledFunctions& called, Frame& frame, ir::Value depth)
      : called_(called),
        caller_(std::exchange(called.l_.frame, &frame)),
        facts_(std::exchange(called.l_.facts, Facts(called.b))),
        failed_(called.l_.failures.exchange_word({true, called.failed_inside_})),
        depth_(std::exchange(called.depth_, depth)),
        no_list_(called.l_.lists.exchange_no_list(ir::no_value)),
        constants_(called.l_.strings.exchange_constants({})),
        in_iterations_(called.l_.parallel.begin_function()) {
    called_.begun_.push_back(&frame);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    called_.begun_.pop_back();
    called_.l_.parallel.end_function(in_iterations_);
    called_.l_.strings.exchange_constants(std::move(constants_));
    called_.l_.lists.exchange_no_list(no_list_);
    called_.depth_ = depth_;
    called_.l_.failures.exchange_word(failed_);
    called_.l_.facts = std::move(facts_);
    called_.l_.frame = caller_;
  }

 private:
  CalledFunctions& called_;
  Frame* caller_;
  Facts facts_;
  Failures::Word failed_;
  ir::Value depth_, no_list_;
  std::map<std::string, ir::Value> constants_;
  bool in_iterations_;
};

void CalledFunctions::lower(const Node& node, size_t number) {
  const typed::CalledFunction called = l_.known->calls.functions[number];
  const Function& callee = *called.function;
  const bool has_result = called.result.has_value();
  std::vector<DType> parameters = scalars_of(called.arguments);
  parameters.insert(parameters.begin(), DType::int64);
  const std::vector<DType> results = has_result ? scalars_of({&*called.result, 1}) : std::vector<DType>{};
  const uint32_t function =
      b.add_function({.name = format("f{}", number), .parameters = parameters, .results = results});
  functions_[number] = function;
  if (!has_result && !returns_something(callee.tree.body)) l_.known.add().calls.functions[number].result = Type{};

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
  Frame frame(l_, callee, &node);
  frame.path = frame.turn = l_.known.path(0, Place{}, static_cast<int64_t>(number));
  frame.arguments = called.arguments;
  Item result;
  {
    const Inside inside(*this, frame, values[0]);
    lower_called_body(l_, callee, args, depth_);
    result = returned(l_);
  }
  const std::optional<Type>& known = l_.known->calls.functions[number].result;
  const bool is_known = result.type->kind != TypeKind::none;
  if (is_known && (!known || *known != result.type)) {
    const std::optional<Type> joined = known ? unify(*known, result.type) : result.type;
    if (!joined)
      l_.fail(node, format("{} returns {}, and other types elsewhere", callee.name(), describe(result.type)));
    l_.known.grow().calls.functions[number].result = joined;
  }
  if (l_.known.is_changed()) result = has_result ? l_.zero(*called.result) : Item{};
  b.end_function(function, result.values);
  if (!l_.known.is_changed()) check_called(l_, node, callee, arrays);
}

}  // namespace tessera::kernel
