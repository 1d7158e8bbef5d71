/// BroughtBytes: bytes of a call's operands where a place computes with them.
#pragma once

#include <vector>

#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/engine/device/tiled/place_copies.h"
#include "tessera/graph/storage.h"

namespace tessera::engine {

/// Counts a message that this rank has sent or received.
void note_message(int64_t nbytes);

/// Keeps what it brought and where that came from. All ask for the bytes of all places in one order, which are there
/// after wait(): on devices for what is queued later.
class BroughtBytes {
 public:
  /// `ranks`: null on devices.
  BroughtBytes(std::span<runtime::Device* const> places, Ranks* ranks, DeviceRunners& devices)
      : places_(places), ranks_(ranks), devices_(devices) {}

  /// Whether the version has elements that places can get.
  bool can_bring(const graph::Version& version) const;
  /// Where byte `bytes.begin` of the version is at the place, followed by the others; null where that is another rank.
  char* at(graph::Version& version, size_t place, const tile::Range& bytes);
  /// Brings a piece of one place's tile to another place, where it goes to `where`: null where that is another rank.
  void bring(const TilePiece& piece, size_t from, size_t to, char* where);
  /// Copies bytes of one place's memory to another's.
  void copy(const char* data, size_t from, size_t to, char* where, int64_t nbytes);
  void wait();
  /// The places' bytes [begin, end) of the version, which are all of it, one behind the other, become its cut: what was
  /// brought stays, so that it need not be brought for the next call. Before anything else is asked for.
  void keep_cut(graph::Version& version, std::span<const tile::Range> bytes);

 private:
  bool is_here(size_t place) const { return !ranks_ || ranks_->is_mine(static_cast<int>(place)); }

  std::span<runtime::Device* const> places_;
  Ranks* ranks_;
  DeviceRunners& devices_;
  std::vector<PlaceCopy> copies_;  // on devices, until wait()
  std::vector<Ref<runtime::Buffer>> memory_;
  struct Brought {
    const graph::Version* version;
    size_t place;
    tile::Range bytes;
    Tile tile;
  };
  std::vector<Brought> brought_;  // of what is cut
};

}  // namespace tessera::engine
