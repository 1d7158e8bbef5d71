#include "tessera/comm/node/node_communicator.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::comm {

namespace {

/// Requests of this communicator have this bit; handles of MPI libraries are addresses or 32 bits wide.
constexpr uint64_t own_bit = uint64_t{1} << 63;

/// All rings of a machine take some 32 MiB, and 16 KiB each at least.
uint64_t ring_size(int ranks) {
  constexpr uint64_t all = uint64_t{32} << 20, most = uint64_t{256} << 10, least = uint64_t{16} << 10;
  const auto pairs = static_cast<uint64_t>(ranks) * static_cast<uint64_t>(ranks);
  return std::clamp(std::bit_floor(all / pairs), least, most);
}

}  // namespace

void NodeCommunicator::check_size(const Peer& peer, int64_t sent, int64_t expected) {
  require<RuntimeError>(sent <= expected, "rank {} has sent {} bytes where {} were expected", peer.rank, sent,
                        expected);
}

int64_t NodeCommunicator::nbytes_for(int ranks) { return ranks * ByteRing::nbytes_for(ring_size(ranks)); }

NodeCommunicator::NodeCommunicator(std::unique_ptr<Communicator> others, const SharedMemory& memory,
                                   int64_t longest_shared)
    : others_(std::move(others)),
      longest_shared_(longest_shared),
      peer_numbers_(static_cast<size_t>(others_->size()), -1) {
  const int count = static_cast<int>(memory.ranks.size());
  const uint64_t size = ring_size(count);
  const auto own = static_cast<size_t>(std::ranges::find(memory.ranks, rank()) - memory.ranks.begin());
  invariant(own < memory.ranks.size(), "comm: rank {} is not among those of its machine", rank());
  // In each rank's memory is a ring for what each of the others sends it.
  const auto ring = [&](size_t to, size_t from) {
    return ByteRing(memory.begins[to] + static_cast<int64_t>(from) * ByteRing::nbytes_for(size), size);
  };
  for (size_t k = 0; k < memory.ranks.size(); ++k) {
    if (k == own) continue;
    peer_numbers_[static_cast<size_t>(memory.ranks[k])] = static_cast<int>(peers_.size());
    peers_.push_back({.rank = memory.ranks[k], .out = ring(k, own), .in = ring(own, k)});
  }
}

/// Null where a message of that length goes another way.
NodeCommunicator::Peer* NodeCommunicator::peer_of(int rank, int64_t nbytes) {
  if (nbytes > longest_shared_) return nullptr;
  const int number = peer_numbers_[static_cast<size_t>(rank)];
  return number < 0 ? nullptr : &peers_[static_cast<size_t>(number)];
}

uint64_t NodeCommunicator::make_request() {
  if (free_requests_.empty()) {
    free_requests_.push_back(is_done_.size());
    is_done_.push_back(0);
  }
  const uint64_t number = free_requests_.back();
  free_requests_.pop_back();
  is_done_[number] = 0;
  return number | own_bit;
}

void NodeCommunicator::finish_request(uint64_t request) { is_done_[request & ~own_bit] = 1; }

void NodeCommunicator::send(int to, int tag, const char* data, int64_t nbytes, Requests& requests) {
  Peer* peer = peer_of(to, nbytes);
  if (!peer) return others_->send(to, tag, data, nbytes, requests);
  const uint64_t request = requests.emplace_back(make_request());
  peer->sends.push_back({.header = {tag, nbytes}, .data = data, .request = request});
  push(*peer);
}

void NodeCommunicator::receive(int from, int tag, char* data, int64_t nbytes, Requests& requests) {
  Peer* peer = peer_of(from, nbytes);
  if (!peer) return others_->receive(from, tag, data, nbytes, requests);
  const uint64_t request = requests.emplace_back(make_request());
  const auto early =
      std::ranges::find_if(peer->early, [&](const Early& each) { return !each.taken_by && each.header.tag == tag; });
  if (early == peer->early.end()) {
    peer->receives.push_back({.tag = tag, .data = data, .nbytes = nbytes, .request = request});
    return pull(*peer);
  }
  check_size(*peer, early->header.nbytes, nbytes);
  early->taken_by = request, early->to = data;
  const bool is_coming = peer->is_coming && peer->request == 0 && &*early == &peer->early.back();
  if (is_coming) return pull(*peer);
  take(*early);
  peer->early.erase(early);
}

bool NodeCommunicator::test(Requests& requests) {
  for (Peer& peer : peers_) progress(peer);
  std::erase_if(requests, [&](uint64_t request) {
    if (!(request & own_bit) || !is_done_[request & ~own_bit]) return false;
    free_requests_.push_back(request & ~own_bit);
    return true;
  });
  Requests theirs;
  std::erase_if(requests, [&](uint64_t request) {
    if (request & own_bit) return false;
    theirs.push_back(request);
    return true;
  });
  if (!theirs.empty()) {
    others_->test(theirs);
    requests.insert(requests.end(), theirs.begin(), theirs.end());
  }
  return requests.empty();
}

bool NodeCommunicator::has_arrived(int from, int tag) {
  if (others_->has_arrived(from, tag)) return true;
  Peer* peer = peer_of(from, 0);
  if (!peer) return false;
  progress(*peer);
  // What lies before the message is taken out of its way.
  while (!peer->is_coming && begin_message(*peer)) pull(*peer);
  return std::ranges::any_of(peer->early,
                             [&](const Early& early) { return !early.taken_by && early.header.tag == tag; });
}

void NodeCommunicator::progress(Peer& peer) {
  push(peer);
  pull(peer);
}

void NodeCommunicator::push(Peer& peer) {
  constexpr int64_t header = sizeof(Header);
  while (!peer.sends.empty()) {
    Sending& sending = peer.sends.front();
    if (sending.done < header) {
      sending.done +=
          peer.out.put(reinterpret_cast<const char*>(&sending.header) + sending.done, header - sending.done);
      if (sending.done < header) return;
    }
    const int64_t sent = sending.done - header;
    sending.done += peer.out.put(sending.data + sent, sending.header.nbytes - sent);
    if (sending.done < header + sending.header.nbytes) return;
    finish_request(sending.request);
    peer.sends.pop_front();
  }
}

/// Takes what has come, as long as it was asked for or stands before what was.
void NodeCommunicator::pull(Peer& peer) {
  while (peer.is_coming || (!peer.receives.empty() && begin_message(peer))) {
    const int64_t taken = peer.in.take(peer.to, peer.left);
    peer.to += taken, peer.left -= taken;
    if (peer.left > 0) return;
    end_message(peer);
  }
}

/// The next message, to where it was asked for, else to memory of its own. False where none has come.
bool NodeCommunicator::begin_message(Peer& peer) {
  if (peer.in.available() < static_cast<int64_t>(sizeof(Header))) return false;
  peer.in.take(reinterpret_cast<char*>(&peer.header), sizeof(Header));
  peer.is_coming = true;
  peer.left = peer.header.nbytes;
  const auto wanted =
      std::ranges::find_if(peer.receives, [&](const Receiving& each) { return each.tag == peer.header.tag; });
  if (wanted == peer.receives.end()) {
    auto data = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(peer.left));
    peer.to = data.get();
    peer.request = 0;
    peer.early.push_back({.header = peer.header, .data = std::move(data)});
    return true;
  }
  check_size(peer, peer.left, wanted->nbytes);
  peer.to = wanted->data;
  peer.request = wanted->request;
  peer.receives.erase(wanted);
  return true;
}

void NodeCommunicator::end_message(Peer& peer) {
  peer.is_coming = false;
  if (peer.request) return finish_request(peer.request);
  if (!peer.early.back().taken_by) return;
  take(peer.early.back());
  peer.early.pop_back();
}

void NodeCommunicator::take(const Early& early) {
  std::copy_n(early.data.get(), early.header.nbytes, early.to);  // perhaps none, to nowhere
  finish_request(early.taken_by);
}

}  // namespace tessera::comm
