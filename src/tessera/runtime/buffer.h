/// Buffer: one block of memory on a device, counted by reference.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

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

/// A buffer over memory that other code owns: its allocator recycles it by calling `release`.
struct AdoptedBuffer : Buffer {
  AdoptedBuffer(Allocator* allocator, char* data, size_t nbytes, std::function<void()> on_release)
      : Buffer(allocator, data, nbytes, 0), release(std::move(on_release)) {}
  std::function<void()> release;
};
/// Whether the buffer is an AdoptedBuffer, which contains no memory of the allocator.
inline bool is_adopted(const Buffer& buffer) { return buffer.capacity() == 0; }

/// Wraps host memory that other code owns; release runs when the last reference goes.
Ref<Buffer> adopt(void* data, size_t nbytes, std::function<void()> release);

}  // namespace tessera::runtime
