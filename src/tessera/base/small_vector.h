/// SmallVector: a vector of trivially copyable values whose first N live inline.
#pragma once

#include <algorithm>
#include <cstring>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <type_traits>

namespace tessera {

/// Copies of short vectors are one fixed-size memcpy, which is what makes views cheap to record.
template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  explicit SmallVector(size_t count, T value = T{}) { resize(count, value); }
  SmallVector(std::initializer_list<T> values) : SmallVector(std::span<const T>(values.begin(), values.size())) {}
  SmallVector(std::span<const T> values) {
    reserve(values.size());
    if (!values.empty()) std::memcpy(data(), values.data(), values.size() * sizeof(T));
    size_ = static_cast<uint32_t>(values.size());
  }
  SmallVector(const SmallVector& other) { copy_from(other); }
  SmallVector(SmallVector&& other) noexcept { steal(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    release();
    copy_from(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    release();
    steal(other);
    return *this;
  }
  ~SmallVector() { release(); }

  T* data() { return capacity_ > N ? heap_ : inline_; }
  const T* data() const { return capacity_ > N ? heap_ : inline_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  operator std::span<const T>() const { return {data(), size_}; }

  void clear() { size_ = 0; }
  void pop_back() { --size_; }
  void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    data()[size_++] = value;
  }
  void resize(size_t count, T value = T{}) {
    reserve(count);
    if (size_ < count) std::fill(data() + size_, data() + count, value);
    size_ = static_cast<uint32_t>(count);
  }
  /// For the caller to fill in.
  void resize_for_overwrite(size_t count) {
    reserve(count);
    size_ = static_cast<uint32_t>(count);
  }
  void insert(size_t at, T value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  void reserve(size_t count) {
    if (count <= capacity_) return;
    T* bigger = new T[count];
    std::memcpy(static_cast<void*>(bigger), data(), size_ * sizeof(T));
    release();
    heap_ = bigger;
    capacity_ = static_cast<uint32_t>(count);
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    const T* x = a.data();
    const T* y = b.data();
    // Short: a call of memcmp would cost more.
    for (uint32_t i = 0; i < a.size_; ++i) {
      if (!(x[i] == y[i])) return false;
    }
    return true;
  }
  friend std::ostream& operator<<(std::ostream& out, const SmallVector& v) {
    out << '(';
    for (size_t i = 0; i < v.size(); ++i) out << (i ? ", " : "") << v[i];
    return out << (v.size() == 1 ? ",)" : ")");
  }

 private:
  void copy_from(const SmallVector& other) {
    size_ = other.size_;
    if (other.capacity_ <= N) [[likely]] {
      std::memcpy(static_cast<void*>(inline_), other.inline_, sizeof inline_);  // of one size, so no call
      return;
    }
    if (other.size_ <= N) {
      std::memcpy(static_cast<void*>(inline_), other.heap_, other.size_ * sizeof(T));
      return;
    }
    heap_ = new T[other.size_];
    capacity_ = other.size_;
    std::memcpy(static_cast<void*>(heap_), other.heap_, other.size_ * sizeof(T));
  }
  void steal(SmallVector& other) {
    std::memcpy(static_cast<void*>(this), &other, sizeof *this);
    other.capacity_ = N;
    other.size_ = 0;
  }
  void release() {
    if (capacity_ > N) delete[] heap_;
    capacity_ = N;
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  union {
    T inline_[N];
    T* heap_;
  };
};

}  // namespace tessera
