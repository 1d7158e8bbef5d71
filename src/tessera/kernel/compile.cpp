#include "tessera/kernel/compile.h"

#include <tuple>

#include "tessera/kernel/contract.h"
#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

namespace {

constexpr int kernel_axes = 6, block_axes = 3;

Item declare(ir::Builder& b, const ArgumentType& type) {
  switch (type.kind) {
    case TypeKind::scalar: {
      const uint32_t param = b.add_scalar(type.dtype);
      return {Type::scalar(type.dtype), {b.scalar(param)}};
    }
    case TypeKind::buffer: {
      const ir::BufferParam param{.dtype = type.dtype, .ndim = static_cast<uint8_t>(type.axes), .writable = true};
      Item array{{.kind = TypeKind::buffer, .dtype = type.dtype, .axes = type.axes, .base_axes = type.axes}, {}};
      array.type.id = b.add_buffer(param);
      return array;
    }
    case TypeKind::tuple:
    case TypeKind::record: {
      std::vector<Item> items;
      for (const ArgumentType& element : type.elements) items.push_back(declare(b, element));
      Item all = tuple_of(items);
      all.type.kind = type.kind;
      all.type.axes = type.axes;
      all.type.names = type.names;
      return all;
    }
    default: return {};
  }
}

// Elements that a kernel never reads need not be brought, those that it never writes not be stored.
void mark_accesses(ir::Kernel& kernel) {
  for (ir::BufferParam& buffer : kernel.buffers) buffer.readable = buffer.writable = false;
  for (const ir::Instruction& i : kernel.instructions) {
    if (i.op == ir::Opcode::load || i.op == ir::Opcode::atomic) kernel.buffers[i.imm].readable = true;
    if (i.op == ir::Opcode::store || i.op == ir::Opcode::atomic) kernel.buffers[i.imm].writable = true;
  }
}

/// In the order of their names.
std::vector<std::pair<std::string, std::string>> variables_of(const Function& function, const Known& known) {
  const Liveness liveness(function.tree);
  std::vector<std::pair<std::string, std::string>> variables;
  for (const auto& [key, type] : known.types)
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

}  // namespace

Compiled compile(const Function& function, const std::vector<ArgumentType>& arguments, const CompileOptions& options) {
  check_parameters(function, arguments.size());
  Known known;
  for (;;) {
    ir::Builder builder =
        options.is_function ? ir::Builder(0, function.name()) : ir::Builder(kernel_axes, function.name(), block_axes);
    std::vector<Item> items;
    for (const ArgumentType& type : arguments) items.push_back(declare(builder, type));
    Lowering lowering(builder, known, options);
    const auto layout = [&] {
      return std::tuple(known.reports, known.prints, known.failing.empty(), known.heaps.size());
    };
    const auto before = layout();
    try {
      lowering.lower_kernel(function, items);
    } catch (const CompileError&) {
      // What fails with types that still grow is judged when they have grown.
      if (!lowering.changed()) throw;
    }
    // Types name arrays and buffers, which stand elsewhere where a report is added.
    if (layout() != before) known.types.clear();
    if (lowering.changed()) continue;
    ir::Kernel kernel = options.contracts ? contract_products(builder.take()) : builder.take();
    mark_accesses(kernel);
    if (known.prints) kernel.buffers[lowering.lines_buffer()].readable = true;  // lines of earlier launches stay
    return {.kernel = std::make_shared<const ir::Kernel>(std::move(kernel)),
            .constants = std::move(known.constants),
            .sites = lowering.sites(),
            .reports = known.reports,
            .prints = known.prints,
            .variables = variables_of(function, known),
            .reads_shared_bytes = lowering.reads_shared_bytes(),
            .result = lowering.result(),
            .heaps = known.heaps};
  }
}

}  // namespace tessera::kernel
