#include "tessera/engine/call/slabs.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/layout/cut_rows.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_stream.h"
#include "tessera/tile/cut.h"

namespace tessera::engine {

using graph::CallOperand;
using routines::Parts;
using tile::Range;

namespace {

int64_t extent_of(const CallOperand& operand, int axis) { return operand.view.shape[static_cast<size_t>(axis)]; }

/// Whether slabs along the axis follow each other in memory and share no byte.
bool lie_apart(const View& view, int axis) {
  return view.strides[static_cast<size_t>(axis)] > 0 &&
         bytes_of_slabs(view, axis, {0, 1}).size() <= view.strides[static_cast<size_t>(axis)];
}

/// The slabs that begin in what each place owns.
std::vector<Range> owned_slabs(const CallOperand& operand, int axis) {
  const int64_t start = bytes_of_slabs(operand.view, axis, {0, 1}).begin,
                step = operand.view.strides[static_cast<size_t>(axis)], extent = extent_of(operand, axis);
  const auto first_from = [&](int64_t byte) {
    return std::min((std::max<int64_t>(0, byte - start) + step - 1) / step, extent);
  };
  std::vector<Range> slabs;
  for (const Tile& tile : tiles_of(*operand.version))
    slabs.push_back(tile.owned.empty() ? Range{} : Range{first_from(tile.owned.begin), first_from(tile.owned.end)});
  return slabs;
}

/// Whether the operand, which is not cut, is to be.
bool is_to_be_cut(const CallOperand& operand, int axis, const Recorder& window) {
  if (window.choice || !window.devices || window.devices->is_one() || operand.version->foreign || operand.version->lent)
    return false;
  const DeviceSet& devices = *window.devices;
  const auto places = static_cast<int64_t>(devices.devices().size());
  if (!std::ranges::all_of(devices.devices(), [](const runtime::Device* device) { return device->is_usable(); }))
    return false;
  if (operand.version->nbytes >= devices.least_cut_bytes() && devices.where(*operand.version) == 0) return true;
  return operand.version->nbytes > devices.capacity() ||
         (tile_rules().cut == CutRule::always && extent_of(operand, axis) >= places);
}

std::vector<Range> even_slabs(int64_t extent, int64_t places) {
  std::vector<Range> slabs;
  for (int64_t place = 0; place < places; ++place)
    slabs.push_back({first_row(extent, place, places), first_row(extent, place + 1, places)});
  return slabs;
}

/// Gives each device its slabs of the operand, beside the memory that has all of it; false where no memory has, or one
/// of the devices has no room.
bool cut(const CallOperand& operand, int axis, std::span<const Range> slabs, const DeviceSet& devices) {
  graph::Version& version = *operand.version;
  const auto from = std::ranges::find_if(
      devices.devices(), [&](const runtime::Device* device) { return find_copy(version, *device) != nullptr; });
  const Ref<runtime::Buffer> copy = from == devices.devices().end() ? nullptr : find_copy(version, **from);
  if (!copy && !version.data) return false;
  if (!copy && !version.settled()) runtime::HostStream::instance().wait(version.ticket);
  // Room that is made for others may drop copies of it.
  const TiledMemory before(tiles_of(version).begin(), tiles_of(version).end());
  const bool is_over_these = std::ranges::equal(before, devices.devices(), {}, &Tile::device);
  TiledMemory tiles;
  try {
    for (size_t place = 0; place < slabs.size(); ++place) {
      runtime::Device& device = *devices.devices()[place];
      const Range bytes = slabs[place].empty() ? Range{} : bytes_of_slabs(operand.view, axis, slabs[place]);
      if (is_over_these && !bytes.empty() && before[place].valid.contains(bytes)) {
        tiles.push_back(before[place]);
        continue;
      }
      Tile& part = tiles.emplace_back(allocate_tile(device, bytes));
      if (bytes.empty()) continue;
      part.valid.add(bytes);
      if (copy) {
        copy_tile(part.data(bytes.begin), device, copy->data() + bytes.begin, **from, bytes.size());
      } else {
        watch_copy_in(&version, bytes.size(), device);
        device.stream().copy_in(part.data(bytes.begin), version.data + bytes.begin, static_cast<size_t>(bytes.size()));
        profile::add(profile::Counter::copies_to_device);
        profile::add(profile::Counter::bytes_to_device, bytes.size());
      }
    }
  } catch (const OutOfMemory&) {
    return false;
  }
  keep_tiles(version, std::move(tiles));
  return true;
}

/// Moves boundaries to multiples of so many slabs.
void round_boundaries(std::vector<Range>& slabs, int64_t together, int64_t extent) {
  const auto rounded = [&](int64_t at) { return at >= extent ? extent : (at + together / 2) / together * together; };
  for (Range& own : slabs) own = own.empty() ? Range{} : Range{rounded(own.begin), std::min(extent, rounded(own.end))};
}

}  // namespace

bool cut_result(graph::Version& version, const View& view, const runtime::Buffer& made, runtime::Device& device,
                const DeviceSet& devices) {
  if (devices.is_one() || devices.number_of(&device) < 0 || version.nbytes < devices.least_cut_bytes()) return false;
  if (!std::ranges::all_of(devices.devices(), [](const runtime::Device* one) { return one->is_usable(); }))
    return false;
  const auto places = static_cast<int>(devices.devices().size());
  const std::vector<Range> parts = tile::cut_evenly(version.nbytes, version.nbytes / view.shape[0], places);
  TiledMemory tiles;
  try {
    for (size_t place = 0; place < parts.size(); ++place) {
      Tile& tile = tiles.emplace_back(allocate_tile(*devices.devices()[place], parts[place]));
      if (parts[place].empty()) continue;
      tile.owned = parts[place];
      tile.valid.add(parts[place]);
      copy_tile(tile.data(tile.owned.begin), *tile.device, made.data() + tile.owned.begin, device, tile.owned.size());
    }
  } catch (const OutOfMemory&) {
    return false;
  }
  set_tiles(version, std::move(tiles));
  return true;
}

Range bytes_of_slabs(const View& view, int axis, const Range& slabs) {
  const auto [begin, end] = view.slice(axis, slabs.begin, 1, slabs.size()).byte_range();
  return {begin, end};
}

std::optional<std::vector<Range>> slabs_of_places(graph::Call& call, const Parts& parts, const Recorder& window) {
  // The longest operand that is cut decides, else the longest that is to be cut.
  const CallOperand* longest = nullptr;
  int along = 0;
  for (size_t k = 0; k < parts.axes.size(); ++k) {
    const int axis = parts.axes[k];
    if (axis == Parts::whole) continue;
    const CallOperand& operand = call.operands[k];
    if (operand.view.size() == 0 || !lie_apart(operand.view, axis)) return {};
    const bool is_cut = is_tiled(*operand.version);
    if (!is_cut && !is_to_be_cut(operand, axis, window)) continue;
    const auto rank_of = [](bool cut, const CallOperand& one) {
      return std::pair(cut, one.view.size() * one.view.itemsize());
    };
    if (!longest || rank_of(is_cut, operand) > rank_of(is_tiled(*longest->version), *longest))
      longest = &operand, along = axis;
  }
  if (!longest) return {};
  const int64_t extent = extent_of(*longest, along);
  const bool is_cut = is_tiled(*longest->version);
  std::vector<Range> slabs = is_cut ? owned_slabs(*longest, along)
                                    : even_slabs(extent, static_cast<int64_t>(window.devices->devices().size()));
  const int64_t together = std::max(parts.together, parts.slabs_a_call);
  if (together > 1) round_boundaries(slabs, together, extent);
  if (std::ranges::count_if(slabs, [](const Range& own) { return !own.empty(); }) < 2) return {};
  if (!is_cut && !cut(*longest, along, slabs, *window.devices)) return {};
  return slabs;
}

std::vector<runtime::Device*> places_of(const graph::Call& call, const Recorder& window) {
  std::vector<runtime::Device*> places;
  for (const CallOperand& operand : call.operands) {
    if (!is_tiled(*operand.version)) continue;
    const std::span<const Tile> tiles = tiles_of(*operand.version);
    if (!places.empty() && !std::ranges::equal(tiles, places, {}, &Tile::device)) return {};
    places.clear();
    for (const Tile& tile : tiles) places.push_back(tile.device);
  }
  const bool is_chosen = !window.choice && window.devices && !window.devices->is_one();
  if (places.empty()) {
    if (is_chosen) places.assign(window.devices->devices().begin(), window.devices->devices().end());
    return places;
  }
  if (places[0]->family() == runtime::Family::rank) return places;
  if (!is_chosen || !std::ranges::equal(window.devices->devices(), places)) return {};
  return places;
}

}  // namespace tessera::engine
