/// LLVM code for the arithmetic, comparison and conversion opcodes, with the semantics of ir/kernel.h.
#pragma once

#include "tessera/codegen/emit/primitives/llvm_types.h"
#include "tessera/codegen/emit/primitives/machine.h"
#include "tessera/codegen/emit/primitives/math_library.h"
#include "tessera/ir/kernel.h"

namespace tessera::codegen {

using Builder = llvm::IRBuilder<>;
using Operands = llvm::ArrayRef<llvm::Value*>;

/// Any arithmetic or comparison opcode on operands of `dtype` (the first operand's type).
llvm::Value* emit_primitive(Builder& b, ir::Opcode op, DType dtype, Operands operands, llvm::Module& module,
                            MathLibrary& math, const Machine& machine);
/// The opcodes of each family; null when op does not belong to it.
llvm::Value* emit_float_primitive(Builder& b, ir::Opcode op, Operands operands);
/// A device's approximation of float32 functions.
llvm::Value* emit_approximate(Builder& b, ir::Opcode op, Operands operands, int capability);
llvm::Value* emit_integer_primitive(Builder& b, ir::Opcode op, DType dtype, Operands operands, llvm::Module& module);
llvm::Value* emit_boolean_primitive(Builder& b, ir::Opcode op, Operands operands);
llvm::Value* emit_comparison(Builder& b, ir::Opcode op, DType dtype, llvm::Value* x, llvm::Value* y);
/// A function of the module for an opcode that needs a loop: pow, gcd, lcm.
llvm::Function* integer_function(ir::Opcode op, DType dtype, llvm::Module& module);

llvm::Value* emit_cast(Builder& b, llvm::Value* x, DType from, DType to, const Machine& machine);
llvm::Value* emit_bitcast(Builder& b, llvm::Value* x, DType from, DType to);
/// float16 and bfloat16 bits to float32 and back, rounded to nearest even.
llvm::Value* half_to_float(Builder& b, llvm::Value* bits, const Machine& machine);
llvm::Value* float_to_half(Builder& b, llvm::Value* x, const Machine& machine);
llvm::Value* double_to_half(Builder& b, llvm::Value* x, const Machine& machine);
llvm::Value* bfloat16_to_float(Builder& b, llvm::Value* bits);
llvm::Value* float_to_bfloat16(Builder& b, llvm::Value* x);

/// The absolute value.
llvm::Value* emit_fabs(Builder& b, llvm::Value* x);
llvm::Value* is_infinite(Builder& b, llvm::Value* x);
llvm::Value* is_finite(Builder& b, llvm::Value* x);

}  // namespace tessera::codegen
