#include "tessera/engine/device/tiled/tiled_slots.h"

#include <algorithm>
#include <utility>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/tiled/tile_steps.h"
#include "tessera/engine/support/memory.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/graph/node.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/host/host_stream.h"

namespace tessera::engine {

using graph::Version;
using runtime::Buffer;
using runtime::Device;

namespace {

constexpr int64_t least_passing = 1 << 20;  // bytes of an array whose parts are given back

/// Whether wide accesses are possible in memory whose first byte is the array's `begin`.
bool is_aligned(const Buffer& memory, int64_t begin) {
  constexpr int64_t widest = 16;
  return (reinterpret_cast<intptr_t>(memory.data()) - begin) % widest == 0;
}

bool are_over(std::span<const Tile> tiles, std::span<Device* const> devices) {
  return std::ranges::equal(tiles, devices, {}, &Tile::device);
}

/// Whether the host or these devices have the elements.
bool is_there(const Version& version, std::span<Device* const> devices) {
  if (version.data || is_unallocated(version)) return true;
  if (is_tiled(version) && are_over(tiles_of(version), devices)) return true;
  return std::ranges::any_of(devices, [&](const Device* device) { return find_copy(version, *device) != nullptr; });
}

tile::SlotState state_of(const Version& version, std::span<Device* const> devices, std::vector<Ref<Buffer>>& memory) {
  tile::SlotState state{.nbytes = version.nbytes, .is_anywhere = is_unallocated(version)};
  if (state.is_anywhere) return state;
  state.valid.resize(devices.size());
  if (const std::span<const Tile> tiles = tiles_of(version); are_over(tiles, devices)) {
    for (size_t place = 0; place < tiles.size(); ++place) {
      if (is_tiled(version)) state.owned.push_back(tiles[place].owned);
      state.valid[place] = tiles[place].valid;
      memory.push_back(tiles[place].memory);
    }
  }
  for (size_t place = 0; place < devices.size(); ++place)
    if (const Ref<Buffer> copy = find_copy(version, *devices[place])) {
      state.valid[place] = tile::Ranges({0, version.nbytes});
      memory.push_back(copy);
    }
  state.on_host = version.data != nullptr;
  return state;
}

}  // namespace

SlotStates find_slot_states(const plan::Plan& plan, const plan::Request& request, std::span<Device* const> devices) {
  // A copy that is logged releases the lock, so all come before the first look.
  for (const plan::Slot& slot : plan.slots) {
    if (slot.external.node < 0) continue;
    Version& version = version_at(request, slot.external);
    graph::mark_used(version);
    if (!is_there(version, devices)) copy_to_host(version);
    if (version.data && !version.settled()) runtime::HostStream::instance().wait(version.ticket);
  }
  SlotStates states;
  for (const plan::Slot& slot : plan.slots)
    states.slots.push_back(
        slot.external.node >= 0
            ? state_of(version_at(request, slot.external), devices, states.memory)
            : tile::SlotState{.nbytes = slot.nbytes, .is_undefined = true, .is_temporary = !slot.kept});
  return states;
}

TiledSlots::TiledSlots(const plan::Plan& plan, const plan::Request& request, const tile::Schedule& schedule,
                       std::span<Device* const> devices)
    : plan_(plan),
      request_(request),
      schedule_(schedule),
      rows_(row_bytes(plan, request)),
      devices_(devices.begin(), devices.end()),
      compared_(plan.slots.size()) {}

Version* TiledSlots::version(size_t slot) const {
  const plan::NodeRef& at = plan_.slots[slot].external;
  return at.node < 0 ? nullptr : &version_at(request_, at);
}

const char* TiledSlots::on_host(int32_t slot) const { return host_data(*version(static_cast<size_t>(slot))); }

bool TiledSlots::is_over_devices(size_t slot) const {
  const Version* known = version(slot);
  if (!known) return false;
  const std::span<const Tile> tiles = tiles_of(*known);
  Compared& last = compared_[slot];
  if (last.tiles != tiles.data()) last = {tiles.data(), are_over(tiles, devices_)};
  return last.are_over;
}

/// What an array that existed before has at the place.
TiledSlots::Local TiledSlots::existing(size_t slot, size_t place) const {
  const Version* known = version(slot);
  if (!known) return {};
  if (const Ref<Buffer> copy = find_copy(*known, *devices_[place])) return {copy, {0, known->nbytes}};
  if (const std::span<const Tile> tiles = tiles_of(*known); is_over_devices(slot) && tiles[place].memory)
    return {tiles[place].memory, tiles[place].held};
  return {};
}

/// What the plan touches there, and room for others' elements.
tile::Range TiledSlots::wanted(size_t slot, size_t place, const Margins& margins) const {
  const tile::SlotResult& result = schedule_.slots[slot];
  tile::Range wanted = result.held[place];
  if (plan_.slots[slot].kept && !result.owned.empty() && !result.owned[place].empty()) {
    const tile::Range& own = result.owned[place];
    const auto known = margins.find(plan_.slots[slot].nbytes);
    const int64_t needed = std::max(known == margins.end() ? 0 : known->second, rows_[slot]);
    const int64_t margin = std::max(tile_alignment, std::min(needed, own.size() / 4));
    wanted = hull(wanted, {own.begin - margin, own.end + margin});
  }
  if (wanted.empty()) return wanted;
  return {std::max<int64_t>(0, wanted.begin) / tile_alignment * tile_alignment,
          std::min(wanted.end, plan_.slots[slot].nbytes)};
}

tile::Range TiledSlots::wanted_by_all(int32_t block, size_t place, const Margins& margins) const {
  tile::Range all;
  int64_t most = 0;
  for (size_t slot = 0; slot < plan_.slots.size(); ++slot) {
    if (plan_.slots[slot].block != block) continue;
    const tile::Range wanted = this->wanted(slot, place, margins);
    all = hull(all, wanted), most = std::max(most, wanted.size());
  }
  return all.size() <= most + most / 4 ? all : tile::Range{};
}

/// Slots of one block share memory, one after the other; it may be that of an array which is not needed any more.
/// Where they are about as long they have one beginning, so that they lie to each other as the plan has them.
TiledSlots::Local TiledSlots::take_block(size_t slot, size_t place, tile::Range wanted, const Margins& margins) {
  const auto number = static_cast<size_t>(plan_.slots[slot].block);
  if (const tile::Range all = wanted_by_all(plan_.slots[slot].block, place, margins); !all.empty()) wanted = all;
  Ref<Buffer>& shared = blocks_[number][place];
  if (const int32_t from = plan_.blocks[number].from; !shared && from >= 0) {
    const Local& taken = locals_[static_cast<size_t>(from)][place];
    if (taken.memory && taken.held.contains(wanted)) return taken;
  }
  if (!shared || static_cast<int64_t>(shared->nbytes()) < wanted.size())
    shared = devices_[place]->allocate(static_cast<size_t>(wanted.size()));
  return {shared, wanted};
}

void TiledSlots::allocate(Margins& margins) {
  const profile::InRow row(profile::Row::allocation);
  const size_t slots = plan_.slots.size(), places = devices_.size();
  locals_.assign(slots, std::vector<Local>(places));
  before_ = locals_;
  blocks_.assign(plan_.blocks.size(), std::vector<Ref<Buffer>>(places));
  // Arrays that existed before come first: blocks may take over their memory.
  for (const bool is_new : {false, true})
    for (size_t slot = 0; slot < slots; ++slot) {
      if ((plan_.slots[slot].block >= 0) != is_new) continue;
      for (size_t place = 0; place < places; ++place) {
        Local& local = locals_[slot][place];
        local = existing(slot, place);
        const tile::Range wanted = this->wanted(slot, place, margins);
        if (wanted.empty()) continue;
        if (local.memory && local.held.contains(wanted) && is_aligned(*local.memory, local.held.begin)) continue;
        if (is_new) {
          local = take_block(slot, place, wanted, margins);
          continue;
        }
        before_[slot][place] = std::exchange(local, {});
        local.held = hull(before_[slot][place].held, wanted);
        local.held.begin = local.held.begin / tile_alignment * tile_alignment;
        local.memory = devices_[place]->allocate(static_cast<size_t>(local.held.size()));
      }
    }
  for (size_t slot = 0; slot < slots; ++slot) {
    const tile::SlotResult& result = schedule_.slots[slot];
    if (result.owned.empty()) continue;
    for (size_t place = 0; place < places; ++place) {
      const tile::Range &own = result.owned[place], &held = result.held[place];
      if (own.empty() || held.empty()) continue;
      const int64_t needed = std::max(own.begin - held.begin, held.end - own.end);
      if (needed > own.size() / 4) continue;  // more than an edge
      int64_t& margin = margins[plan_.slots[slot].nbytes];
      margin = std::max(margin, needed);
    }
  }
}

void TiledSlots::prepare() {
  for (size_t slot = 0; slot < locals_.size(); ++slot) {
    const Version* known = version(slot);
    if (!known) continue;
    for (size_t place = 0; place < devices_.size(); ++place) {
      const Local &local = locals_[slot][place], &old = before_[slot][place];
      if (!local.memory) continue;
      if (old.memory)
        copy_tile(local.memory->data() + (old.held.begin - local.held.begin), *devices_[place], old.memory->data(),
                  *devices_[place], old.held.size());
      if (is_unallocated(*known) && known->zeros)
        devices_[place]->stream().fill_zero(local.memory->data(), static_cast<size_t>(local.held.size()));
    }
  }
}

/// Whether the place got much more of an array than it had, which it gives back after the run.
bool TiledSlots::is_passing(size_t slot, size_t place) const {
  const tile::SlotResult& result = schedule_.slots[slot];
  if (result.owned.empty() || plan_.slots[slot].nbytes < least_passing) return false;
  return locals_[slot][place].held.size() > 2 * std::max(before_[slot][place].held.size(), result.owned[place].size());
}

TiledMemory TiledSlots::tiles(size_t slot) const {
  const tile::SlotResult& result = schedule_.slots[slot];
  const Version* known = version(slot);
  TiledMemory tiles;
  for (size_t place = 0; place < devices_.size(); ++place) {
    if (known && !is_written_[slot] && is_over_devices(slot) && is_passing(slot, place)) {
      tiles.push_back(tiles_of(*known)[place]);
      continue;
    }
    const Local& local = locals_[slot][place];
    tiles.push_back({.device = devices_[place], .memory = local.memory, .held = local.held});
    if (!result.owned.empty()) tiles.back().owned = result.owned[place];
    for (const tile::Range& valid : result.valid[place].within(local.held)) tiles.back().valid.add(valid);
  }
  return tiles;
}

void TiledSlots::set_result(Version& out, size_t slot) const {
  if (schedule_.slots[slot].owned.empty()) return;  // no bytes, or none that anybody wrote
  TiledMemory parts = tiles(slot);
  const bool is_over_ranks = devices_[0]->family() == runtime::Family::rank;  // what one of them has is no whole array
  for (const Tile& part : parts)
    if (!is_over_ranks && part.owned == tile::Range{0, out.nbytes} && part.held == part.owned)
      return set_device_buffer(out, part.memory);
  set_tiles(out, std::move(parts));
}

void TiledSlots::settle(bool beside_host) {
  is_written_.assign(plan_.slots.size(), false);
  for (int node = 0; node < request_.size(); ++node) {
    Version& out = *request_.node(node).out;
    out.window = nullptr;
    const int32_t slot = plan_.result_slots[static_cast<size_t>(node)];
    if (slot < 0) continue;
    is_written_[static_cast<size_t>(slot)] = true;
    if (!beside_host)
      set_result(out, static_cast<size_t>(slot));
    else if (!schedule_.slots[static_cast<size_t>(slot)].owned.empty())
      keep_tiles(out, tiles(static_cast<size_t>(slot)));
  }
  for (size_t slot = 0; slot < plan_.slots.size(); ++slot) {
    Version* known = version(slot);
    if (!known || is_written_[slot] || known->foreign || known->lent) continue;
    // What each place can make is made anew. Where somebody has all of it, tiles are copies.
    if (is_unallocated(*known) || (beside_host && !known->data)) continue;
    keep_tiles(*known, tiles(slot));
  }
}

}  // namespace tessera::engine
