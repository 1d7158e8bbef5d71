// The engine's one decision between host and device.
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/placer.h"
#include "tessera/engine/support/trace.h"

namespace tessera::engine {

plan::Placement Placer::choose(const plan::WorkCosts& work, PlacedOperands& operands, runtime::Device* device,
                               const ThreadDevices& window) {
  const plan::MachineFacts& facts = facts_of(device);
  const SmallVector<plan::UsedArray, 8> used = operands.used(window.choice->devices(), device);
  plan::Placement placed = sets_.choose(work, {used.data(), used.size()}, facts);
  operands.note_use(placed.set);
  if (copy_guard().to_device == CopyRule::error && operands.only_on_host() > 0) placed.on_device = false;
  if (Trace* trace = Trace::active()) trace->weighed = placed, trace->facts = facts;
  if (device) return placed;
  // Opening the driver is worth what all work together misses.
  missed_ += std::max(0.0, work.host - work.device);
  placed.gets_ready |= missed_ >= plan::PlacementLimits::early * facts.open;
  return placed;
}

}  // namespace tessera::engine
