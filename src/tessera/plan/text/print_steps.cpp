#include <sstream>

#include "tessera/plan/step_order.h"
#include "tessera/plan/text/draft_text.h"
#include "tessera/plan/wave.h"

namespace tessera::plan {

std::string print_memory(const Plan& plan) {
  std::ostringstream out;
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    const Slot& slot = plan.slots[s];
    out << 'm' << s << ": " << slot.nbytes << " bytes";
    if (slot.external.node >= 0) out << " from before";
    if (slot.first_step >= 0) out << ", steps " << slot.first_step << " to " << slot.last_step;
    if (slot.block >= 0) out << ", block b" << slot.block;
    out << (slot.kept ? ", kept\n" : "\n");
  }
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    out << 'b' << b << ": " << plan.blocks[b].nbytes << " bytes";
    if (plan.blocks[b].from >= 0) out << ", taken over from m" << plan.blocks[b].from;
    for (size_t k = 0; k < plan.steps.size(); ++k)
      for (const int32_t dropped : plan.steps[k].drop)
        if (dropped == static_cast<int32_t>(b)) out << ", dropped after step " << k;
    out << '\n';
  }
  return std::move(out).str();
}

std::string print_order(const Plan& plan) {
  std::ostringstream out;
  const StepOrder order(plan);
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    out << "after all uses of m" << s << ':';
    for (size_t k = 0; k < plan.steps.size(); ++k)
      if (order.comes_after(static_cast<int32_t>(k), static_cast<int32_t>(s))) out << ' ' << k;
    out << '\n';
  }
  return std::move(out).str();
}

std::string print_moves(const std::vector<PlanPart>& parts) {
  std::ostringstream out;
  for (const PlanPart& part : parts) {
    if (const auto* step = std::get_if<StepPart>(&part)) {
      out << "step " << step->step;
      if (step->copy >= 0)
        out << ", copy " << step->copy << '\n';
      else
        out << ", kernel\n";
      continue;
    }
    const auto& set = std::get<MoveSet>(part);
    out << "moves by " << set.item << " bytes\n";
    for (const Move& move : set.moves) {
      out << "  m" << move.to << ": " << print(move.box) << ", ";
      if (move.from >= 0)
        out << "from m" << move.from << " at distance " << move.distance << '\n';
      else
        out << "filled with operand " << move.value.input << " of node " << move.value.node << '\n';
    }
  }
  return std::move(out).str();
}

std::string print_waves(const Plan& plan) {
  std::string text;
  for (const Wave& wave : plan.waves) text += print(wave);
  return text.empty() ? "no waves\n" : text;
}

std::string print_shares(const Plan& plan, int threads) {
  std::ostringstream out;
  const auto print_all = [&](const char* heading, const std::vector<WaveShare>& shares) {
    for (const WaveShare& share : shares) {
      out << "  " << heading << ':';
      for (size_t p = 0; p < share.size(); ++p) out << " p" << p << '[' << share[p].begin << ':' << share[p].end << ']';
      out << '\n';
    }
  };
  for (const Wave& wave : plan.waves) {
    const WaveShares shares = share_wave(wave, threads);
    out << "wave of steps " << wave.first_step << " to " << wave.end_step - 1 << ", shares of " << threads
        << " threads\n";
    print_all("apart", shares.apart);
    print_all("seam", shares.seams);
  }
  return std::move(out).str();
}

}  // namespace tessera::plan
