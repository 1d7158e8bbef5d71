/// The LLVM types of dtypes, as values and in memory.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "tessera/layout/dtype.h"

namespace tessera::codegen {

/// The LLVM value of one IR value: complex values have two parts, all others only the first.
struct Parts {
  llvm::Value* first = nullptr;
  llvm::Value* second = nullptr;
};

/// The type of a value, or of one part of a complex value: booleans are i1; float16 and bfloat16 are their bits as i16.
llvm::Type* value_type(llvm::LLVMContext& context, DType dtype);
/// The type in memory, where booleans are bytes.
llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype);
/// Bytes of one part in memory.
inline int64_t part_size(DType dtype) { return itemsize(real_dtype(dtype)); }
/// The constant of a scalar's value.
Parts constant_of(llvm::LLVMContext& context, const Scalar& scalar);
/// The constant of this type, an integer of any width or a float, with the value of `value`.
llvm::Constant* number(llvm::Type* type, double value);

}  // namespace tessera::codegen
