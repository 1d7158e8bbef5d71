// One primitive: the family that writes it in place, else the math library's function.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/primitives.h"

namespace tessera::codegen {

using ir::Opcode;

llvm::Value* emit_primitive(Builder& b, Opcode op, DType dtype, Operands operands, llvm::Module& module,
                            MathLibrary& math) {
  if (op >= Opcode::eq && op <= Opcode::ge) return emit_comparison(b, op, dtype, operands[0], operands[1]);
  llvm::Value* value = nullptr;
  if (is_boolean(dtype)) {
    value = emit_boolean_primitive(b, op, operands);
  } else if (is_integer(dtype)) {
    value = emit_integer_primitive(b, op, dtype, operands, module);
  } else if (dtype == DType::float32 || dtype == DType::float64) {
    value = emit_float_primitive(b, op, operands);
    if (!value) {
      const char* suffix = dtype == DType::float32 ? "_f32" : "_f64";
      value = b.CreateCall(math.import("tessera_math_" + std::string(ir::name(op)) + suffix, module), operands);
    }
  }
  require<NotImplementedError>(value != nullptr, "codegen: {} of {} has no native code", ir::name(op), name(dtype));
  return value;
}

}  // namespace tessera::codegen
