#include "tessera/engine/call/brought_bytes.h"

#include <algorithm>
#include <utility>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_stream.h"

namespace tessera::engine {

using tile::Range;

void note_message(int64_t nbytes) {
  profile::add(profile::Counter::copies_between_devices);
  profile::add(profile::Counter::bytes_between_devices, nbytes);
}

bool BroughtBytes::can_bring(const graph::Version& version) const {
  const std::span<const Tile> tiles = tiles_of(version);
  const bool is_over_these = std::ranges::equal(tiles, places_, {}, &Tile::device);
  if (is_tiled(version)) return is_over_these;
  return ranks_ || !is_unallocated(version);  // where a rank has what it made alone is its own affair
}

void BroughtBytes::bring(const TilePiece& piece, size_t from, size_t to, char* where) {
  memory_.push_back(piece.tile->memory);  // until the copy is queued
  copy(is_here(from) ? piece.tile->data(piece.bytes.begin) : nullptr, from, to, where, piece.bytes.size());
}

void BroughtBytes::copy(const char* data, size_t from, size_t to, char* where, int64_t nbytes) {
  if (!ranks_) {
    copies_.push_back({.device = places_[to], .other = places_[from], .to = where, .from = data, .nbytes = nbytes});
    if (from != to) note_message(nbytes);
    return;
  }
  if (is_here(from) && is_here(to)) {
    places_[to]->stream().copy(where, data, static_cast<size_t>(nbytes));
    return;
  }
  if (is_here(from)) ranks_->send_of_place(static_cast<int>(to), data, nbytes);
  if (is_here(to)) ranks_->receive_at_place(static_cast<int>(from), where, nbytes);
  if (!is_here(from) && !is_here(to)) return;
  note_message(nbytes);
}

void BroughtBytes::keep_cut(graph::Version& version, std::span<const Range> bytes) {
  const std::span<const Tile> tiles = tiles_of(version);
  if (!is_tiled(version) || !std::ranges::equal(tiles, places_, {}, &Tile::device)) return;
  TiledMemory kept(tiles.begin(), tiles.end());
  for (size_t place = 0; place < kept.size(); ++place) {
    if (!kept[place].valid.contains(bytes[place])) {
      const auto made = std::ranges::find_if(brought_, [&](const Brought& one) {
        return one.version == &version && one.place == place && one.bytes == bytes[place];
      });
      if (made == brought_.end()) return;
      kept[place] = made->tile;
      kept[place].valid.add(bytes[place]);
    }
    kept[place].owned = bytes[place];
  }
  keep_tiles(version, std::move(kept));
}

void BroughtBytes::wait() {
  if (ranks_)
    ranks_->wait();
  else
    copy_between(std::exchange(copies_, {}), devices_);
}

char* BroughtBytes::at(graph::Version& version, size_t place, const Range& bytes) {
  const std::span<const Tile> tiles = tiles_of(version);
  if (std::ranges::equal(tiles, places_, {}, &Tile::device) && tiles[place].valid.contains(bytes)) {
    memory_.push_back(tiles[place].memory);  // which keep_cut() may replace in the version
    return is_here(place) ? tiles[place].data(bytes.begin) : nullptr;
  }
  if (ranks_ && is_unallocated(version)) {  // each rank makes what it needs
    if (!is_here(place)) return nullptr;
    const Ref<runtime::Buffer>& made =
        memory_.emplace_back(places_[place]->allocate(static_cast<size_t>(bytes.size())));
    places_[place]->stream().fill_zero(made->data(), static_cast<size_t>(bytes.size()));
    return made->data();
  }
  if (!is_tiled(version)) {
    if (!is_here(place)) return nullptr;
    if (runtime::Device* device = ranks_ ? ranks_->device() : places_[place])
      return memory_.emplace_back(on_device(version, *device))->data() + bytes.begin;
    if (!version.data) copy_to_host(version);
    if (!version.settled()) runtime::HostStream::instance().wait(version.ticket);
    return version.data + bytes.begin;
  }
  Tile tile{.device = places_[place], .held = bytes};
  if (is_here(place)) tile = allocate_tile(*places_[place], bytes);
  char* const start = is_here(place) ? tile.data(bytes.begin) : nullptr;
  brought_.push_back({&version, place, bytes, tile});
  for (const TilePiece& piece : pieces_of(tiles, bytes))
    bring(piece, static_cast<size_t>(piece.tile - tiles.data()), place,
          start ? start + (piece.bytes.begin - bytes.begin) : nullptr);
  return start;
}

}  // namespace tessera::engine
