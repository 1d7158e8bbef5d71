/// split_body: cuts a body of many operands into several of few.
#pragma once

#include <memory>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// One step: a body, and what its operands are: below the whole body's number of operands those, above the results of
/// earlier steps.
struct BodyStep {
  std::vector<size_t> operands;
  std::shared_ptr<const Kernel> body;
};

/// Steps of at most `limit` operands, whose last has the result of `body`, a kernel over one axis that loads elements
/// of its first buffers and stores one of its last. Empty where an instruction needs more operands.
std::vector<BodyStep> split_body(const Kernel& body, size_t limit);

}  // namespace tessera::ir
