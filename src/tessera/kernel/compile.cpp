#include "tessera/kernel/compile.h"

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
      return {{.kind = TypeKind::buffer, .dtype = type.dtype, .id = b.add_buffer(param), .axes = type.axes}, {}};
    }
    case TypeKind::tuple: {
      std::vector<Item> items;
      for (const ArgumentType& element : type.elements) items.push_back(declare(b, element));
      return tuple_of(items);
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

void check_parameters(const Function& function, size_t given) {
  const size_t wanted = function.tree.names.size();
  if (given == wanted) return;
  throw CompileError(Fault::typing,
                     fault_message(function, function.tree.place,
                                   format("{} takes {} arguments, not {}", function.name(), wanted, given), {}, ""));
}

}  // namespace

std::shared_ptr<const ir::Kernel> compile(const Function& function, const std::vector<ArgumentType>& arguments) {
  check_parameters(function, arguments.size());
  KnownTypes known;
  for (;;) {
    ir::Builder builder(kernel_axes, function.name(), block_axes);
    std::vector<Item> items;
    for (const ArgumentType& type : arguments) items.push_back(declare(builder, type));
    Lowering lowering(builder, known);
    try {
      lowering.lower_kernel(function, items);
    } catch (const CompileError&) {
      // What fails with types that still grow is judged when they have grown.
      if (!lowering.changed()) throw;
    }
    if (lowering.changed()) continue;
    ir::Kernel kernel = contract_products(builder.take());
    mark_accesses(kernel);
    return std::make_shared<const ir::Kernel>(std::move(kernel));
  }
}

}  // namespace tessera::kernel
