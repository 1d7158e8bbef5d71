/// UserStream, UserStreams: streams that users make beside a device's own, and host memory that needs no staging.
#pragma once

#include <memory>
#include <vector>

#include "tessera/runtime/device.h"

namespace tessera::runtime {

/// A user's stream. Its work follows what was queued on the device's own stream before, and the device's own stream
/// waits for it before its next work. Among each other, users' streams are ordered by events only.
class UserStream {
 public:
  virtual ~UserStream() = default;
  virtual Device& device() = 0;
  virtual Stream& stream() = 0;
  /// The handle for other code, which may queue work there at any time from now on.
  virtual void* share() = 0;
  /// Copies that return at once: the pinned memory must stay as it is until the stream's work is done.
  virtual void start_copy_in(char* device, const char* pinned, size_t nbytes) = 0;
  virtual void start_copy_out(char* pinned, const char* device, size_t nbytes) = 0;
  /// Keeps memory that the work queued so far uses until that work is done. To be called after queueing work.
  virtual void hold(std::vector<Ref<Buffer>> memory) = 0;
  /// Gives up memory of which the work is done.
  virtual void release_done() = 0;
};

/// What users make on one device. Thread-safe, but for work on one stream by several threads.
class UserStreams {
 public:
  virtual ~UserStreams() = default;
  /// A new stream, or one over the handle of a stream that other code owns.
  virtual std::shared_ptr<UserStream> make(void* handle = nullptr) = 0;
  /// Pinned memory; freeing it waits for the users' streams.
  virtual Ref<Buffer> allocate_pinned(size_t nbytes) = 0;
  /// Pins memory of the host in place until unpin(), which waits for the users' streams.
  virtual void pin(char* memory, size_t nbytes) = 0;
  virtual void unpin(char* memory) = 0;
  virtual bool is_pinned(const char* memory, size_t nbytes) = 0;
};

}  // namespace tessera::runtime
