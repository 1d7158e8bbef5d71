/// LocalArray: a few values on the stack, of which only as many as are needed are constructed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tessera/base/error.h"

namespace tessera {

template <class T, size_t most>
class LocalArray {
 public:
  explicit LocalArray(size_t size) : size_(size) {
    if (size > most) [[unlikely]]
      throw InvariantError(format("{} values in a local array of at most {}", size, most));
    std::uninitialized_value_construct_n(data(), size);
  }
  ~LocalArray() { std::destroy_n(data(), size_); }
  LocalArray(const LocalArray&) = delete;
  LocalArray& operator=(const LocalArray&) = delete;

  T* data() { return reinterpret_cast<T*>(bytes_); }
  T& operator[](size_t k) { return data()[k]; }
  std::span<T> span() { return {data(), size_}; }

 private:
  alignas(T) std::byte bytes_[most * sizeof(T)];
  size_t size_;
};

}  // namespace tessera
