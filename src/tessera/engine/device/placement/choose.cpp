// The engine's one decision between host and device.
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/state.h"
#include "tessera/engine/trace.h"

namespace tessera {

engine::Choice engine::State::decide(const engine::Weighed& weighed, engine::Regret& regret) {
  if (engine::Trace* trace = engine::Trace::active()) trace->weighed = weighed;
  return engine::choose_device(weighed.question, regret);
}

runtime::Device* engine::State::choose(const engine::Work& work, engine::Recorder& window) {
  engine::Prospect& prospect = *window.choice;
  runtime::Device* device = prospect.device();
  if (device && !device->is_usable()) return nullptr;
  engine::OperandCredits& operands = work.operands;
  if (engine::copy_guard().to_device == engine::CopyRule::error && operands.only_on_host() > 0) return nullptr;
  engine::Question question{.saving = work.host - work.device,
                            .moving = operands.moving(),
                            .credit = operands.credit(),
                            .expected = operands.expected(),
                            .copying_back = operands.copying_back(),
                            .debt = operands.debt(),
                            .in_background = (work.makes_in_background || !device) && kernels.opens_in_background(),
                            .is_shared = work.is_shared};
  if (covers_moving(question)) question.making = work.making(device);
  const engine::Choice choice = decide({work.host, work.device, question}, work.regret);
  operands.settle(choice == engine::Choice::device, question.saving);
  if (choice == engine::Choice::get_ready || opens_early(question.saving, prospect)) work.get_ready(device);
  if (choice != engine::Choice::device) return nullptr;
  if (!device) {
    prospect.open(false);
    device = prospect.device();
    if (!device) return nullptr;
  }
  device_has_results = true;
  return engine::prepared(*device);
}

}  // namespace tessera
