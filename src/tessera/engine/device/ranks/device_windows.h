/// DeviceWindows: messages between devices of one machine, each by a rank of its own: the sender copies into memory of
/// the receiver's device, which has two slots for each of the others.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/runtime/device.h"
#include "tessera/runtime/shared_memory.h"

namespace tessera::engine {

/// Says what to do and what is done; tokens between the ranks are the caller's to pass on: one for each slot that is
/// filled, and a credit for each that is empty again.
class DeviceWindows {
 public:
  static constexpr int64_t slot_bytes = int64_t{4} << 20;

  /// Null: there are none.
  explicit DeviceWindows(runtime::Device* device) : device_(device) {}

  /// Makes memory for what `neighbours` others send, and returns its handle; empty where the device has none such.
  std::string make(int neighbours, int ranks);
  /// Whether this rank can copy to the memory that a peer named so, in which it is the neighbour of that number.
  bool map(int peer, int number, std::string_view handle);
  /// Both sides can: from now on messages go this way. The peer is the neighbour of that number here.
  void open(int peer, int number);
  bool is_open(int peer) const { return !peers_.empty() && peers_[static_cast<size_t>(peer)].is_open; }

  /// Some bytes, which fill one slot after the other.
  void send(int to, int tag, const char* data, int64_t nbytes);
  /// The token of the peer's next slot has come: its bytes go to `to`.
  void receive_slot(int from, char* to, int64_t nbytes);
  void add_credit(int peer) { ++peers_[static_cast<size_t>(peer)].credits; }
  /// Those whose credits messages wait for.
  std::vector<int> peers_without_credit() const;

  /// To be sent: a credit, or a token with the message's tag.
  struct Token {
    int to = 0;
    bool is_credit = false;
    int tag = 0;
  };
  /// Queues copies for which there are slots; returns what is to be told of those that are done.
  std::vector<Token> advance();
  /// Whether everything has been told that somebody waits for: credits are not.
  bool is_sent() const;
  /// What has not been sent yet: a peer, and bytes.
  std::vector<std::pair<int, int64_t>> unsent() const;

 private:
  static constexpr int slots = 2;
  struct Leaving {
    int tag;
    const char* data;
    int64_t nbytes;
  };
  struct Peer {
    std::unique_ptr<runtime::SharedMemory> theirs{};
    char* out = nullptr;  // this rank's slots in the peer's memory
    char* in = nullptr;   // the peer's slots in ours
    int credits = slots;
    int next_out = 0, next_in = 0;
    bool is_open = false;
    std::deque<Leaving> leaving{};
  };
  struct Copying {
    std::unique_ptr<runtime::Event> end;
    std::vector<Token> tokens;
  };
  static int64_t region(int number) { return number * slots * slot_bytes; }

  runtime::Device* device_;
  std::unique_ptr<runtime::SharedMemory> ours_;
  std::vector<Peer> peers_;    // by rank
  std::vector<Token> queued_;  // of copies that are queued, behind which no event is recorded yet
  std::deque<Copying> copying_;
};

}  // namespace tessera::engine
