#include "tessera/engine/device/memory/tiled_memory.h"

#include <algorithm>

#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using graph::Version;
using profile::Counter;
using runtime::Device;

Tile allocate_tile(Device& device, const tile::Range& bytes) {
  if (bytes.empty()) return {.device = &device};
  const int64_t before = bytes.begin % tile_alignment;
  return {.device = &device,
          .memory = device.allocate(static_cast<size_t>(before + bytes.size())),
          .held = {bytes.begin - before, bytes.end}};
}

std::span<const Tile> tiles_of(const Version& version) {
  if (!version.tiles) return {};
  return *static_cast<const TiledMemory*>(version.tiles);
}

bool is_tiled(const Version& version) {
  return std::ranges::any_of(tiles_of(version), [](const Tile& tile) { return !tile.owned.empty(); });
}

void keep_tiles(Version& version, TiledMemory tiles) {
  Version::release_tiles = [](void* memory) { delete static_cast<TiledMemory*>(memory); };
  auto kept = std::make_unique<TiledMemory>(std::move(tiles));
  if (version.tiles) Version::release_tiles(version.tiles);
  version.tiles = kept.release();
}

void set_tiles(Version& version, TiledMemory tiles) {
  version.release_device_copies();
  keep_tiles(version, std::move(tiles));
  version.kept = 0;
  if (version.memory) Version::release_memory(version.memory);
  version.memory = nullptr;
  version.data = nullptr;
  version.window = nullptr;
}

void set_at_one(Version& version, std::span<Device* const> places, size_t place, const Ref<runtime::Buffer>& memory) {
  TiledMemory tiles;
  for (Device* each : places) tiles.push_back({.device = each});
  const tile::Range all{0, version.nbytes};
  tiles[place] = {.device = places[place], .memory = memory, .held = all, .owned = all, .valid = tile::Ranges(all)};
  set_tiles(version, std::move(tiles));
}

std::vector<TilePiece> pieces_of(std::span<const Tile> tiles, const tile::Range& bytes) {
  std::vector<TilePiece> pieces;
  for (const Tile& tile : tiles)
    if (const tile::Range part = intersect(tile.owned, bytes); !part.empty()) pieces.push_back({&tile, part});
  return pieces;
}

void copy_tile(char* to, Device& device, const char* from, Device& other, int64_t nbytes) {
  const profile::InRow row(profile::Row::copying);
  if (&device != &other) {
    device.reach(other);
    device.stream().wait_for(*other.stream().record());
  }
  device.stream().copy(to, from, static_cast<size_t>(nbytes));
  if (&device == &other) return;
  other.stream().wait_for(*device.stream().record());
  profile::add(Counter::copies_between_devices);
  profile::add(Counter::bytes_between_devices, nbytes);
}

}  // namespace tessera::engine
