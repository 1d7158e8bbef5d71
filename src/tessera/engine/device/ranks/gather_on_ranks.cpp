#include "tessera/engine/device/ranks/gather_on_ranks.h"

#include <cstring>

namespace tessera::engine {

void gather_on_ranks(Ranks& ranks, int64_t begin, int64_t nbytes, std::span<const RankPiece> pieces) {
  ranks.note_look(begin, nbytes);
  for (const RankPiece& piece : pieces) {
    if (!ranks.is_mine(piece.rank)) {
      ranks.receive(piece.rank, piece.to, piece.nbytes);
      continue;
    }
    for (int peer = 0; peer < ranks.size(); ++peer)
      if (peer != piece.rank) ranks.send(peer, piece.from, piece.nbytes);
    std::memcpy(piece.to, piece.from, static_cast<size_t>(piece.nbytes));
  }
  ranks.wait();
}

}  // namespace tessera::engine
