/// How dtypes look in LLVM, as values and in memory.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "tessera/layout/dtype.h"

namespace tessera::codegen {

/// One IR value: complex values have two parts, all others only the first.
struct Parts {
  llvm::Value* first = nullptr;
  llvm::Value* second = nullptr;
};

/// The type of a value, or of one part of a complex value: booleans are i1, float16 and bfloat16 their bits as i16.
llvm::Type* value_type(llvm::LLVMContext& context, DType dtype);
/// The same in memory, where booleans are bytes.
llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype);
/// Bytes of one part in memory.
inline int64_t part_size(DType dtype) { return itemsize(real_dtype(dtype)); }
/// The constant with a scalar's value.
Parts constant_of(llvm::LLVMContext& context, const Scalar& scalar);
/// The constant with every bit as the number says: an integer of any width, or a float.
llvm::Constant* number(llvm::Type* type, double value);

}  // namespace tessera::codegen
