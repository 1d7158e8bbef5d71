#include "tessera/engine/device/placement/device_set.h"

#include <algorithm>
#include <limits>

#include "tessera/base/small_vector.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/support/limits.h"
#include "tessera/plan/place.h"
#include "tessera/plan/placement_limits.h"

namespace tessera::engine {

/// The device that has all operands that are on a device at all, none of which has several copies; null: none.
static runtime::Device* only_device(std::span<const graph::Version* const> operands) {
  runtime::Device* only = nullptr;
  for (const graph::Version* version : operands) {
    if (!version->on_devices) continue;
    runtime::Device* device = version->on_devices->next ? nullptr : device_of(*version);
    if (!device || (only && device != only)) return nullptr;
    only = device;
  }
  return only;
}

runtime::Device* DeviceSet::largest() const {
  runtime::Device* largest = nullptr;
  for (runtime::Device* device : devices_)
    if (device->is_usable() && (!largest || device->capacity() > largest->capacity())) largest = device;
  return largest;
}

int64_t DeviceSet::capacity() const {
  const runtime::Device* device = largest();
  return device ? device->capacity() : 0;
}

int64_t DeviceSet::least_cut_bytes() const {
  const TileRules& rules = tile_rules();
  if (rules.cut == CutRule::from_size) return rules.least_bytes;
  const bool are_apart = !is_one() && std::ranges::none_of(devices_, [](const runtime::Device* device) {
    return device->takes_ir() || device->facts().part > 0;
  });
  return are_apart ? TileLimits::least_bytes : std::numeric_limits<int64_t>::max();
}

int DeviceSet::number_of(const runtime::Device* device) const {
  const auto at = std::ranges::find(devices_, device);
  return at == devices_.end() ? -1 : static_cast<int>(at - devices_.begin());
}

uint64_t DeviceSet::where(const graph::Version& version) const {
  uint64_t bits = 0;
  for (const runtime::Device* device : devices_of(version))
    if (const int number = number_of(device); number >= 0) bits |= uint64_t{1} << number;
  return bits;
}

DeviceSet::Chosen DeviceSet::choose(std::span<const graph::Version* const> operands, int64_t nbytes) const {
  if (is_one()) return {usable()};
  if (runtime::Device* only = only_device(operands); only && only->is_usable() && nbytes <= only->capacity())
    if (number_of(only) >= 0) return {only};
  SmallVector<plan::DeviceFacts, 8> devices;
  for (const runtime::Device* device : devices_)
    devices.push_back({.capacity = device->capacity(), .is_usable = device->is_usable()});
  SmallVector<plan::OperandFacts, 16> facts;
  uint64_t have = 0;  // the devices that have any of the operands
  for (const graph::Version* version : operands) {
    if (version->lent)
      if (runtime::Device* lender = device_of(*version); number_of(lender) >= 0) return {lender};
    facts.push_back({.nbytes = version->nbytes, .devices = where(*version)});
    have |= facts.back().devices;
  }
  const int chosen = plan::choose_equal(facts, devices, nbytes, next_);
  if (chosen < 0) return {largest()};  // which says that the work is too large
  runtime::Device* device = devices_[static_cast<size_t>(chosen)];
  // What is small says nothing of where the next work begins.
  if (have >> chosen & 1 || nbytes < plan::PlacementLimits::spread_bytes) return {device};
  const graph::Version* first = operands.empty() ? nullptr : operands[0];
  if (first && first == asked_ && answered_->is_usable() && nbytes <= answered_->capacity()) return {answered_};
  return {device, true, first};
}

void DeviceSet::take_turn(const Chosen& chosen) {
  if (!chosen.is_turn) return;
  next_ = static_cast<size_t>(number_of(chosen.device) + 1) % devices_.size();
  asked_ = chosen.first, answered_ = chosen.device;
}

}  // namespace tessera::engine
