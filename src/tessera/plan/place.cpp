#include "tessera/plan/place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/base/small_vector.h"

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

OperandSums sum_operands(std::span<const OperandFacts> operands, int device, const MachineFacts& facts) {
  OperandSums sums;
  for (const OperandFacts& operand : operands) {
    const auto size = static_cast<double>(operand.nbytes);
    sums.nbytes += operand.nbytes;
    if (operand.devices == 0) {
      sums.only_on_host += operand.nbytes;
      sums.moving += (facts.copy_start + size / facts.to_device) * operand.moves;
      sums.credit += std::max(0.0, operand.credit);
      sums.expected += operand.expected;
    } else if (device >= 0 && !(operand.devices >> device & 1)) {
      sums.moving += facts.copy_start + size / facts.between_devices;
    }
    if (!operand.is_on_host) {
      sums.only_on_devices += operand.nbytes;
      sums.copying_back += facts.copy_start + size / facts.to_host;
      sums.debt += std::max(0.0, -operand.credit);
    }
  }
  if (sums.only_on_devices > 0) sums.copying_back += facts.synchronise;
  return sums;
}

Weighed weigh(const WorkFacts& work, const OperandSums& operands) {
  return {.host = work.host,
          .device = work.device,
          .question = {.saving = work.host - work.device,
                       .moving = operands.moving,
                       .credit = operands.credit,
                       .expected = operands.expected,
                       .copying_back = operands.copying_back,
                       .debt = operands.debt,
                       .in_background = work.in_background,
                       .is_shared = work.is_shared}};
}

bool covers_moving(const Question& question) {
  const double gain = question.saving + question.copying_back - question.debt;
  return gain > 0 && std::max(question.credit + gain, question.expected) >= question.moving;
}

Choice choose_device(const Question& question, Regret& regret) {
  const double gain = question.saving + question.copying_back - question.debt;
  if (gain <= 0) {
    if (!question.is_shared) regret.seconds = 0;
    return Choice::host;
  }
  const bool covers = covers_moving(question);
  if (question.making == 0) {
    if (covers) regret.seconds = 0;
    return covers ? Choice::device : Choice::host;
  }
  regret.seconds += gain;
  const bool repays_alone = gain >= question.moving + question.making;
  const bool may_wait = repays_alone || !question.in_background || question.copying_back > 0;
  if (covers && may_wait && regret.seconds >= question.making) {
    regret.seconds = 0;
    return Choice::device;
  }
  return regret.seconds >= PlacementLimits::early * question.making ? Choice::get_ready : Choice::host;
}

std::string describe(const Question& question) {
  std::string text;
  const std::pair<const char*, double> costs[] = {{"moving operands there", question.moving},
                                                  {"credit for that", question.credit},
                                                  {"expected of their like", question.expected},
                                                  {"copying operands back", question.copying_back},
                                                  {"credit for that", question.debt},
                                                  {"compiling and opening", question.making}};
  for (const auto& [name, seconds] : costs)
    if (seconds > 0) text += format("{}{} {} us", text.empty() ? "" : ", ", name, std::llround(1e6 * seconds));
  return text;
}

}  // namespace tessera::plan
