#include "tessera/kernel/lower/lowering.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/result.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/types/conversion.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

void collect_names(const Node& node, std::vector<std::string>& names) {
  if (node.is_statement() && node.kind != NodeKind::assign && node.kind != NodeKind::augmented) return;
  if (node.kind == NodeKind::name && std::ranges::find(names, node.name) == names.end()) names.push_back(node.name);
  for (const Node& operand : node.operands) collect_names(operand, names);
}

}  // namespace

Lowering::Lowering(ir::Builder& to, Findings& known, const Environment& environment, const CompileOptions& options)
    : b(to),
      facts(to),
      known(known),
      environment(environment),
      options(options),
      failures(*this),
      checks(*this),
      memory(*this),
      host_calls(*this),
      lists(*this),
      strings(*this),
      parallel(*this),
      called(*this),
      generators(*this) {}

void Lowering::lower_kernel(const Function& function, const std::vector<Item>& arguments, const Type* declared) {
  Frame outermost(*this, function, nullptr);
  for (const Item& argument : arguments) outermost.arguments.push_back(argument.type);
  frame = &outermost;
  b.set_still_holds([this] { return b.bit_not(failures.failed()); });
  host_calls.begin();
  failures.add_buffers();
  memory.add_buffers();
  lists.begin();
  strings.begin();
  lists.complete_arguments();
  if (function.is_generator && options.is_function) {
    attempt(*this, [&] { generators.lower_outermost(function, arguments); });
  } else {
    lower_outermost(function, arguments);
    if (options.is_function) attempt(*this, [&] { store_result(*this, declared); });
  }
  frame = nullptr;
}

void Lowering::lower_outermost(const Function& function, const std::vector<Item>& arguments) {
  set_flag(*this, frame->returned_slot(), false);
  attempt(*this, [&] { assign_parameters(*this, function.tree, function, arguments); });
  lower_block(*this, function.tree.body);
}

Item Lowering::lower_body(const Function& function, const std::vector<Item>& arguments) {
  Frame outermost(*this, function, nullptr);
  for (const Item& argument : arguments) outermost.arguments.push_back(argument.type);
  frame = &outermost;
  lower_outermost(function, arguments);
  Item returns = returned(*this);
  frame = nullptr;
  return returns;
}

Item Lowering::convert(const Item& item, const Type& type) {
  if (item.type == type) return item;
  if (type->kind == TypeKind::none) return {};  // in a run that has found another type meanwhile
  if (type->kind == TypeKind::optional) {
    if (item.type->kind == TypeKind::none) return zero(type);
    const bool was_optional = item.type->kind == TypeKind::optional;
    Item optional{type, {was_optional ? item.values[0] : b.constant(Scalar::of_bool(true))}};
    const Item value = convert(was_optional ? held(item) : item, type->elements[0]);
    optional.values.insert(optional.values.end(), value.values.begin(), value.values.end());
    return optional;
  }
  if (item.type->kind == TypeKind::optional) return convert(held(item), type);
  if (item.type->kind == TypeKind::none) return zero(type);  // in a run that has found another type meanwhile
  if (item.type.is_array()) return convert_view(*this, item, type);
  if (const std::optional<Item> found = ask_values(&ValueRules::convert, *this, item, type)) return *found;
  if (item.type.is_scalar()) return {type, {b.cast(item.values[0], type->dtype)}};
  Item converted{type, {}};
  for (size_t k = 0; k < type->elements.size(); ++k) {
    const Item part = convert(element(item, k), type->elements[k]);
    converted.values.insert(converted.values.end(), part.values.begin(), part.values.end());
  }
  return converted;
}

Item Lowering::zero(const Type& type) {
  std::vector<DType> dtypes;
  append_scalars(type, dtypes);
  Item item{type, {}};
  for (DType dtype : dtypes) item.values.push_back(b.constant(dtype, 0));
  set_no_lists(*this, type, item.values);
  return item;
}

const Scalar* Lowering::constant_of(const Item& item) const {
  return item.type.is_scalar() ? ir::constant_of(b.kernel(), item.values[0]) : nullptr;
}

std::string Lowering::message(const Node& node, const std::string& text, std::string_view instead) const {
  std::vector<std::string> names;
  collect_names(node, names);
  std::vector<NamedType> types;
  for (const std::string& name : names) {
    const int variable = frame->liveness.find(name);
    const Type* type = variable < 0 ? nullptr : type_of(*this, variable);
    if (type) types.push_back({name, describe(*type)});
  }
  std::string whole = fault_message(frame->function, node.place, text, types, instead);
  for (const Frame* inner = frame; inner->caller; inner = inner->caller) {
    whole += format("\n  called by {}, {}:{}", inner->caller->function.name(), inner->caller->function.file,
                    inner->call->place.line);
  }
  return whole;
}

void Lowering::fail(const Node& node, const std::string& text, std::string_view instead) const {
  fault({Fault::typing, message(node, text, instead)});
}

void Lowering::refuse(const Node& node, const std::string& text, std::string_view instead) const {
  fault({Fault::unsupported, message(node, text, instead)});
}

void Lowering::fault(const CompileError& error) const {
  if (!known.infers() || known.is_final()) throw CompileError(error);
  known.defer(error);
  known.want();
}

Position::Position(Lowering& l)
    : l_(l),
      frame_(l.frame),
      code_(l.b),
      facts_(l.facts.assumed()),
      loops_(frame_->loops.size()),
      caught_(frame_->caught.size()),
      depth_(frame_->depth),
      rests_(frame_->rests),
      tries_(frame_->tries),
      nothing_repeats_(l.nothing_repeats),
      failures_(l.failures.position()),
      parallel_(l.parallel.position()) {}

void Position::restore() const {
  code_.restore(l_.b);
  l_.facts.forget(facts_);
  l_.frame = frame_;
  frame_->loops.resize(loops_);
  frame_->caught.resize(caught_);
  frame_->depth = depth_;
  frame_->rests = rests_;
  frame_->tries = tries_;
  ++frame_->ends.unresolved;
  l_.nothing_repeats = nothing_repeats_;
  l_.failures.restore(failures_);
  l_.parallel.restore(parallel_);
}

}  // namespace tessera::kernel
