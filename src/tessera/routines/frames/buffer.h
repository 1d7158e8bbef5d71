/// Buffer, PooledVector: memory for elements out of the engine's pool, which keeps it for the next call.
#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "tessera/runtime/host/host_pool.h"

namespace tessera::routines::frames {

/// Elements that are written before they are read, and so are not set when it is made.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(int64_t size)
      : memory_(runtime::HostPool::instance().allocate(static_cast<size_t>(size) * sizeof(T))), size_(size) {}

  T* data() const { return memory_ ? reinterpret_cast<T*>(memory_->data()) : nullptr; }
  int64_t size() const { return size_; }
  T& operator[](int64_t at) const { return data()[at]; }
  std::span<T> span() const { return {data(), static_cast<size_t>(size_)}; }

 private:
  Ref<runtime::Buffer> memory_;
  int64_t size_ = 0;
};

/// Memory of the pool for std::vector; elements that are not given a value are not set.
template <class T>
class PooledAllocator {
 public:
  using value_type = T;
  PooledAllocator() = default;
  template <class U>
  PooledAllocator(const PooledAllocator<U>&) {}

  T* allocate(size_t count) {
    Ref<runtime::Buffer> memory = runtime::HostPool::instance().allocate(head + count * sizeof(T));
    char* data = memory->data();
    ::new (data) runtime::Buffer*(memory.release());
    return reinterpret_cast<T*>(data + head);
  }
  void deallocate(T* data, size_t) noexcept {
    Ref<runtime::Buffer>::adopt(*reinterpret_cast<runtime::Buffer**>(reinterpret_cast<char*>(data) - head));
  }
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const PooledAllocator&) const = default;

 private:
  static constexpr size_t head = 64;  // the reference to the memory stands before the elements
};

template <class T>
using PooledVector = std::vector<T, PooledAllocator<T>>;
/// Rows of a frame by number.
using Rows = PooledVector<int64_t>;

}  // namespace tessera::routines::frames
