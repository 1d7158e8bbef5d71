/// PlanMemory: the device memory of a plan's slots while it runs.
#pragma once

#include <vector>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/graph/node.h"
#include "tessera/plan/planner.h"
#include "tessera/plan/untouched.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Offset of an operand's view in its slot, in this run.
inline int64_t offset_of(const plan::Binding& binding, const plan::Request& request) {
  if (binding.offset_of.node < 0) return binding.shift;
  const graph::Node& node = request.node(binding.offset_of.node);
  return binding.shift + (binding.offset_of.input < 0 ? node.offset : node.inputs[binding.offset_of.input].offset);
}

/// The boxes that the write leaves untouched, at its offset in this run.
inline std::vector<plan::ByteBox> boxes_for(const plan::CopyStep& copy, const plan::Request& request) {
  const graph::Node& write = request.node(copy.node);
  if (write.offset == copy.offset) return copy.boxes;
  const View view{
      .shape = write.form->shape, .strides = write.form->strides, .offset = write.offset, .dtype = write.form->dtype};
  return plan::untouched_boxes(view, write.out->nbytes);
}

/// The constructor allocates all of it.
class PlanMemory {
 public:
  PlanMemory(const plan::Plan& plan, const plan::Request& request, runtime::Device& device)
      : plan_(plan), external_(plan.slots.size()) {
    for (size_t s = 0; s < external_.size(); ++s) {
      const plan::NodeRef& at = plan.slots[s].external;
      if (at.node < 0) continue;
      const graph::Node& node = request.node(at.node);
      external_[s] = on_device(at.input < 0 ? *node.old : *node.inputs[at.input].version, device);
    }
    const profile::InRow row(profile::Row::allocation);
    for (const plan::Block& block : plan.blocks) {
      blocks_.push_back(block.from < 0 ? device.allocate(static_cast<size_t>(block.nbytes)) : external_[block.from]);
    }
  }
  void drop(int32_t block) { blocks_[block] = nullptr; }
  char* data(int32_t slot) const { return buffer(slot)->data(); }
  const Ref<runtime::Buffer>& buffer(int32_t slot) const {
    const int32_t block = plan_.slots[slot].block;
    return block < 0 ? external_[slot] : blocks_[block];
  }

 private:
  const plan::Plan& plan_;
  std::vector<Ref<runtime::Buffer>> external_;  // by slot
  std::vector<Ref<runtime::Buffer>> blocks_;
};

}  // namespace tessera::engine
