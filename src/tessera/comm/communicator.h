/// Communicator: the processes that run one program, its ranks, and messages between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::comm {

/// Parts of messages on their way, which are tested until all are done. Their memory stays where it is until then.
using Requests = std::vector<uint64_t>;

/// One thread at a time calls it. Failures of the transport throw RuntimeError.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The host on which this process runs.
  virtual const std::string& host() const = 0;
  /// What carries the messages, with its version.
  virtual const std::string& library() const = 0;
  /// Begins to send or to receive, and adds what is on its way to `requests`. Messages of two ranks with one tag arrive
  /// in the order in which they were sent, those of one length at least; tags are 0 to most_tag. A message is received
  /// with the length that it was sent with.
  virtual void send(int to, int tag, const char* data, int64_t nbytes, Requests& requests) = 0;
  virtual void receive(int from, int tag, char* data, int64_t nbytes, Requests& requests) = 0;
  /// Removes what is done; true once nothing is left.
  virtual bool test(Requests& requests) = 0;
  /// Whether a message with that tag has arrived and waits to be received.
  virtual bool has_arrived(int from, int tag) = 0;
  /// All ranks call it, after their last message. Nothing may be called after it.
  virtual void finish() = 0;

  static constexpr int most_tag = 32767;
};

}  // namespace tessera::comm
