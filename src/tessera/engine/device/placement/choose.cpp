// The engine's one decision between host and device.
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placer.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/trace.h"

namespace tessera::engine {

plan::Choice decide(const plan::Weighed& weighed, plan::Regret& regret) {
  if (Trace* trace = Trace::active()) trace->weighed = weighed;
  return plan::choose_device(weighed.question, regret);
}

runtime::Device* Placer::choose(const Work& work, const ThreadDevices& window) {
  Prospect& prospect = *window.choice;
  runtime::Device* device = work.device;
  OperandCredits& operands = work.operands;
  if (copy_guard().to_device == CopyRule::error && operands.only_on_host() > 0) return nullptr;
  plan::Weighed weighed = plan::weigh(work.facts, operands.sums(prospect.devices(), device));
  plan::Question& question = weighed.question;
  question.in_background = (question.in_background || !device) && kernels_.opens_in_background();
  if (plan::covers_moving(question)) question.making = work.making(device);
  const plan::Choice choice = decide(weighed, work.regret);
  operands.settle(choice == plan::Choice::device, question.saving, question.copying_back);
  if (choice == plan::Choice::get_ready || opens_early(question.saving, prospect)) work.get_ready(device);
  if (choice != plan::Choice::device) return nullptr;
  if (!device) {
    prospect.open(false);
    device = prospect.device();
    if (!device) return nullptr;
  }
  device_has_results_ = true;
  return prepared(*device);
}

}  // namespace tessera::engine
