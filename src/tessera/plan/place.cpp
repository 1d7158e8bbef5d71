#include "tessera/plan/place.h"

namespace tessera::plan {

int choose_equal(std::span<const OperandFacts> operands, std::span<const DeviceFacts> devices, int64_t nbytes,
                 size_t next) {
  const auto fits = [&](size_t k) { return devices[k].is_usable && nbytes <= devices[k].capacity; };
  int best = -1;
  int64_t most = 0;
  for (size_t k = 0; k < devices.size(); ++k) {
    if (!fits(k)) continue;
    int64_t here = 0;
    for (const OperandFacts& operand : operands) here += operand.devices >> k & 1 ? operand.nbytes : 0;
    if (best < 0 || here > most) best = static_cast<int>(k), most = here;
  }
  if (best < 0 || most > 0) return best;
  while (!fits(next)) next = (next + 1) % devices.size();
  return static_cast<int>(next);
}

}  // namespace tessera::plan
