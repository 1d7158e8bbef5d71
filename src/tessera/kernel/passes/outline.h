/// outline_parallel: loops whose iterations are independent become functions of their own, which the host runs on
/// several threads.
#pragma once

#include <memory>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// A function that contained such loops, and their iterations.
struct Outlined {
  ir::Kernel kernel;
  /// Iterations: functions with the same buffers, and the same scalars followed by what the loop uses of its
  /// surroundings and, last, the iteration's number.
  std::vector<std::shared_ptr<const ir::Kernel>> parts;
};

/// In place of the k-th loop stands ir::Opcode::call_host of first_part + k; its operands are the number of iterations
/// and the words of what the loop uses, two for each scalar. Loops that use an array of the lane's stay.
Outlined outline_parallel(ir::Kernel kernel);

}  // namespace tessera::kernel
