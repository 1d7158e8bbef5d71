/// PlacedOperands: the arrays that work uses, as placement sees them.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/base/small_vector.h"
#include "tessera/engine/device/placement/device_set.h"
#include "tessera/graph/storage.h"
#include "tessera/plan/working_sets.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

class PlacedOperands {
 public:
  /// Each once; one that nothing has written yet costs no copy and is left out.
  void add(graph::Version& version);
  /// The device on which another library sees an operand, or sees the array it was computed from; null: none.
  runtime::Device* lender() const { return lender_; }
  int64_t only_on_host() const { return only_on_host_; }
  int64_t only_on_device() const { return only_on_device_; }
  std::span<const graph::Version* const> versions() const { return {versions_.data(), versions_.size()}; }
  /// For a choice between the host and a device, one of the set; where none is open, any.
  SmallVector<plan::UsedArray, 8> used(const DeviceSet* set, const runtime::Device* device) const;
  /// The work is placed: the operands are of this working set.
  void note_use(uint32_t working_set);
  /// Copies the operands that the device lacks. May throw OutOfMemory.
  void move(runtime::Device& device);

 private:
  SmallVector<graph::Version*, 8> versions_;
  runtime::Device* lender_ = nullptr;
  int64_t only_on_host_ = 0, only_on_device_ = 0;
};

}  // namespace tessera::engine
