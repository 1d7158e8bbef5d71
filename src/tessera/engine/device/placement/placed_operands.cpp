#include "tessera/engine/device/placement/placed_operands.h"

#include <algorithm>

#include "tessera/engine/device/memory/coherence.h"

namespace tessera::engine {

using graph::Version;

void PlacedOperands::add(Version& version) {
  if (is_unallocated(version) || std::find(versions_.begin(), versions_.end(), &version) != versions_.end()) return;
  versions_.push_back(&version);
  if ((version.lent || version.stays) && !lender_) lender_ = device_of(version);
  if (!version.on_devices) only_on_host_ += version.nbytes;
  if (!version.data) only_on_device_ += version.nbytes;
}

SmallVector<plan::UsedArray, 8> PlacedOperands::used(const DeviceSet* set, const runtime::Device* device) const {
  SmallVector<plan::UsedArray, 8> arrays;
  const int number = set && device && !set->is_one() ? set->number_of(device) : -1;
  for (const Version* version : versions_) {
    arrays.push_back({});
    arrays.back() = {.nbytes = version->nbytes,
                     .identity = version,
                     .set = version->working_set,
                     .is_new = !version->was_placed,
                     .is_on_host = version->data != nullptr,
                     .is_on_device = version->on_devices != nullptr,
                     .is_on_other_device = number >= 0 && version->on_devices && !(set->where(*version) >> number & 1)};
  }
  return arrays;
}

void PlacedOperands::note_use(uint32_t working_set) {
  for (Version* version : versions_) {
    version->working_set = working_set;
    // The device's copy of what others may write is not kept.
    version->was_placed = !version->foreign;
  }
}

void PlacedOperands::move(runtime::Device& device) {
  for (Version* version : versions_)
    if (!version->foreign && !find_copy(*version, device)) on_device(*version, device);
}

}  // namespace tessera::engine
