#include "tessera/engine/device/ranks/rank_messages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera::engine {

namespace {

constexpr int credit_tag = comm::Communicator::most_tag;
char no_bytes = 0;  // where tokens begin, which have none

}  // namespace

void RankMessages::open_windows(const std::vector<std::string>& hosts, const std::vector<std::string>& processors,
                                int tag, const std::function<void()>& finish) {
  const int rank = communicator_.rank();
  const std::string& host = hosts[static_cast<size_t>(rank)];
  // Ranks with a device on one machine, which number their neighbours in their order.
  std::vector<int> here;
  for (int peer = 0; peer < communicator_.size(); ++peer)
    if (hosts[static_cast<size_t>(peer)] == host &&
        processors[static_cast<size_t>(peer)] != runtime::device_name(nullptr))
      here.push_back(peer);
  if (here.size() < 2 || std::ranges::find(here, rank) == here.end()) return;
  using Handle = std::array<char, 1 + runtime::SharedMemory::most_handle_bytes>;  // its length before it
  const std::string made = windows_.make(static_cast<int>(here.size()), communicator_.size());
  Handle mine{};
  mine[0] = static_cast<char>(made.size());
  std::ranges::copy(made, mine.begin() + 1);
  const auto exchange = [&](auto& own, auto& theirs) {
    for (size_t k = 0; k < here.size(); ++k) {
      if (here[k] == rank) continue;
      send(here[k], tag, reinterpret_cast<const char*>(&own[k]), sizeof own[k]);
      receive(here[k], tag, reinterpret_cast<char*>(&theirs[k]), sizeof theirs[k]);
    }
    finish();
  };
  std::vector<Handle> handles(here.size(), mine), others(here.size());
  exchange(handles, others);
  const auto own_number = static_cast<int>(std::ranges::find(here, rank) - here.begin());
  std::vector<char> can(here.size(), 0), they_can(here.size(), 0);
  for (size_t k = 0; k < here.size(); ++k)
    if (here[k] != rank)
      can[k] = windows_.map(here[k], own_number, {others[k].data() + 1, static_cast<size_t>(others[k][0])});
  exchange(can, they_can);
  for (size_t k = 0; k < here.size(); ++k)
    if (can[k] && they_can[k]) windows_.open(here[k], static_cast<int>(k));
}

void RankMessages::begin_send(int to, int tag, const char* data, int64_t nbytes) {
  Pending& pending = pending_.emplace_back(comm::Requests{}, Waiting{to, nbytes, true});
  communicator_.send(to, tag, data, nbytes, pending.requests);
}

void RankMessages::send(int to, int tag, const char* data, int64_t nbytes) {
  invariant(windows_.is_sent(), "a message to a device is followed by one to a host before it was waited for");
  send_leaving();
  begin_send(to, tag, data, nbytes);
}

void RankMessages::receive(int from, int tag, char* data, int64_t nbytes) {
  Pending& pending = pending_.emplace_back(comm::Requests{}, Waiting{from, nbytes, false});
  communicator_.receive(from, tag, data, nbytes, pending.requests);
}

void RankMessages::send_of_place(int to, int tag, const char* data, int64_t nbytes) {
  if (!device_) return send(to, tag, data, nbytes);
  if (windows_.is_open(to)) return windows_.send(to, tag, data, nbytes);
  leaving_.push_back({to, tag, data, nbytes});
}

void RankMessages::send_to_host(int to, int tag, const char* data, int64_t nbytes) {
  if (!device_) return send(to, tag, data, nbytes);
  leaving_.push_back({to, tag, data, nbytes});
}

void RankMessages::receive_at_place(int from, int tag, char* data, int64_t nbytes) {
  if (!device_) return receive(from, tag, data, nbytes);
  if (!windows_.is_open(from)) {
    char* const staged = stage(nbytes);
    coming_.push_back({data, staged, nbytes});
    return receive(from, tag, staged, nbytes);
  }
  for (int64_t begin = 0; begin < nbytes; begin += DeviceWindows::slot_bytes) {
    const int64_t part = std::min(DeviceWindows::slot_bytes, nbytes - begin);
    receive(from, tag, &no_bytes, 0);
    pending_.back().what.nbytes = part;
    pending_.back().then = [this, from, to = data + begin, part] { windows_.receive_slot(from, to, part); };
  }
}

char* RankMessages::stage(int64_t nbytes) {
  return staging_.emplace_back(runtime::HostPool::instance().allocate(static_cast<size_t>(nbytes)))->data();
}

/// Copies out all that leave by way of the host, with one wait for the device.
void RankMessages::send_leaving() {
  if (leaving_.empty()) return;
  std::vector<runtime::CopyOut> pieces;
  for (const Leaving& message : leaving_)
    pieces.push_back({stage(message.nbytes), message.data, static_cast<size_t>(message.nbytes)});
  device_->stream().copy_out(pieces);
  for (size_t k = 0; k < pieces.size(); ++k)
    begin_send(leaving_[k].to, leaving_[k].tag, pieces[k].host, leaving_[k].nbytes);
  leaving_.clear();
}

bool RankMessages::advance_windows() {
  bool has_advanced = false;
  for (const int peer : windows_.peers_without_credit()) {
    if (!communicator_.has_arrived(peer, credit_tag)) continue;
    comm::Requests requests;
    communicator_.receive(peer, credit_tag, &no_bytes, 0, requests);
    while (!communicator_.test(requests)) {
    }
    windows_.add_credit(peer);
    has_advanced = true;
  }
  for (const DeviceWindows::Token& token : windows_.advance()) {
    begin_send(token.to, token.is_credit ? credit_tag : token.tag, &no_bytes, 0);
    has_advanced = true;
  }
  return has_advanced;
}

/// What a peer's tokens announce is taken in their order: a later one may be noticed first.
bool RankMessages::test_pending() {
  bool has_advanced = false;
  std::vector<int> waits_for;  // peers of which a token is missing
  for (size_t k = 0; k < pending_.size();) {
    Pending& pending = pending_[k];
    const bool is_next = !pending.then || std::ranges::find(waits_for, pending.what.peer) == waits_for.end();
    if (!is_next || !communicator_.test(pending.requests)) {
      if (pending.then && is_next) waits_for.push_back(pending.what.peer);
      ++k;
      continue;
    }
    const std::function<void()> then = std::move(pending.then);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(k));
    if (then) then();
    has_advanced = true;
  }
  return has_advanced;
}

bool RankMessages::advance() {
  send_leaving();
  bool has_advanced = test_pending();
  if (device_) has_advanced |= advance_windows();
  if (!pending_.empty()) return has_advanced;
  for (const Coming& message : std::exchange(coming_, {}))
    device_->stream().copy_in(message.data, message.staged, static_cast<size_t>(message.nbytes));
  staging_.clear();
  return has_advanced;
}

std::vector<RankMessages::Waiting> RankMessages::waiting() const {
  std::vector<Waiting> waiting;
  for (const Pending& pending : pending_) waiting.push_back(pending.what);
  for (const auto& [peer, nbytes] : windows_.unsent()) waiting.push_back({peer, nbytes, true});
  return waiting;
}

}  // namespace tessera::engine
