// What the parts of the emitter share.
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

Writing::Writing(const ir::Kernel& kernel, llvm::Module& module, MathLibrary& math, Machine machine)
    : kernel(kernel),
      module(module),
      context(module.getContext()),
      math(math),
      machine(machine),
      dependence(kernel),
      b(context),
      word(llvm::Type::getInt64Ty(context)),
      axis_index(kernel.ndim) {}

EmitterPart::EmitterPart(Emitter& emitter)
    : e_(emitter),
      w_(emitter.writing),
      b_(w_.b),
      kernel_(w_.kernel),
      module_(w_.module),
      context_(w_.context),
      math_(w_.math),
      machine_(w_.machine),
      mapping_(w_.mapping),
      dependence_(w_.dependence),
      function_(w_.function),
      word_(w_.word) {}

Parts EmitterPart::get(ir::Value v) { return e_.values.get(v); }
void EmitterPart::set(ir::Value v, Parts parts) { e_.values.set(v, parts); }

Emitter::Emitter(const ir::Kernel& kernel, llvm::Module& module, MathLibrary& math, Machine machine)
    : writing(kernel, module, math, machine) {}

}  // namespace tessera::codegen
