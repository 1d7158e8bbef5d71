/// KernelFunction: a user's function as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "tessera/kernel/compile.h"

namespace tessera::bind {

struct KernelFunction {
  std::shared_ptr<const kernel::Function> function;
};

/// A kernel for one list of argument types.
struct CompiledKernel {
  std::shared_ptr<const ir::Kernel> kernel;
};

/// What a global name stands for, as tessera.cuda describes it: ("constant", 3), ("builtin", "math.sqrt"), ...
kernel::Entity to_entity(nanobind::handle description);
/// Types as tessera.cuda describes them: ("scalar", dtype), ("array", dtype, ndim), ("tuple", [...]), ("none",).
std::vector<kernel::ArgumentType> to_argument_types(nanobind::handle types);

}  // namespace tessera::bind
