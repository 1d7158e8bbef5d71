#include "tessera/kernel/compile.h"

#include <algorithm>
#include <initializer_list>
#include <tuple>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/passes/contract.h"
#include "tessera/kernel/passes/group_sums.h"
#include "tessera/kernel/passes/narrow.h"
#include "tessera/kernel/passes/outline.h"
#include "tessera/kernel/passes/settled_reads.h"
#include "tessera/kernel/passes/waits.h"
#include "tessera/kernel/types/type_record.h"

namespace tessera::kernel {

namespace {

constexpr int kernel_axes = 6, block_axes = 3;

/// Of numbers, and tuples and lists of them; nothing for types that say more than that.
std::optional<Type> value_type(const Type& type) {
  if (type.kind == TypeKind::none) return Type{};
  if (type.is_scalar()) return type;
  if (type.is_entity(EntityKind::constant)) return Type::scalar(type.entity.value.dtype);
  if (type.kind == TypeKind::optional) return value_type(type.elements.at(0));
  if (type.kind != TypeKind::tuple && type.kind != TypeKind::list) return {};
  std::vector<Type> elements;
  for (const Type& element : type.elements) {
    const std::optional<Type> one = value_type(element);
    if (!one) return {};
    elements.push_back(*one);
  }
  Type tuple = Type::tuple(std::move(elements));
  tuple.kind = type.kind;
  tuple.names = type.names;
  return tuple;
}

/// The type of elements of a list that is passed. Of arrays, whose memory is not theirs, Lowering completes it.
Type listed_type(const Type& type) {
  if (type.is_scalar()) return type;
  Type listed{.kind = type.kind, .dtype = type.dtype, .axes = type.axes};
  for (const Type& element : type.elements) listed.elements.push_back(listed_type(element));
  if (type.kind == TypeKind::tuple) listed.names = type.names;
  return listed;
}

Item declare(ir::Builder& b, const Type& type) {
  switch (type.kind) {
    case TypeKind::optional: return declare(b, type.elements.at(0));  // of a call it is None or there
    case TypeKind::scalar: {
      const uint32_t param = b.add_scalar(type.dtype);
      return {Type::scalar(type.dtype), {b.scalar(param)}};
    }
    case TypeKind::pointer: {
      Item pointer{{.kind = TypeKind::pointer, .dtype = type.dtype}, {b.scalar(b.add_scalar(DType::int64))}};
      pointer.type.names = type.names;
      return pointer;
    }
    case TypeKind::buffer: {
      const ir::BufferParam param{.dtype = type.dtype, .ndim = static_cast<uint8_t>(type.axes), .writable = true};
      Item array{{.kind = TypeKind::buffer, .dtype = type.dtype, .axes = type.axes, .base_axes = type.axes}, {}};
      array.type.id = b.add_buffer(param);
      array.type.names = type.names;
      return array;
    }
    case TypeKind::tuple:
    case TypeKind::slice:
    case TypeKind::record: {
      std::vector<Item> items;
      for (const Type& element : type.elements) items.push_back(declare(b, element));
      Item all = tuple_of(items);
      all.type.kind = type.kind;
      all.type.axes = type.axes;
      all.type.names = type.names;
      return all;
    }
    case TypeKind::entity:
      if (type.is_entity(EntityKind::constant))
        return {Type::scalar(type.entity.value.dtype), {b.constant(type.entity.value)}};
      return {type, {}};
    case TypeKind::list: {
      Type list{.kind = TypeKind::list};
      list.elements.push_back(listed_type(type.elements.at(0)));
      return {list, {b.scalar(b.add_scalar(DType::int64))}};
    }
    default: return {};
  }
}

/// The names of the arrays in an argument.
void append_names(const Type& type, const std::string& name, std::vector<std::string>& names) {
  if (type.kind == TypeKind::buffer) names.push_back(name);
  for (size_t k = 0; k < type.elements.size(); ++k)
    append_names(type.elements[k],
                 type.names.empty() ? format("{}[{}]", name, k) : format("{}.{}", name, type.names[k]), names);
}

std::vector<std::string> array_names(const Function& function, const std::vector<Type>& arguments) {
  std::vector<std::string> names;
  const std::vector<std::string>& parameters = function.tree.names;
  const size_t rest = function.rest < 0 ? parameters.size() : static_cast<size_t>(function.rest);
  for (size_t k = 0; k < arguments.size(); ++k)
    append_names(arguments[k], k < rest ? parameters.at(k) : format("{}[{}]", parameters.at(rest), k - rest), names);
  return names;
}

/// The argument with the lists in it known.
Item with_lists(Lowering& lowering, const Item& item) {
  if (item.type.kind == TypeKind::list) return {lowering.lists.argument(item.type.elements.at(0)).type, item.values};
  if (item.type.kind != TypeKind::tuple) return item;
  std::vector<Item> elements;
  for (size_t k = 0; k < item.type.elements.size(); ++k) elements.push_back(with_lists(lowering, element(item, k)));
  Item tuple = tuple_of(elements);
  tuple.type.names = item.type.names;
  return tuple;
}

/// The argument as the signature has it; arrays are what they are.
Item declared_as(Lowering& lowering, const Item& item, const Type& type) {
  if (type.kind == TypeKind::scalar && item.type.is_scalar()) return lowering.convert(item, Type::scalar(type.dtype));
  if (type.kind == TypeKind::optional)
    if (const std::optional<Type> value = value_type(type))
      return lowering.convert(item, {.kind = TypeKind::optional, .elements = {*value}});
  if (type.kind != TypeKind::tuple || item.type.kind != TypeKind::tuple) return item;
  std::vector<Item> elements;
  for (size_t k = 0; k < type.elements.size(); ++k)
    elements.push_back(declared_as(lowering, element(item, k), type.elements[k]));
  Item tuple = tuple_of(elements);
  tuple.type.names = item.type.names;
  return tuple;
}

// Elements that a kernel never reads need not be brought, those that it never writes not be stored.
void mark_accesses(ir::Kernel& kernel) {
  for (ir::BufferParam& buffer : kernel.buffers) buffer.readable = buffer.writable = false;
  const auto mark = [&](const ir::Instruction& i) {
    const bool does_both = i.op == ir::Opcode::atomic || i.op == ir::Opcode::address;
    if (i.op == ir::Opcode::load || does_both) kernel.buffers[i.imm].readable = true;
    if (i.op == ir::Opcode::store || does_both) kernel.buffers[i.imm].writable = true;
  };
  std::ranges::for_each(kernel.instructions, mark);
  for (const ir::Kernel& body : kernel.bodies) std::ranges::for_each(body.instructions, mark);
}

/// What a view of an argument stores or loads is the argument's.
void mark_aliases(ir::Kernel& kernel, const std::vector<std::pair<uint32_t, uint32_t>>& aliases) {
  for (const auto& [heap, argument] : aliases) {
    ir::BufferParam& buffer = kernel.buffers[argument];
    buffer.no_alias = false;
    buffer.readable |= kernel.buffers[heap].readable;
    buffer.writable |= kernel.buffers[heap].writable;
  }
}

std::vector<DType> dtypes_of(const std::vector<Heap>& heaps) {
  std::vector<DType> dtypes;
  for (const Heap& heap : heaps) dtypes.push_back(heap.dtype);
  return dtypes;
}

/// Calls that fit a thread's stack, of functions that the host calls: by how many values the longest has.
int64_t deepest_calls(const ir::Kernel& kernel) {
  constexpr int64_t most = 10'000, most_with_host = 400, stack = int64_t{3} << 20, least_frame = 256, value = 8;
  size_t longest = 0;
  bool calls_host = false;  // on the caller's thread: the interpreter has no other for it
  for (const ir::Kernel& body : kernel.bodies) {
    longest = std::max(longest, body.instructions.size());
    calls_host |=
        std::ranges::any_of(body.instructions, [](const ir::Instruction& i) { return i.op == ir::Opcode::call_host; });
  }
  return std::min(calls_host ? most_with_host : most, stack / (least_frame + value * static_cast<int64_t>(longest)));
}

/// In the order of their names.
std::vector<std::pair<std::string, std::string>> variables_of(const Function& function, const Known& known) {
  const Liveness liveness(function.tree);
  std::vector<std::pair<std::string, std::string>> variables;
  for (const auto& [key, type] : known.variables.types)
    if (key.starts_with('.') && liveness.find(key.substr(1)) >= 0)
      variables.emplace_back(key.substr(1), describe(type));
  return variables;
}

/// Parameters that are left out must have values of their own.
void check_parameters(const Function& function, size_t given) {
  const std::vector<std::string>& names = function.tree.names;
  const size_t positional = function.rest < 0 ? names.size() : static_cast<size_t>(function.rest);
  bool complete = given <= positional || function.rest >= 0;
  for (size_t k = given; k < names.size(); ++k)
    complete &= static_cast<int>(k) == function.rest || function.defaults.contains(names[k]);
  if (complete) return;
  throw CompileError(
      Fault::typing,
      fault_message(function, function.tree.place,
                    format("{} takes {} arguments, not {}", function.name(), names.size(), given), {}, ""));
}

/// Refuses what an op's body, which runs for one element at a time on any device, cannot do.
void check_body(const Function& function, const Known& known) {
  const auto refuse = [&](std::string_view what, std::string_view instead) {
    throw CompileError(Fault::unsupported, fault_message(function, function.tree.place,
                                                         format("{} {}", function.name(), what), {}, instead));
  };
  if (known.failures.prints) refuse("prints, which ufuncs do not", "a kernel or a function with @jit");
  if (known.failures.reports) refuse("raises, which ufuncs do not", "a value such as nan, or a function with @jit");
  if (!known.constants.empty()) refuse("reads a global array", "an argument");
}

std::vector<ir::Value> results_of(const Function& function, ir::Builder& b, const Item& result,
                                  std::span<const DType> out) {
  const auto fail = [&](const std::string& text) {
    throw CompileError(Fault::typing,
                       fault_message(function, function.tree.place, text, {}, "numbers, or a tuple of them"));
  };
  const bool is_number = result.type.is_scalar();
  const bool is_tuple = result.type.kind == TypeKind::tuple &&
                        std::ranges::all_of(result.type.elements, &Type::is_scalar) && !result.values.empty();
  if (!is_number && !is_tuple) fail(format("{} returns {}", function.name(), describe(result.type)));
  if (!out.empty() && out.size() != result.values.size())
    fail(format("{} returns {} numbers, its signature {}", function.name(), result.values.size(), out.size()));
  std::vector<ir::Value> values = result.values;
  for (size_t k = 0; k < out.size(); ++k) values[k] = b.cast(values[k], out[k]);
  return values;
}

}  // namespace

std::shared_ptr<const ir::Kernel> compile_body(const Function& function, std::span<const DType> in,
                                               std::span<const DType> out, const Environment& environment,
                                               bool contracts) {
  check_parameters(function, in.size());
  const CompileOptions options{.is_body = true, .contracts = contracts};
  Known known;
  for (;;) {
    ir::Builder b(1, function.name());
    for (DType t : in) b.add_buffer({.dtype = t, .ndim = 1});
    const std::vector<ir::Value> at{b.index(0)};
    std::vector<Item> items;
    for (uint32_t k = 0; k < in.size(); ++k) items.push_back({Type::scalar(in[k]), {b.load(k, at)}});
    Lowering lowering(b, known, environment, options);
    Item result;
    try {
      result = lowering.lower_body(function, items);
    } catch (const CompileError&) {
      if (!lowering.is_changed) throw;
    }
    check_body(function, known);
    if (lowering.is_changed) continue;
    const std::vector<ir::Value> values = results_of(function, b, result, out);
    for (ir::Value value : values)
      b.store(b.add_buffer({.dtype = b.type(value), .ndim = 1, .readable = false, .writable = true}), value, at);
    ir::Kernel kernel = narrow_divisions(ir::compact(b.take()));
    return std::make_shared<const ir::Kernel>(contracts ? contract_products(std::move(kernel)) : std::move(kernel));
  }
}

namespace {

/// Whether the kernel or one of its functions calls this of the host.
bool calls(const ir::Kernel& kernel, HostFunction function) {
  const auto is_call = [&](const ir::Instruction& i) {
    return i.op == ir::Opcode::call_host && i.imm == static_cast<uint32_t>(function);
  };
  return std::ranges::any_of(kernel.instructions, is_call) ||
         std::ranges::any_of(kernel.bodies,
                             [&](const ir::Kernel& body) { return std::ranges::any_of(body.instructions, is_call); });
}

bool calls_any(const ir::Kernel& kernel, std::initializer_list<HostFunction> functions) {
  return std::ranges::any_of(functions, [&](HostFunction function) { return calls(kernel, function); });
}

/// The runs over a function's tree until nothing is learnt any more.
class Compilation {
 public:
  Compilation(const Function& function, const std::vector<Type>& arguments, const Environment& environment,
              const CompileOptions& options, const Declared& declared)
      : function_(function),
        arguments_(arguments),
        environment_(environment),
        options_(options),
        declared_(declared),
        is_for_host_(options.is_function && !options.is_device) {}

  Compiled compile() {
    for (;;) {
      if (options_.types) options_.types->clear();
      ir::Builder builder =
          is_for_host_ ? ir::Builder(0, function_.name()) : ir::Builder(kernel_axes, function_.name(), block_axes);
      std::vector<Item> items = declare_all(builder);
      Lowering lowering(builder, known_, environment_, options_);
      for (Item& item : items) item = with_lists(lowering, item);
      for (size_t k = 0; k < std::min(items.size(), declared_.parameters.size()); ++k)
        items[k] = declared_as(lowering, items[k], declared_.parameters[k]);
      if (is_settled(lowering, items, builder)) return finished(lowering, transformed(builder.take(), lowering));
    }
  }

 private:
  std::vector<Item> declare_all(ir::Builder& builder) {
    std::vector<Item> items;
    scalars_.clear();
    for (const Type& type : arguments_) {
      items.push_back(declare(builder, type));
      scalars_.push_back(builder.kernel().scalars.size());
    }
    return items;
  }

  /// Lowers once; whether the kernel is what the function says, with types that are known to be right.
  bool is_settled(Lowering& lowering, const std::vector<Item>& items, const ir::Builder& builder) {
    known_.grew = false;
    const auto before = layout();
    const bool is_guess = !lower(lowering, items);
    // Types name arrays and buffers, which stand elsewhere where a report is added.
    if (layout() != before)
      known_.variables.types.clear(), known_.lists.elements.clear(), known_.calls.functions.clear(),
          known_.skipped.clear();
    else if (is_guess)
      return false;
    if (lowering.has_skipped) {
      if (!known_.grew && !lowering.is_changed) throw CompileError(*guess_failed_);
      if (known_.grew) known_.skipped.clear(), known_.variables.types.clear();
      return false;
    }
    if (lowering.lists.has_guessed() && known_.grew) known_.variables.types.clear();
    if (lowering.is_changed) return false;
    const int64_t deepest = is_for_host_ ? deepest_calls(builder.kernel()) : known_.calls.deepest;
    return !known_.calls.has_any || std::exchange(known_.calls.deepest, deepest) == deepest;
  }

  /// False where the run failed with types that may have been guessed wrongly: it is repeated without that statement.
  bool lower(Lowering& lowering, const std::vector<Item>& items) {
    constexpr int most_alike = 16;  // runs in a row that fail in the same way while types may still grow
    const std::optional<Type> result = declared_.result ? value_type(*declared_.result) : std::nullopt;
    try {
      lowering.lower_kernel(function_, items, result ? &*result : nullptr);
    } catch (const LiteralRequest& request) {
      const auto of = std::ranges::upper_bound(scalars_, static_cast<size_t>(request.number())) - scalars_.begin();
      const TypeKind kind = arguments_.at(static_cast<size_t>(of)).kind;
      if (kind == TypeKind::scalar || kind == TypeKind::slice) throw LiteralRequest(static_cast<uint32_t>(of));
      throw CompileError(Fault::typing, fault_message(function_, function_.tree.place,
                                                      "literally of an element of an argument", {}, "an argument"));
    } catch (const CompileError& error) {
      // What fails with types that still grow is judged when they have grown.
      const bool may_be_guess = lowering.lists.has_guessed() || lowering.has_skipped;
      const bool is_guess = may_be_guess && known_.skipped.insert(lowering.failed_statement).second;
      if (is_guess && lowering.lists.has_guessed()) guess_failed_ = error;
      fails_alike_ = last_error_ == error.what() ? fails_alike_ + 1 : 0;
      if (!is_guess && (!lowering.is_changed || fails_alike_ > most_alike)) throw;
      last_error_ = error.what();
      return !is_guess;
    }
    return true;
  }

  /// The kernel after all passes, and which of its arrays are read and written.
  ir::Kernel transformed(ir::Kernel made, const Lowering& lowering) const {
    ir::Kernel kernel = narrow_divisions(group_sums(std::move(made)));
    if (options_.contracts) {
      for (size_t k = 0; k < kernel.bodies.size(); ++k)
        kernel.bodies[k] = function_body(contract_products(function_kernel(kernel, k)));
      kernel = contract_products(std::move(kernel));
    }
    if (options_.checks_accesses) kernel = settle_reads(std::move(kernel));
    mark_accesses(kernel);
    mark_aliases(kernel, lowering.memory.aliases());
    if (known_.failures.prints)
      kernel.buffers[lowering.failures.lines_buffer()].readable = true;  // lines of earlier launches stay
    return kernel;
  }

  Compiled finished(const Lowering& lowering, ir::Kernel kernel) {
    const bool draws_normal = calls(kernel, HostFunction::draw_normal);
    const bool draws = draws_normal || calls_any(kernel, {HostFunction::draw, HostFunction::random_source});
    const bool needs_lock =
        draws || calls_any(kernel, {HostFunction::allocate, HostFunction::allocate_zeros, HostFunction::grow,
                                    HostFunction::call_numpy, HostFunction::call_numpy_caught});
    const bool calls_host = needs_lock || calls_any(kernel, {HostFunction::thread_number, HostFunction::chunk_size,
                                                             HostFunction::thread_count, HostFunction::set_thread_count,
                                                             HostFunction::begin_parallel, HostFunction::array_word});
    Outlined outlined = outline_parallel(std::move(kernel));
    outlined.kernel.fast_math = options_.fast_math;
    outlined.kernel.device = options_.device;
    if (!options_.is_function) mark_waits(outlined.kernel);
    if (options_.ends_launch && ir::waits_for_others(outlined.kernel)) {
      // Other lanes are in the middle of their code then, on stacks of their own.
      CompileOptions others = options_;
      others.ends_launch = false;
      return kernel::compile(function_, arguments_, environment_, others, declared_);
    }
    return {.kernel = std::make_shared<const ir::Kernel>(std::move(outlined.kernel)),
            .constants = std::move(known_.constants),
            .sites = lowering.failures.sites(),
            .accesses = lowering.checks.sites(),
            .reports = known_.failures.reports,
            .prints = known_.failures.prints,
            .array_names = array_names(function_, arguments_),
            .variables = variables_of(function_, known_),
            .calls_host = calls_host,
            .changes_lists = known_.lists.changes_any,
            .draws = draws,
            .draws_normal = draws_normal,
            .assumes_distinct = known_.assumes_distinct,
            .has_grid_group = lowering.has_grid_group,
            .reads_shared_bytes = lowering.memory.reads_shared_bytes(),
            .result = lowering.result,
            .heaps = dtypes_of(known_.heaps),
            .host_objects = lowering.host_calls.host_objects(),
            .foreign = lowering.host_calls.foreign(),
            .parts = std::move(outlined.parts),
            .parallel_notes = lowering.parallel.notes(),
            .needs_lock = needs_lock};
  }

  /// What decides where arrays and buffers stand among the kernel's.
  std::tuple<bool, bool, bool, size_t, bool, size_t, bool> layout() const {
    return {known_.failures.reports, known_.failures.prints, known_.failures.failing.empty(),
            known_.heaps.size(),     known_.calls.has_any,   known_.failures.deferred,
            known_.draws_itself};
  }

  const Function& function_;
  const std::vector<Type>& arguments_;
  const Environment& environment_;
  const CompileOptions& options_;
  const Declared& declared_;
  const bool is_for_host_;
  Known known_;
  std::vector<size_t> scalars_;  // declared for each argument and those before it
  std::string last_error_;
  int fails_alike_ = 0;
  std::optional<CompileError> guess_failed_;
};

}  // namespace

Compiled compile(const Function& function, const std::vector<Type>& arguments, const Environment& environment,
                 const CompileOptions& options, const Declared& declared) {
  check_parameters(function, arguments.size());
  return Compilation(function, arguments, environment, options, declared).compile();
}

}  // namespace tessera::kernel
