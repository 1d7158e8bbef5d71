/// NodeCommunicator: short messages between ranks of one machine go through memory that they share; all others by
/// another communicator.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "tessera/comm/communicator.h"
#include "tessera/comm/node/byte_ring.h"

namespace tessera::comm {

/// Memory of the ranks of this machine, this one among them: each rank's is seen by all of them.
struct SharedMemory {
  std::vector<int> ranks;
  std::vector<char*> begins;  // zeroed, at multiples of 64
};

class NodeCommunicator final : public Communicator {
 public:
  /// Through memory each byte is copied twice; MPI libraries let the kernel copy long messages once.
  static constexpr int64_t longest = int64_t{128} << 10;

  /// Each rank's memory has nbytes_for(ranks) bytes. Messages of at most `longest_shared` bytes go through it.
  NodeCommunicator(std::unique_ptr<Communicator> others, const SharedMemory& memory, int64_t longest_shared = longest);

  static int64_t nbytes_for(int ranks);

  int rank() const override { return others_->rank(); }
  int size() const override { return others_->size(); }
  const std::string& host() const override { return others_->host(); }
  const std::string& library() const override { return others_->library(); }
  void send(int to, int tag, const char* data, int64_t nbytes, Requests& requests) override;
  void receive(int from, int tag, char* data, int64_t nbytes, Requests& requests) override;
  bool test(Requests& requests) override;
  bool has_arrived(int from, int tag) override;
  void finish() override { others_->finish(); }

 private:
  struct Header {
    int64_t tag, nbytes;
  };
  struct Sending {
    Header header;
    const char* data;
    uint64_t request;
    int64_t done = 0;  // of the header and the data
  };
  struct Receiving {
    int tag;
    char* data;
    int64_t nbytes;
    uint64_t request;
  };
  /// A message that nobody had asked for when it came.
  struct Early {
    Header header;
    std::unique_ptr<char[]> data;
    uint64_t taken_by = 0;  // the request, where it was asked for before all of it had come
    char* to = nullptr;
  };
  struct Peer {
    int rank;
    ByteRing out, in;
    std::deque<Sending> sends{};
    std::deque<Receiving> receives{};
    std::deque<Early> early{};
    // The message that is coming.
    bool is_coming = false;
    Header header{};
    char* to = nullptr;
    int64_t left = 0;
    uint64_t request = 0;  // 0: the last of `early`
  };

  Peer* peer_of(int rank, int64_t nbytes);
  uint64_t make_request();
  void finish_request(uint64_t request);
  void progress(Peer& peer);
  void push(Peer& peer);
  void pull(Peer& peer);
  bool begin_message(Peer& peer);
  void end_message(Peer& peer);
  void take(const Early& early);
  static void check_size(const Peer& peer, int64_t sent, int64_t expected);

  std::unique_ptr<Communicator> others_;
  int64_t longest_shared_;
  std::deque<Peer> peers_;
  std::vector<int> peer_numbers_;  // by rank; -1: not of this machine, or this one
  std::vector<char> is_done_;      // by request
  std::vector<uint64_t> free_requests_;
};

}  // namespace tessera::comm
