#include <sstream>

#include "tessera/plan/plan.h"

namespace tessera::plan {

namespace {

void print_slots(std::ostringstream& out, const char* word, const std::vector<int32_t>& slots) {
  if (slots.empty()) return;
  out << "  " << word;
  for (int32_t slot : slots) out << " m" << slot;
  out << '\n';
}

}  // namespace

std::string print(const Plan& plan) {
  std::ostringstream out;
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    const Slot& slot = plan.slots[s];
    out << "memory m" << s << ": " << slot.nbytes << " bytes";
    if (slot.external.node >= 0) out << ", operand " << slot.external.input << " of node " << slot.external.node;
    if (slot.external.node < 0 && slot.kept) out << ", kept";
    out << '\n';
  }
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const Step& step = plan.steps[k];
    out << "step " << k << '\n';
    print_slots(out, "make", step.make);
    for (const CopyStep& copy : step.copies) {
      out << "  copy m" << copy.from << " -> m" << copy.to << ", " << copy.boxes.size() << " boxes\n";
    }
    if (step.kernel.kernel) {
      out << "  run " << step.kernel.kernel->name << " over " << step.kernel.extents << " on";
      for (const Binding& binding : step.kernel.buffers) out << " m" << binding.slot;
      out << '\n' << ir::print(*step.kernel.kernel);
    }
    print_slots(out, "drop", step.drop);
  }
  return out.str();
}

}  // namespace tessera::plan
