#include "tessera/kernel/lower/lowering.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/types/conversion.h"

namespace tessera::kernel {

Frame::Frame(const Function& called, Frame* by, const Node* at)
    : function(called),
      caller(by),
      call(at),
      path(by ? format("{}{}/{}:{}-{}", by->path, by->turn, at->place.line, at->place.column, at->place.end_column)
              : ""),
      liveness(called.tree),
      values(liveness.count() + 2) {}

void Lowering::lower_kernel(const Function& function, const std::vector<Item>& arguments, const Type* result) {
  Frame frame(function, nullptr, nullptr);
  for (const Item& argument : arguments) frame.arguments.push_back(argument.type);
  frame_ = &frame;
  b.set_still_holds([this] { return b.bit_not(failed()); });
  add_report_buffers();
  const ir::BufferParam words{.dtype = DType::int64, .ndim = 1, .writable = true};
  if (options_.is_function) results_ = b.add_buffer(words);
  for (const Heap& heap : known_.heaps) heaps_.push_back(add_heap(heap.dtype));
  for (const auto& array : known_.constants) constants_.push_back(add_constant(*array));
  begin_lists();
  complete_list_arguments();
  set_flag(frame_->returned_slot(), false);
  assign_parameters(function.tree, function, arguments);
  lower_block(function.tree.body);
  if (options_.is_function) store_result(result);
  frame_ = nullptr;
}

Item Lowering::lower_body(const Function& function, const std::vector<Item>& arguments) {
  Frame frame(function, nullptr, nullptr);
  for (const Item& argument : arguments) frame.arguments.push_back(argument.type);
  frame_ = &frame;
  set_flag(frame_->returned_slot(), false);
  assign_parameters(function.tree, function, arguments);
  lower_block(function.tree.body);
  const Item result = returned();
  frame_ = nullptr;
  return result;
}

/// What the current function returns; of type none if that is nothing.
Item Lowering::returned() {
  const std::optional<Type> type = type_of(frame_->result_slot());
  if (!type) return {};
  const std::optional<Item>& held = frame_->values[frame_->result_slot()];
  return held ? convert(*held, *type) : zero(*type);
}

bool Lowering::may_end_without_result() const {
  return options_.is_function && !frame_->caller && !always_jumps(frame_->function.tree.body);
}

Item Lowering::as_declared(const Item& result, const Type& type) {
  const Type& own = result.type;
  const bool is_tuple = own.kind == TypeKind::tuple && own.kind == type.kind;
  if (is_tuple && own.elements.size() == type.elements.size()) {
    std::vector<Item> elements;
    for (size_t k = 0; k < type.elements.size(); ++k)
      elements.push_back(as_declared(element(result, k), type.elements[k]));
    Item tuple = tuple_of(elements);
    tuple.type.names = own.names;
    return tuple;
  }
  const bool narrows = own.is_scalar() && type.is_scalar() && is_complex(own.dtype) && !is_complex(type.dtype);
  if (own.is_scalar() && type.is_scalar() && !narrows) return convert(result, type);
  fail(frame_->function.tree,
       format("{} returns {}, its signature {}", frame_->function.name(), describe(own), describe(type)),
       "the signature of what it returns, or none for the result");
}

namespace {

/// What stands for something while compiling only, and is no text; null where there is none.
const Type* find_unreturnable(const Type& type) {
  if (type.kind == TypeKind::entity && !is_text(type) && !type.is_entity(EntityKind::dtype)) return &type;
  for (const Type& element : type.elements)
    if (const Type* found = find_unreturnable(element)) return found;
  return nullptr;
}

}  // namespace

/// The result with copies of arrays outside of the function, whose elements are constants here.
Item Lowering::without_constants(const Item& result) {
  const auto is_outside = [](const Type& array) { return array.is_constant; };
  if (result.type.is_array() && std::ranges::any_of(alternatives(result.type), is_outside))
    return copy_of(frame_->function.tree, result);
  if (result.type.kind != TypeKind::tuple) return result;
  std::vector<Item> elements;
  for (size_t k = 0; k < result.type.elements.size(); ++k) elements.push_back(without_constants(element(result, k)));
  Item tuple = tuple_of(elements);
  tuple.type.names = result.type.names;
  tuple.type.is_list = result.type.is_list;
  return tuple;
}

// The words of the results: whether there is one, then two for each scalar.
void Lowering::store_result(const Type* declared) {
  if (!type_of(frame_->result_slot())) return;
  Item result = returned();
  const bool is_optional = result.type.kind == TypeKind::optional;
  const ir::Value is_there = is_optional ? result.values[0] : ir::no_value;
  if (is_optional) result = held(result);
  if (declared && result.type.kind != TypeKind::none) result = as_declared(result, *declared);
  if (options_.is_function) result = without_constants(result);
  result_ = resolved(result.type);
  if (const Type* odd = find_unreturnable(result_))
    fail(frame_->function.tree, format("{} returns {}", frame_->function.name(), describe(*odd)),
         "numbers, texts, arrays, and tuples and lists of them");
  const auto put = [&](int64_t word, ir::Value value) {
    b.store(results_, value, std::vector{b.constant(Scalar::of_int(DType::int64, word))});
  };
  if (is_optional)
    put(0, b.cast(is_there, DType::int64));
  else
    put(0, may_end_without_result() ? b.cast(flag(frame_->returned_slot()), DType::int64) : b.constant(DType::int64, 1));
  int64_t word = 1;
  const auto put_number = [&](int64_t at, ir::Value value) {
    const DType t = b.type(value);
    if (is_boolean(t) || is_integer(t)) return put(at, b.cast(value, DType::int64));
    if (options_.is_device && word_dtype(t) == DType::float32)
      return put(at, b.cast(b.bitcast(b.cast(value, DType::float32), DType::uint32), DType::int64));
    put(at, b.bitcast(b.cast(value, DType::float64), DType::int64));
  };
  for (ir::Value value : result.values) {
    put_number(word, b.real(value));
    if (is_complex(b.type(value))) put_number(word + 1, b.imag(value));
    word += 2;
  }
}

// Further arguments are a tuple, those that are left out have their default values.
void Lowering::assign_parameters(const Node& node, const Function& function, const std::vector<Item>& arguments) {
  const int count = static_cast<int>(function.tree.names.size());
  for (int k = 0; k < count; ++k) {
    const bool given = static_cast<size_t>(k) < arguments.size();
    if (k == function.rest) {
      const size_t first = std::min(arguments.size(), static_cast<size_t>(k));
      assign(node, k, tuple_of({arguments.begin() + static_cast<int64_t>(first), arguments.end()}));
    } else if (given && (function.rest < 0 || k < function.rest)) {
      assign(node, k, arguments[k]);
    } else {
      assign(node, k, item_of(function.defaults.at(function.tree.names[k]), node));
    }
  }
}

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

void collect_returns(const std::vector<Node>& statements, std::vector<const Node*>& returns) {
  for (const Node& statement : statements) {
    if (statement.kind == NodeKind::return_) returns.push_back(&statement);
    if (statement.kind == NodeKind::function) continue;
    collect_returns(statement.body, returns);
    collect_returns(statement.other, returns);
  }
}

}  // namespace

/// Says of a function that calls itself why no type is right for what it returns, where there is none.
void Lowering::check_returns(const Node& node, const Function& callee) const {
  const std::string& name = callee.tree.name;
  std::vector<const Node*> returns;
  collect_returns(callee.tree.body, returns);
  const auto calls_itself = [&](const Node* one) { return calls(*one, name); };
  if (!returns.empty() && std::ranges::all_of(returns, calls_itself))
    fail(node, format("cannot type infer runaway recursion: {} returns only what {} returns", name, name));
  const auto grows = [&](const Node* one) {
    return !one->operands.empty() && one->operands[0].kind == NodeKind::tuple && calls(*one, name);
  };
  if (std::ranges::any_of(returns, grows))
    fail(node, format("Return type of recursive function does not converge: {} returns a tuple of what {} returns",
                      name, name));
}

// What the callee does stands in the caller's place, with variables of its own, unless it calls itself.
Item Lowering::call_function(const Node& node, const Function& callee, const std::vector<Item>& args) {
  if (const std::optional<size_t> number = find_called(node, callee, args)) {
    const Signature* signature = signature_for(callee, args);
    const Item result = call_called(node, *number, args);
    const bool converts = signature && signature->result && result.type.is_scalar();
    return converts ? as_number(node, result, *signature->result) : result;
  }
  constexpr int most_calls = 64;
  int calls = 0;
  for (const Frame* frame = frame_; frame; frame = frame->caller) ++calls;
  if (calls > most_calls) check_returns(node, callee);
  if (calls > most_calls)
    refuse(node, format("{} calls itself with arguments of ever other types", callee.name()), "a loop");
  Frame frame(callee, frame_, &node);
  for (const Item& arg : args) frame.arguments.push_back(arg.type);
  if (callee.inside) {
    frame.enclosing = frame_;
    while (frame.enclosing && &frame.enclosing->function != callee.inside) frame.enclosing = frame.enclosing->caller;
    if (!frame.enclosing)
      refuse(node, format("{} is called outside of {}, in which it is defined", callee.name(), callee.inside->name()),
             "pass its result, or define it outside");
  }
  const Signature* signature = signature_for(callee, args);
  Frame* const caller = std::exchange(frame_, &frame);
  set_flag(frame_->returned_slot(), false);
  for (size_t k = 0; k < args.size(); ++k) {
    const std::optional<DType> as = signature ? signature->parameters[k] : std::nullopt;
    assign(callee.tree, static_cast<int>(k), as ? as_number(node, args[k], *as) : args[k]);
  }
  const size_t sites = sites_.size();
  lower_block(callee.tree.body);
  Item result = returned();
  frame_ = caller;
  if (sites_.size() > sites && has_failed_ && !deferral_ && !ends_launch()) guard(b.bit_not(failed()));
  const bool converts = signature && signature->result && result.type.is_scalar();
  return converts ? as_number(node, result, *signature->result) : result;
}

/// The one with the fewest conversions; of several that are as good the first.
const Signature* Lowering::signature_for(const Function& callee, const std::vector<Item>& args) const {
  if (callee.signatures.empty()) return nullptr;
  std::vector<const Signature*> possible;
  for (const Signature& one : callee.signatures)
    if (one.parameters.size() == args.size()) possible.push_back(&one);
  const auto conversions = [&](size_t signature, size_t k) -> std::optional<Conversion> {
    const std::optional<DType> wanted = possible[signature]->parameters[k];
    if (!wanted) return Conversion::same;
    if (!args[k].type.is_scalar()) return {};
    return conversion(args[k].type.dtype, *wanted).value_or(Conversion::unsafe);  // as_number refuses it
  };
  const std::vector<size_t> best = choose_signatures(possible.size(), args.size(), conversions);
  if (best.empty()) fail(callee.tree, format("the arguments of {} are not what its signature says", callee.name()));
  return possible[best[0]];
}

Item Lowering::as_number(const Node& node, const Item& item, DType dtype) {
  if (is_complex(item.type.dtype) && !is_complex(dtype))
    fail(node, format("{} where the signature says {}", describe(item.type), dtype), "its .real");
  return scalar(cast(item, dtype));
}

std::string Frame::key_of(int slot) const {
  if (slot == result_slot()) return path + ".return";
  const auto iteration = unrolled.find(slot);
  return path + (iteration == unrolled.end() ? "" : iteration->second) + "." +
         liveness.name(slot);
}

std::optional<Type> Lowering::type_of(int slot) const {
  if (slot == frame_->returned_slot() || slot > frame_->result_slot()) return Type::scalar(DType::boolean);
  const auto found = known_.types.find(frame_->key_of(slot));
  if (found == known_.types.end()) return std::nullopt;
  return found->second;
}

void Lowering::set_flag(int slot, bool value) {
  if (static_cast<size_t>(slot) >= frame_->values.size()) frame_->values.resize(slot + 1);
  frame_->values[slot] = scalar(b.constant(Scalar::of_bool(value)));
}

ir::Value Lowering::flag(int slot) const { return frame_->values[slot]->values[0]; }

Type Lowering::widen(const Node& node, const std::string& key, const Type& type) {
  const auto [found, first] = known_.types.emplace(key, type);
  if (first) {
    // Regions around the assignment have not passed the variable on.
    changed_ |= frame_->depth > 0;
    return type;
  }
  const std::optional<Type> both = unify(found->second, type);
  if (!both) {
    const std::string name = key.substr(key.rfind('.') + 1);
    fail(node,
         format("{} is {} here and {} elsewhere", name == "return" ? "the returned value" : name, describe(type),
                describe(found->second)),
         "a variable of its own for each type");
  }
  join_lists(node, *both);
  if (*both != found->second) {
    found->second = *both;
    changed_ = true;
  }
  return *both;
}

// A variable of which all other values are uint64 is uint64 beside constants that are not negative.
void Lowering::assign(const Node& node, int slot, const Item& item) {
  const std::string key = frame_->key_of(slot);
  const Scalar* known = constant_of(item);
  const bool is_literal = known && is_signed_integer(known->dtype) && known->as_int() >= 0;
  const auto held = known_.types.find(key);
  Type type = item.type;
  if (held == known_.types.end()) {
    if (is_literal)
      known_.literals.insert(key);
    else
      known_.literals.erase(key);
  } else if (is_literal && held->second == Type::scalar(DType::uint64)) {
    type = held->second;
  } else if (type == Type::scalar(DType::uint64) && known_.literals.contains(key) && held->second != type) {
    held->second = type;
    changed_ = true;
  } else if (!is_literal) {
    known_.literals.erase(key);
  }
  frame_->values[slot] = convert(item, widen(node, key, type));
}

// A variable that no assignment has reached is zero.
Item Lowering::read(const Node& node, int variable) {
  if (frame_->values[variable]) return *frame_->values[variable];
  const std::optional<Type> type = type_of(variable);
  if (!type) fail(node, format("{} is read before it is assigned", frame_->liveness.name(variable)));
  return zero(*type);
}

Item Lowering::convert(const Item& item, const Type& type) {
  if (item.type == type) return item;
  if (type.kind == TypeKind::none) return {};  // in a run that has found another type meanwhile
  if (type.kind == TypeKind::optional) {
    if (item.type.kind == TypeKind::none) return zero(type);
    const bool was_optional = item.type.kind == TypeKind::optional;
    Item optional{type, {was_optional ? item.values[0] : b.constant(Scalar::of_bool(true))}};
    const Item value = convert(was_optional ? held(item) : item, type.elements[0]);
    optional.values.insert(optional.values.end(), value.values.begin(), value.values.end());
    return optional;
  }
  if (item.type.kind == TypeKind::optional) return convert(held(item), type);
  if (item.type.is_array()) return convert_view(item, type);
  if (type.kind == TypeKind::texts) return is_text(item.type) ? convert_text(item, type) : zero(type);
  if (item.type.kind == TypeKind::list) return type.kind == TypeKind::list ? Item{type, item.values} : zero(type);
  if (item.type.is_scalar()) return {type, {b.cast(item.values[0], type.dtype)}};
  Item converted{type, {}};
  for (size_t k = 0; k < type.elements.size(); ++k) {
    const Item part = convert(element(item, k), type.elements[k]);
    converted.values.insert(converted.values.end(), part.values.begin(), part.values.end());
  }
  return converted;
}

/// A list that is not there is empty.
void Lowering::set_no_lists(const Type& type, std::span<ir::Value> values) {
  if (type.kind == TypeKind::list) values[0] = no_list();
  if (type.is_view) return;
  size_t first = type.kind == TypeKind::optional ? 1 : 0;
  for (const Type& element : type.elements) {
    std::vector<DType> dtypes;
    append_scalars(element, dtypes);
    set_no_lists(element, values.subspan(first, dtypes.size()));
    first += dtypes.size();
  }
}

Item Lowering::zero(const Type& type) {
  std::vector<DType> dtypes;
  append_scalars(type, dtypes);
  Item item{type, {}};
  for (DType dtype : dtypes) item.values.push_back(b.constant(dtype, 0));
  set_no_lists(type, item.values);
  return item;
}

const Scalar* Lowering::constant_of(const Item& item) const {
  return item.type.is_scalar() ? ir::constant_of(b.kernel(), item.values[0]) : nullptr;
}

namespace {

void collect_names(const Node& node, std::vector<std::string>& names) {
  if (node.is_statement() && node.kind != NodeKind::assign && node.kind != NodeKind::augmented) return;
  if (node.kind == NodeKind::name && std::ranges::find(names, node.name) == names.end()) names.push_back(node.name);
  for (const Node& operand : node.operands) collect_names(operand, names);
}

}  // namespace

std::string Lowering::message(const Node& node, const std::string& text, std::string_view instead) const {
  std::vector<std::string> names;
  collect_names(node, names);
  std::vector<NamedType> types;
  for (const std::string& name : names) {
    const int variable = frame_->liveness.find(name);
    const std::optional<Type> type = variable < 0 ? std::nullopt : type_of(variable);
    if (type) types.push_back({name, describe(*type)});
  }
  std::string whole = fault_message(frame_->function, node.place, text, types, instead);
  for (const Frame* frame = frame_; frame->caller; frame = frame->caller) {
    whole += format("\n  called by {}, {}:{}", frame->caller->function.name(), frame->caller->function.file,
                    frame->call->place.line);
  }
  return whole;
}

void Lowering::fail(const Node& node, const std::string& text, std::string_view instead) const {
  failed_statement_ = {frame_->path, frame_->statement};
  throw CompileError(Fault::typing, message(node, text, instead));
}

void Lowering::refuse(const Node& node, const std::string& text, std::string_view instead) const {
  failed_statement_ = {frame_->path, frame_->statement};
  throw CompileError(Fault::unsupported, message(node, text, instead));
}

}  // namespace tessera::kernel
