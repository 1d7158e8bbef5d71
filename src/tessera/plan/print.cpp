#include <sstream>

#include "tessera/plan/plan.h"

namespace tessera::plan {

namespace {

void print_dropped(std::ostringstream& out, const std::vector<int32_t>& blocks) {
  if (blocks.empty()) return;
  out << "  drop";
  for (int32_t block : blocks) out << " b" << block;
  out << '\n';
}

/// The buffers that a kernel runs on, as m0@OFFSET(STRIDES).
void print_bindings(std::ostringstream& out, const std::vector<Binding>& buffers) {
  for (const Binding& binding : buffers) {
    out << " m" << binding.slot;
    if (binding.offset != 0) out << '@' << binding.offset;
    out << '(';
    for (size_t axis = 0; axis < binding.strides.size(); ++axis) out << (axis ? "," : "") << binding.strides[axis];
    out << ')';
  }
  out << '\n';
}

}  // namespace

std::string print(const ByteBox& box) {
  std::ostringstream out;
  out << box.nbytes << " bytes at " << box.offset;
  for (size_t axis = 0; axis < box.counts.size(); ++axis)
    out << ", " << box.counts[axis] << " times " << box.strides[axis] << " apart";
  return std::move(out).str();
}

std::string print(const Wave& wave) {
  std::ostringstream out;
  out << "wave of steps " << wave.first_step << " to " << wave.end_step - 1 << ", " << wave.rows_at_once
      << " rows at once\n";
  for (size_t p = 0; p < wave.parts.size(); ++p) {
    const WavePart& part = wave.parts[p];
    out << "  part " << p << ": step " << part.step;
    if (part.copy >= 0) out << ", copy " << part.copy << ", box " << part.box;
    out << ", " << part.rows << " rows from " << part.start << (part.backwards ? ", backwards" : "");
    for (const WaveOrder& order : part.after)
      out << ", after p" << order.part << '[' << order.first << ':' << order.last << ']';
    out << '\n';
  }
  return std::move(out).str();
}

std::string print(const Plan& plan, Bodies bodies) {
  std::ostringstream out;
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    const Slot& slot = plan.slots[s];
    out << "memory m" << s << ": " << slot.nbytes << " bytes";
    if (slot.external.node >= 0 && slot.external.input < 0) out << ", old of node " << slot.external.node;
    if (slot.external.input >= 0) out << ", operand " << slot.external.input << " of node " << slot.external.node;
    if (slot.block >= 0) out << ", block b" << slot.block << (slot.kept ? ", kept" : "");
    out << '\n';
  }
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    out << "block b" << b << ": " << plan.blocks[b].nbytes << " bytes";
    if (plan.blocks[b].from >= 0) out << ", taken over from m" << plan.blocks[b].from;
    out << '\n';
  }
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const Step& step = plan.steps[k];
    out << "step " << k << '\n';
    for (const CopyStep& copy : step.copies) {
      out << "  copy m" << copy.from << " -> m" << copy.to << ", " << copy.boxes.size() << " boxes\n";
      for (const ByteBox& box : copy.boxes) out << "    " << print(box) << '\n';
    }
    if (step.kernel.kernel) {
      out << "  run " << step.kernel.kernel->name << " over " << step.kernel.extents << " on";
      print_bindings(out, step.kernel.buffers);
      if (bodies == Bodies::shown) out << ir::print(*step.kernel.kernel);
    }
    print_dropped(out, step.drop);
  }
  for (const Wave& wave : plan.waves) out << print(wave);
  return out.str();
}

}  // namespace tessera::plan
