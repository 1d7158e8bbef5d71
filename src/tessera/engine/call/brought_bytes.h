/// BroughtBytes: bytes of a call's operands where a place computes with them.
#pragma once

#include <vector>

#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/graph/storage.h"

namespace tessera::engine {

/// Counts a message that this rank has sent or received.
void note_message(int64_t nbytes);

/// Keeps what it brought. On devices what a place gets is ordered before what is queued there later; on ranks all ask
/// for the bytes of all places in one order, and then wait().
class BroughtBytes {
 public:
  /// `ranks`: null on devices.
  BroughtBytes(std::span<runtime::Device* const> places, Ranks* ranks) : places_(places), ranks_(ranks) {}

  /// Whether the version has elements that places can get.
  bool can_bring(const graph::Version& version) const;
  /// Where byte `bytes.begin` of the version is at the place, followed by the others; null where that is another rank.
  char* at(graph::Version& version, size_t place, const tile::Range& bytes);
  /// Brings a piece of one place's tile to another place, where it goes to `where`: null where that is another rank.
  void bring(const TilePiece& piece, size_t from, size_t to, char* where);
  void wait() {
    if (ranks_) ranks_->wait();
  }

 private:
  bool is_here(size_t place) const { return !ranks_ || ranks_->is_mine(static_cast<int>(place)); }

  std::span<runtime::Device* const> places_;
  Ranks* ranks_;
  std::vector<Ref<runtime::Buffer>> memory_;
};

}  // namespace tessera::engine
