#include "tessera/engine/device/ranks/device_windows.h"

#include <algorithm>
#include <utility>

namespace tessera::engine {

std::string DeviceWindows::make(int neighbours, int ranks) {
  if (!device_ || neighbours == 0) return {};
  ours_ = device_->make_shared_memory(static_cast<size_t>(region(neighbours)));
  if (!ours_) return {};
  peers_.resize(static_cast<size_t>(ranks));
  return std::string(ours_->handle());
}

bool DeviceWindows::map(int peer, int number, std::string_view handle) {
  if (!ours_ || handle.empty()) return false;
  Peer& known = peers_[static_cast<size_t>(peer)];
  known.theirs = device_->map_shared_memory(handle);
  if (known.theirs) known.out = known.theirs->data() + region(number);
  return known.theirs != nullptr;
}

void DeviceWindows::open(int peer, int number) {
  Peer& known = peers_[static_cast<size_t>(peer)];
  known.in = ours_->data() + region(number);
  known.is_open = true;
}

void DeviceWindows::send(int to, int tag, const char* data, int64_t nbytes) {
  peers_[static_cast<size_t>(to)].leaving.push_back({tag, data, nbytes});
}

void DeviceWindows::receive_slot(int from, char* to, int64_t nbytes) {
  Peer& peer = peers_[static_cast<size_t>(from)];
  device_->stream().copy(to, peer.in + peer.next_in * slot_bytes, static_cast<size_t>(nbytes));
  peer.next_in = (peer.next_in + 1) % slots;
  queued_.push_back({.to = from, .is_credit = true});
}

std::vector<int> DeviceWindows::peers_without_credit() const {
  std::vector<int> without;
  for (size_t peer = 0; peer < peers_.size(); ++peer)
    if (peers_[peer].credits == 0 && !peers_[peer].leaving.empty()) without.push_back(static_cast<int>(peer));
  return without;
}

std::vector<DeviceWindows::Token> DeviceWindows::advance() {
  for (size_t to = 0; to < peers_.size(); ++to) {
    Peer& peer = peers_[to];
    while (peer.credits > 0 && !peer.leaving.empty()) {
      Leaving& message = peer.leaving.front();
      const int64_t nbytes = std::min(slot_bytes, message.nbytes);
      device_->stream().copy(peer.out + peer.next_out * slot_bytes, message.data, static_cast<size_t>(nbytes));
      --peer.credits;
      peer.next_out = (peer.next_out + 1) % slots;
      queued_.push_back({.to = static_cast<int>(to), .tag = message.tag});
      message.data += nbytes, message.nbytes -= nbytes;
      if (message.nbytes == 0) peer.leaving.pop_front();
    }
  }
  if (!queued_.empty()) copying_.push_back({device_->stream().record(), std::exchange(queued_, {})});
  std::vector<Token> done;
  for (; !copying_.empty() && copying_.front().end->is_done(); copying_.pop_front())
    done.insert(done.end(), copying_.front().tokens.begin(), copying_.front().tokens.end());
  return done;
}

bool DeviceWindows::is_sent() const {
  const auto is_message = [](const Token& token) { return !token.is_credit; };
  return std::ranges::all_of(peers_, [](const Peer& peer) { return peer.leaving.empty(); }) &&
         std::ranges::none_of(queued_, is_message) && std::ranges::none_of(copying_, [&](const Copying& copying) {
           return std::ranges::any_of(copying.tokens, is_message);
         });
}

std::vector<std::pair<int, int64_t>> DeviceWindows::unsent() const {
  std::vector<std::pair<int, int64_t>> unsent;
  for (size_t peer = 0; peer < peers_.size(); ++peer)
    if (!peers_[peer].leaving.empty()) unsent.emplace_back(static_cast<int>(peer), peers_[peer].leaving.front().nbytes);
  return unsent;
}

}  // namespace tessera::engine
