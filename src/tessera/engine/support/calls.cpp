#include "tessera/engine/support/calls.h"

#include <algorithm>

#include "tessera/base/format.h"
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

bool is_long_call(const ops::Routine& routine, const ops::CallView& call) {
  // Of few elements only factorisations are long; the costs of others take as long as small calls.
  return routine.time == ops::CallTime::at_call && routine.vendor_bits &&
         routine.cost(call).host_steps >= HostLimits::steps_for_unlock;
}

bool has_whole_steps(const View& view) {
  const int64_t item = view.itemsize();
  return view.offset % item == 0 &&
         std::all_of(view.strides.begin(), view.strides.end(), [&](int64_t stride) { return stride % item == 0; });
}

std::string describe_call(const graph::Call& call) {
  std::string text = format("call {}:", call.routine->name);
  for (const graph::CallOperand& operand : call.operands)
    text += format(" {} {}", shape_text(operand.view.shape), name(operand.view.dtype));
  return text + "\n";
}

}  // namespace tessera::engine
