/// TiledSlots: the memory of a plan's slots on each of several devices, while it runs by parts.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"
#include "tessera/tile/schedule.h"

namespace tessera::engine {

/// By the bytes of an array: how far beyond its own bytes a device needed others', so that new arrays get memory for
/// that. Says nothing of results.
using Margins = std::unordered_map<int64_t, int64_t>;

/// What of the slots is where before the plan runs, and that memory, which so stays there while memory is
/// allocated.
struct SlotStates {
  std::vector<tile::SlotState> slots;
  std::vector<Ref<runtime::Buffer>> memory;
};
/// Arrays that are neither on the host nor on these devices come to the host first.
SlotStates find_slot_states(const plan::Plan& plan, const plan::Request& request,
                            std::span<runtime::Device* const> devices);

class TiledSlots {
 public:
  TiledSlots(const plan::Plan& plan, const plan::Request& request, const tile::Schedule& schedule,
             std::span<runtime::Device* const> devices);

  /// Allocates what the schedule touches; throws OutOfMemory with nothing queued.
  void allocate(Margins& margins);
  /// Queues what makes that memory ready: what its arrays have in memory that is too narrow, and zeros.
  void prepare();
  /// Where byte 0 of the slot would be at the place; null where the place does not touch it.
  char* address(int32_t slot, int place) const {
    const Local& local = locals_[static_cast<size_t>(slot)][static_cast<size_t>(place)];
    return local.memory ? local.memory->data() - local.held.begin : nullptr;
  }
  /// Null where the place does not touch it. Several slots may share one.
  const runtime::Buffer* memory(int32_t slot, int place) const {
    return locals_[static_cast<size_t>(slot)][static_cast<size_t>(place)].memory.get();
  }
  /// The host's elements of a slot.
  const char* on_host(int32_t slot) const;
  runtime::Device& device(int place) const { return *devices_[static_cast<size_t>(place)]; }
  int places() const { return static_cast<int>(devices_.size()); }
  /// Hands the memory to the versions that the plan makes, and to those that it read where others' elements came to.
  void settle() { settle(false); }
  /// With `beside_host` only as copies beside what the host has of them: what the plan makes it has made there.
  void settle(bool beside_host);

 private:
  struct Local {
    Ref<runtime::Buffer> memory{};
    tile::Range held{};
  };
  graph::Version* version(size_t slot) const;
  /// Whether what existed before has a part at each of the devices.
  bool is_over_devices(size_t slot) const;
  Local existing(size_t slot, size_t place) const;
  tile::Range wanted(size_t slot, size_t place, const Margins& margins) const;
  /// What all slots of a block want there, where that is hardly more than each of them wants; else nothing.
  tile::Range wanted_by_all(int32_t block, size_t place, const Margins& margins) const;
  Local take_block(size_t slot, size_t place, tile::Range wanted, const Margins& margins);
  bool is_passing(size_t slot, size_t place) const;
  TiledMemory tiles(size_t slot) const;
  void set_result(graph::Version& out, size_t slot) const;

  const plan::Plan& plan_;
  const plan::Request& request_;
  const tile::Schedule& schedule_;
  std::vector<int64_t> rows_;  // by slot: bytes of a row
  std::vector<runtime::Device*> devices_;
  std::vector<std::vector<Local>> locals_, before_;        // by slot, by place; `before_` is replaced by wider memory
  std::vector<std::vector<Ref<runtime::Buffer>>> blocks_;  // by block, by place
  std::vector<bool> is_written_;                           // by slot
  struct Compared {
    const Tile* tiles = nullptr;  // with the devices, of which there may be thousands
    bool are_over = false;
  };
  mutable std::vector<Compared> compared_;  // by slot
};

}  // namespace tessera::engine
