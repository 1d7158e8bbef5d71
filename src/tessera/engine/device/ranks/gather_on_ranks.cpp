#include "tessera/engine/device/ranks/gather_on_ranks.h"

#include <cstring>
#include <vector>

namespace tessera::engine {

namespace {

void share_events(Ranks& ranks) {
  ranks.events().collect();
  const std::span<uint32_t> own = ranks.events().words();
  const auto nbytes = static_cast<int64_t>(own.size_bytes());
  const std::vector<uint32_t> sent(own.begin(), own.end());
  std::vector<std::vector<uint32_t>> others(static_cast<size_t>(ranks.size()));
  for (int peer = 0; peer < ranks.size(); ++peer) {
    if (ranks.is_mine(peer)) continue;
    std::vector<uint32_t>& its = others[static_cast<size_t>(peer)];
    its.resize(own.size());
    ranks.send(peer, reinterpret_cast<const char*>(sent.data()), nbytes);
    ranks.receive(peer, reinterpret_cast<char*>(its.data()), nbytes);
  }
  ranks.wait();
  for (const std::vector<uint32_t>& its : others)
    for (size_t k = 0; k < its.size(); ++k) own[k] |= its[k];
  ranks.events().report();
}

}  // namespace

void meet(Ranks& ranks) {
  ranks.note_look(0, 0);
  char sent = 0, received = 0;
  for (int peer = 0; peer < ranks.size(); ++peer) {
    if (ranks.is_mine(peer)) continue;
    ranks.send(peer, &sent, 1);
    ranks.receive(peer, &received, 1);
  }
  ranks.wait();
}

void exchange_numbers(Ranks& ranks, std::span<int64_t> by_rank) {
  const int64_t& own = by_rank[static_cast<size_t>(ranks.rank())];
  for (int peer = 0; peer < ranks.size(); ++peer) {
    if (ranks.is_mine(peer)) continue;
    ranks.send(peer, reinterpret_cast<const char*>(&own), sizeof own);
    ranks.receive(peer, reinterpret_cast<char*>(&by_rank[static_cast<size_t>(peer)]), sizeof own);
  }
  ranks.wait();
}

void gather_on_ranks(Ranks& ranks, int64_t begin, int64_t nbytes, std::span<const RankPiece> pieces) {
  if (ranks.is_forecast()) {  // nobody computed them
    for (const RankPiece& piece : pieces) std::memset(piece.to, 0, static_cast<size_t>(piece.nbytes));
    return;
  }
  ranks.note_look(begin, nbytes);
  for (const RankPiece& piece : pieces) {
    if (!ranks.is_mine(piece.rank)) {
      ranks.receive(piece.rank, piece.to, piece.nbytes);
      continue;
    }
    for (int peer = 0; peer < ranks.size(); ++peer)
      if (peer != piece.rank) ranks.send_to_host(peer, piece.from, piece.nbytes);
    ranks.places()[static_cast<size_t>(piece.rank)]->stream().copy_out(piece.to, piece.from,
                                                                       static_cast<size_t>(piece.nbytes));
  }
  ranks.wait();
  if (ranks.events().is_due()) share_events(ranks);
}

}  // namespace tessera::engine
