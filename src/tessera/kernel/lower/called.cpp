// Functions that call themselves: each becomes one of the kernel's functions for the types of its arguments. It gets
// how many calls it is in, and raises where those are too many.
#include <algorithm>
#include <utility>

#include "tessera/ir/opcode.h"
#include "tessera/kernel/lower/lowering.h"

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

}  // namespace

/// The function's number among those that call themselves; nothing where it is lowered in the caller's place.
std::optional<size_t> Lowering::find_called(const Node& node, const Function& callee, const std::vector<Item>& args) {
  const std::vector<Type> types = types_of(args);
  for (size_t k = 0; k < known_.called.size(); ++k)
    if (known_.called[k].function == &callee && known_.called[k].arguments == types) return k;
  for (const Frame* frame = frame_; frame; frame = frame->caller) {
    if (&frame->function != &callee || frame->arguments != types) continue;
    if (callee.inside)
      refuse(node, format("{} calls itself inside {}", callee.name(), callee.inside->name()),
             "a function that is defined outside");
    if (options_.is_body)
      refuse(node, format("{} calls itself, which functions of elements do not", callee.name()),
             "a loop, or a function with @jit");
    known_.called.push_back({&callee, types, std::nullopt});
    known_.has_called = changed_ = true;
    fail(node, format("{} calls itself", callee.name()));  // the run is repeated, and the function is called there
  }
  return std::nullopt;
}

/// Of a returned value that is not known yet, the sides of conditional expressions that are.
void Lowering::return_known_sides(const Node& value) {
  if (value.kind != NodeKind::conditional) return;
  for (const Node& side : std::span(value.operands).subspan(1)) {
    return_known_sides(side);
    if (side.kind == NodeKind::conditional || known_.skipped.contains({frame_->path, &side})) continue;
    frame_->statement = &side;
    assign(side, frame_->result_slot(), in_memory(side, lower(side)));
  }
}

/// The statements in whose path it stands may raise.
void Lowering::note_may_fail() {
  if (!std::exchange(known_.reports, true)) changed_ = true;
  for (const Frame* frame = frame_; frame; frame = frame->caller)
    changed_ |= known_.failing.insert(frame->statement).second;
}

Item Lowering::call_called(const Node& node, size_t number, const std::vector<Item>& args) {
  note_may_fail();
  if (!functions_.contains(number)) lower_called(node, number);
  const CalledFunction& called = known_.called[number];
  if (!called.result) {
    if (called.function->signatures.empty()) check_returns(node, *called.function);
    has_guessed_ = true;
    fail(node, format("what {} returns is known only where it has returned", called.function->name()),
         "a return that does not call it, or a signature with what it returns");
  }
  const bool is_outside = depth_ == ir::no_value;
  const ir::Value zero = b.constant(DType::int64, 0), none = b.constant(DType::int32, 0);
  std::vector<ir::Value> values{is_outside ? zero : b.add(depth_, b.constant(DType::int64, 1))};
  for (const Item& item : args) values.insert(values.end(), item.values.begin(), item.values.end());
  if (changed_) return this->zero(*called.result);
  if (is_outside) b.store_array(failed_inside_, none, zero);
  const std::vector<ir::Value> results = b.call(functions_.at(number), values);
  if (is_outside)
    b.store_array(failed_, b.bit_or(b.load_array(failed_, zero), b.load_array(failed_inside_, zero)), zero);
  guard(b.bit_not(failed()));
  return {*called.result, results};
}

void Lowering::lower_called(const Node& node, size_t number) {
  const CalledFunction called = known_.called[number];
  const Function& callee = *called.function;
  const bool has_result = called.result.has_value();
  std::vector<DType> parameters = scalars_of(called.arguments);
  parameters.insert(parameters.begin(), DType::int64);
  const std::vector<DType> results = has_result ? scalars_of({&*called.result, 1}) : std::vector<DType>{};
  const uint32_t function =
      b.add_function({.name = format("f{}", number), .parameters = parameters, .results = results});
  functions_[number] = function;
  if (!returns_something(callee.tree.body)) known_.called[number].result = Type{};

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
  Frame frame(callee, frame_, &node);
  frame.path = format("#{}", number);
  frame.arguments = called.arguments;
  Frame* const caller = std::exchange(frame_, &frame);
  const Facts facts = std::exchange(facts_, Facts(b));
  const auto failed = std::pair(std::exchange(has_failed_, true), std::exchange(failed_, failed_inside_));
  const ir::Value depth = std::exchange(depth_, values[0]), no_list = std::exchange(no_list_, ir::no_value);
  const bool in_iterations = std::exchange(in_iterations_, false);
  ++parallel_depth_;
  lower_called_body(callee, args, depth_);
  Item result = returned();
  --parallel_depth_;
  in_iterations_ = in_iterations;
  no_list_ = no_list;
  depth_ = depth;
  std::tie(has_failed_, failed_) = failed;
  facts_ = facts;
  frame_ = caller;
  std::optional<Type>& known = known_.called[number].result;
  const bool is_known = result.type.kind != TypeKind::none;
  if (is_known && (!known || *known != result.type)) {
    known = known ? unify(*known, result.type) : result.type;
    if (!known) fail(node, format("{} returns {}, and other types elsewhere", callee.name(), describe(result.type)));
    changed_ = known_.grew = true;
  }
  if (changed_) result = has_result ? zero(*called.result) : Item{};
  b.end_function(function, result.values);
  if (!changed_) check_called(node, callee, arrays);
}

/// Nothing of it runs where the calls are too many.
void Lowering::lower_called_body(const Function& callee, const std::vector<Item>& args, ir::Value depth) {
  const Signature* signature = signature_for(callee, args);
  const ir::Value is_deep = b.ge(depth, b.constant(Scalar::of_int(DType::int64, known_.deepest)));
  raise_if(callee.tree, is_deep, ExceptionNumber::recursion_error, "maximum recursion depth exceeded");
  for (size_t k = 0; k < args.size(); ++k) {
    const std::optional<DType> as = signature ? signature->parameters[k] : std::nullopt;
    assign(callee.tree, static_cast<int>(k), as ? as_number(callee.tree, args[k], *as) : args[k]);
  }
  set_flag(frame_->returned_slot(), false);
  lower_block(callee.tree.body);
}

/// Refuses what lanes that are in different calls cannot do together.
void Lowering::check_called(const Node& node, const Function& callee, size_t arrays) const {
  const auto refuse_it = [&](std::string_view what) {
    refuse(node, format("{} calls itself and {}", callee.name(), what), "a loop, or these in its caller");
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

}  // namespace tessera::kernel
