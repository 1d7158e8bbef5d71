/// compile: a user's function and the types of its arguments become a kernel of six axes.
#pragma once

#include <memory>
#include <vector>

#include "tessera/kernel/function.h"
#include "tessera/kernel/type.h"

namespace tessera::kernel {

/// An argument of a kernel: a scalar, an array or a tuple of those; none is None.
struct ArgumentType {
  TypeKind kind = TypeKind::scalar;
  DType dtype = DType::float64;
  int axes = 0;  // of a buffer
  std::vector<ArgumentType> elements;
  friend bool operator==(const ArgumentType&, const ArgumentType&) = default;
};

/// The kernel's axes 0 to 2 are blockIdx.z, .y and .x, axes 3 to 5 threadIdx.z, .y and .x. Its buffers and its scalars
/// are the arguments' in order, tuples flattened; of a buffer it says whether elements are read and written. Throws
/// CompileError.
std::shared_ptr<const ir::Kernel> compile(const Function& function, const std::vector<ArgumentType>& arguments);

}  // namespace tessera::kernel
