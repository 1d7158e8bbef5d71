// The engine's one decision between host and device.
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placer.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/trace.h"

namespace tessera::engine {

Choice decide(const Weighed& weighed, Regret& regret) {
  if (Trace* trace = Trace::active()) trace->weighed = weighed;
  return choose_device(weighed.question, regret);
}

runtime::Device* Placer::choose(const Work& work, const ThreadDevices& window) {
  Prospect& prospect = *window.choice;
  runtime::Device* device = prospect.device();
  if (device && !device->is_usable()) return nullptr;
  OperandCredits& operands = work.operands;
  if (copy_guard().to_device == CopyRule::error && operands.only_on_host() > 0) return nullptr;
  Question question{.saving = work.host - work.device,
                    .moving = operands.moving(),
                    .credit = operands.credit(),
                    .expected = operands.expected(),
                    .copying_back = operands.copying_back(),
                    .debt = operands.debt(),
                    .in_background = (work.makes_in_background || !device) && kernels_.opens_in_background(),
                    .is_shared = work.is_shared};
  if (covers_moving(question)) question.making = work.making(device);
  const Choice choice = decide({work.host, work.device, question}, work.regret);
  operands.settle(choice == Choice::device, question.saving);
  if (choice == Choice::get_ready || opens_early(question.saving, prospect)) work.get_ready(device);
  if (choice != Choice::device) return nullptr;
  if (!device) {
    prospect.open(false);
    device = prospect.device();
    if (!device) return nullptr;
  }
  device_has_results_ = true;
  return prepared(*device);
}

}  // namespace tessera::engine
