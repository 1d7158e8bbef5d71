/// AdoptedBuffer: a buffer over memory that other code owns.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "tessera/runtime/buffer.h"

namespace tessera::runtime {

/// Its allocator recycles it by calling `release`.
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
