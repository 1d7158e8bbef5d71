#include "tessera/graph/call.h"

#include "tessera/base/hash.h"

namespace tessera::graph {

uint64_t Call::hash() const {
  SumHash hash;
  hash.add(reinterpret_cast<uintptr_t>(routine));
  hash.add(arguments.bits());
  for (const CallOperand& operand : operands) {
    hash.add(static_cast<uint64_t>(operand.view.dtype) | operand.view.shape.size() << 8);
    hash.add(operand.view.shape);
    hash.add(operand.view.strides);
  }
  return hash.value();
}

void Call::destroy(Call* call) {
  call->operands.clear();
  call->results.clear();
  freelist<Call>.give(call);
}

}  // namespace tessera::graph
