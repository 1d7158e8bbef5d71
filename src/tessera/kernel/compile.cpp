#include "tessera/kernel/compile.h"

#include <algorithm>
#include <initializer_list>

#include "tessera/kernel/infer/infer.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/passes/contract.h"
#include "tessera/kernel/passes/group_sums.h"
#include "tessera/kernel/passes/local_objects.h"
#include "tessera/kernel/passes/narrow.h"
#include "tessera/kernel/passes/outline.h"
#include "tessera/kernel/passes/settled_reads.h"
#include "tessera/kernel/passes/waits.h"

namespace tessera::kernel {

namespace {

/// The names of the arrays in an argument.
void append_names(const Type& type, const std::string& name, std::vector<std::string>& names) {
  if (type->kind == TypeKind::buffer) names.push_back(name);
  for (size_t k = 0; k < type->elements.size(); ++k)
    append_names(type->elements[k],
                 type->names.empty() ? format("{}[{}]", name, k) : format("{}.{}", name, type->names[k]), names);
}

std::vector<std::string> array_names(const Function& function, const std::vector<Type>& arguments) {
  std::vector<std::string> names;
  const std::vector<std::string>& parameters = function.tree.names;
  const size_t rest = function.rest < 0 ? parameters.size() : static_cast<size_t>(function.rest);
  for (size_t k = 0; k < arguments.size(); ++k)
    append_names(arguments[k], k < rest ? parameters.at(k) : format("{}[{}]", parameters.at(rest), k - rest), names);
  return names;
}

// Elements that a kernel never reads need not be brought, those that it never writes not be stored.
void mark_accesses(ir::Kernel& kernel) {
  for (ir::BufferParam& buffer : kernel.buffers) buffer.readable = buffer.writable = false;
  const auto mark = [&](const ir::Kernel& of) {
    for (const ir::Instruction& i : of.instructions) {
      const bool does_both = i.op == ir::Opcode::atomic || i.op == ir::Opcode::address;
      if (i.op == ir::Opcode::load || does_both) kernel.buffers[i.imm].readable = true;
      if (i.op == ir::Opcode::store || does_both) kernel.buffers[i.imm].writable = true;
      // Routines read what they get the address of.
      if (i.op != ir::Opcode::call_host || i.imm != static_cast<uint32_t>(HostFunction::array_word)) continue;
      const ir::Instruction& buffer = of.instructions[of.args[i.first_arg]];
      kernel.buffers[static_cast<size_t>(of.constants[buffer.imm].as_int())].readable = true;
    }
  };
  mark(kernel);
  std::ranges::for_each(kernel.bodies, mark);
}

bool holds_object(const Type& type) {
  return type->kind == TypeKind::object || std::ranges::any_of(type->elements, holds_object);
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

std::vector<DType> dtypes_of(const std::vector<typed::Heap>& heaps) {
  std::vector<DType> dtypes;
  for (const typed::Heap& heap : heaps) dtypes.push_back(heap.dtype);
  return dtypes;
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

std::vector<ir::Value> results_of(const Function& function, ir::Builder& b, const Item& result,
                                  std::span<const DType> out) {
  const auto fail = [&](const std::string& text) {
    throw CompileError(Fault::typing,
                       fault_message(function, function.tree.place, text, {}, "numbers, or a tuple of them"));
  };
  const bool is_number = result.type.is_scalar();
  const bool is_tuple = result.type->kind == TypeKind::tuple &&
                        std::ranges::all_of(result.type->elements, &Type::is_scalar) && !result.values.empty();
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
  const typed::Program program = infer_body(function, in, environment, options);
  Findings findings(program);
  ir::Builder b = builder_for(function, options, true);
  const std::vector<Item> operands = operands_of_body(b, in);
  const Item result = Lowering(b, findings, environment, options).lower_body(function, operands);
  const std::vector<ir::Value> at{b.index(0)}, values = results_of(function, b, result, out);
  for (ir::Value value : values)
    b.store(b.add_buffer({.dtype = b.type(value), .ndim = 1, .readable = false, .writable = true}), value, at);
  ir::Kernel kernel = narrow_divisions(ir::compact(b.take()));
  return std::make_shared<const ir::Kernel>(contracts ? contract_products(std::move(kernel)) : std::move(kernel));
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

/// Appends the scalars of an argument that are signed integers where the signature has unsigned ones, or the other way.
void append_unsigned(const ir::Builder& b, const Item& item, const Type& declared, std::vector<size_t>& scalars) {
  if (item.type.is_scalar() && declared.is_scalar() && !item.type->unit) {
    const DType from = item.type->dtype;
    const DType to = declared->dtype;
    if (is_integer(from) && is_integer(to) && is_unsigned_integer(from) != is_unsigned_integer(to))
      scalars.push_back(b.kernel().instructions[item.values[0]].imm);
  }
  if (item.type->kind != TypeKind::tuple || declared->kind != TypeKind::tuple) return;
  for (size_t k = 0; k < std::min(item.type->elements.size(), declared->elements.size()); ++k)
    append_unsigned(b, element(item, k), declared->elements[k], scalars);
}

/// A function that is lowered, once, as inference found it.
class Compilation {
 public:
  Compilation(const Function& function, const std::vector<Type>& arguments, const Environment& environment,
              const CompileOptions& options, const Declared& declared)
      : function_(function),
        arguments_(arguments),
        environment_(environment),
        options_(options),
        declared_(declared),
        known_(infer(function, arguments, environment, options, declared)) {}

  Compiled compile() {
    Findings findings(known_);
    ir::Builder builder = builder_for(function_, options_, true);
    Lowering lowering(builder, findings, environment_, options_);
    lower_function(lowering, function_, declare_parameters(builder, arguments_), declared_);
    return finished(lowering, transformed(builder.take(), lowering));
  }

 private:
  /// The kernel after all passes, and which of its arrays are read and written.
  ir::Kernel transformed(ir::Kernel made, const Lowering& lowering) const {
    ir::Kernel kernel = narrow_divisions(group_sums(keep_objects_local(std::move(made))));
    if (options_.contracts) {
      for (size_t k = 0; k < kernel.bodies.size(); ++k)
        kernel.bodies[k] = function_body(contract_products(function_kernel(kernel, k)));
      kernel = contract_products(std::move(kernel));
    }
    if (options_.checks_accesses) kernel = settle_reads(std::move(kernel));
    mark_accesses(kernel);
    mark_aliases(kernel, lowering.memory.aliases());
    // Arrays in fields of objects may be any.
    const bool has_objects = std::ranges::any_of(arguments_, holds_object);
    for (uint32_t k = 0; k < array_names(function_, arguments_).size() && has_objects; ++k)
      kernel.buffers[k].no_alias = false;
    if (known_.failures.prints)
      kernel.buffers[lowering.failures.lines_buffer()].readable = true;  // lines of earlier launches stay
    return kernel;
  }

  Compiled finished(const Lowering& lowering, ir::Kernel kernel) {
    const bool draws_normal = calls_any(kernel, {HostFunction::draw_normal, HostFunction::normal_source});
    const bool draws = draws_normal || calls_any(kernel, {HostFunction::draw, HostFunction::random_source});
    const bool needs_lock =
        draws || calls_any(kernel, {HostFunction::allocate, HostFunction::allocate_zeros, HostFunction::grow,
                                    HostFunction::table, HostFunction::text, HostFunction::call_numpy,
                                    HostFunction::call_numpy_caught, HostFunction::objects, HostFunction::draw_python,
                                    HostFunction::python_source});
    const bool calls_host = needs_lock || calls_any(kernel, {HostFunction::thread_number, HostFunction::chunk_size,
                                                             HostFunction::thread_count, HostFunction::set_thread_count,
                                                             HostFunction::begin_parallel, HostFunction::array_word,
                                                             HostFunction::linear_algebra, HostFunction::draw_apart,
                                                             HostFunction::call_address, HostFunction::reduce_row});
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
            .constants = known_.constants,
            .sites = lowering.failures.sites(),
            .accesses = lowering.checks.sites(),
            .reports = known_.failures.reports,
            .prints = known_.failures.prints,
            .arguments = {.array_names = array_names(function_, arguments_), .unsigned_scalars = unsigned_scalars()},
            .variables = typed::variables_of(known_),
            .calls_host = calls_host,
            .containers = {.are_changed = known_.lists.changes_any, .are_in_fields = known_.keeps_containers},
            .draws = draws_normal ? Draws::normal
                     : draws      ? Draws::uniform
                                  : Draws::none,
            .assumes_distinct = known_.assumes_distinct,
            .launch = {.has_grid_group = lowering.has_grid_group,
                       .reads_shared_bytes = lowering.memory.reads_shared_bytes()},
            .result = lowering.result,
            .heaps = dtypes_of(known_.heaps),
            .generator = lowering.generators.outermost(),
            .host_objects = lowering.host_calls.host_objects(),
            .foreign = lowering.host_calls.foreign(),
            .loops = {.parts = std::move(outlined.parts), .notes = lowering.parallel.notes()},
            .needs_lock = needs_lock};
  }

  std::vector<size_t> unsigned_scalars() const {
    ir::Builder b = builder_for(function_, options_, true);
    const std::vector<Item> items = declare_parameters(b, arguments_);
    std::vector<size_t> scalars;
    for (size_t k = 0; k < std::min(items.size(), declared_.parameters.size()); ++k)
      append_unsigned(b, items[k], declared_.parameters[k], scalars);
    return scalars;
  }

  const Function& function_;
  const std::vector<Type>& arguments_;
  const Environment& environment_;
  const CompileOptions& options_;
  const Declared& declared_;
  const typed::Program known_;
};

}  // namespace

Compiled compile(const Function& function, const std::vector<Type>& arguments, const Environment& environment,
                 const CompileOptions& options, const Declared& declared) {
  check_parameters(function, arguments.size());
  return Compilation(function, arguments, environment, options, declared).compile();
}

}  // namespace tessera::kernel
