/// Precompiled functions of numbers in registers, with the bits of the precompiled loops (loops.h).
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// A long function for one value, and for as many as fill a vector register; either may be null. Parameters and results
/// are passed as the System V convention passes doubles (floats) and vectors of them.
struct ValueFunction {
  void* one = nullptr;
  void* many = nullptr;
};

/// `level`: that of the code that calls it, 2 to 4, at most this CPU's.
ValueFunction find_value_function(Opcode op, DType type, int level);
/// How many values `many` takes; 0 where there is none.
inline int values_at_once(DType type, int level) {
  return level < 3 ? 0 : static_cast<int>((level == 3 ? 32 : 64) / itemsize(type));
}

}  // namespace tessera::ir
