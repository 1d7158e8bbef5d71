/// Buffer: one block of memory on a device, counted by reference.
#pragma once

#include <cstddef>

#include "tessera/base/ref.h"

namespace tessera::runtime {

class Buffer;

/// Allocates and frees memory. Implementations are thread-safe and outlive their buffers.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// At least nbytes, aligned to 64 bytes, contents undefined. Throws OutOfMemory naming the size.
  virtual Ref<Buffer> allocate(size_t nbytes) = 0;
  virtual void recycle(Buffer* buffer) noexcept = 0;
};

class Buffer : public RefCounted<Buffer> {
 public:
  Buffer(Allocator* allocator, char* data, size_t nbytes, size_t capacity)
      : allocator_(allocator), data_(data), nbytes_(nbytes), capacity_(capacity) {}

  char* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  size_t capacity() const { return capacity_; }
  Allocator* allocator() const { return allocator_; }
  static void destroy(Buffer* buffer) { buffer->allocator_->recycle(buffer); }

 private:
  friend class HostPool;
  Allocator* allocator_;
  char* data_;
  size_t nbytes_;
  size_t capacity_;
};

}  // namespace tessera::runtime
