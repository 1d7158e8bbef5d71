/// Buffer: elements that are written before they are read, and so are not set when it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace tessera::routines::frames {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(int64_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

  T* data() const { return data_.get(); }
  int64_t size() const { return size_; }
  T& operator[](int64_t at) const { return data_[at]; }
  std::span<T> span() const { return {data_.get(), static_cast<size_t>(size_)}; }

 private:
  std::unique_ptr<T[]> data_;
  int64_t size_ = 0;
};

}  // namespace tessera::routines::frames
