/// SmallVector: a vector of trivially copyable values that stores the first N inline.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <ostream>
#include <span>
#include <type_traits>
#include <utility>

namespace tessera {

/// Short vectors are copied with one fixed-size memcpy, which makes recording views fast. Unused elements are zero, so
/// comparisons have a fixed size as well.
template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() { forget(); }
  explicit SmallVector(size_t count, T value = T{}) : SmallVector() { resize(count, value); }
  SmallVector(std::initializer_list<T> values) : SmallVector(std::span<const T>(values.begin(), values.size())) {}
  SmallVector(std::span<const T> values) : SmallVector() {
    reserve(values.size());
    if (!values.empty()) std::memcpy(data(), values.data(), values.size() * sizeof(T));
    size_ = static_cast<uint32_t>(values.size());
  }
  [[gnu::always_inline]] SmallVector(const SmallVector& other) { copy_from(other); }
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

  void clear() { shrink(0); }
  void pop_back() { shrink(size_ - 1); }
  void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    data()[size_++] = value;
  }
  void resize(size_t count, T value = T{}) {
    if (count < size_) return shrink(count);
    reserve(count);
    std::fill(data() + size_, data() + count, value);
    size_ = static_cast<uint32_t>(count);
  }
  /// Resizes without initialising; the caller fills in the elements.
  void resize_for_overwrite(size_t count) {
    if (count < size_) return shrink(count);
    reserve(count);
    size_ = static_cast<uint32_t>(count);
  }
  void insert(size_t at, T value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    shrink(size_ - 1);
  }
  void reserve(size_t count) {
    if (count <= capacity_) return;
    T* bigger = new T[count];
    std::memcpy(static_cast<void*>(bigger), data(), size_ * sizeof(T));
    release();
    heap_ = bigger;
    capacity_ = static_cast<uint32_t>(count);
  }

  [[gnu::always_inline]] friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if constexpr (is_zero_filled) {
      if (has_words_of(a, b, std::make_index_sequence<sizeof a / 8>())) [[likely]]
        return true;
      if (a.capacity_ <= N && b.capacity_ <= N) return false;
    }
    return a.has_elements_of(b);
  }
  friend std::ostream& operator<<(std::ostream& out, const SmallVector& v) {
    out << '(';
    for (size_t i = 0; i < v.size(); ++i) out << (i ? ", " : "") << v[i];
    return out << (v.size() == 1 ? ",)" : ")");
  }

 private:
  /// Few enough bytes, each of which counts.
  static constexpr bool is_zero_filled =
      N * sizeof(T) <= 32 && N * sizeof(T) % 8 == 0 && std::has_unique_object_representations_v<T>;

  void forget() {
    if constexpr (is_zero_filled) std::memset(static_cast<void*>(inline_), 0, sizeof inline_);
  }
  [[gnu::always_inline]] uint64_t word(size_t k) const {
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(this) + 8 * k, sizeof word);
    return word;
  }
  /// Compares the whole object, without branches or loops.
  template <size_t... K>
  [[gnu::always_inline]] static bool has_words_of(const SmallVector& a, const SmallVector& b,
                                                  std::index_sequence<K...>) {
    return ((a.word(K) ^ b.word(K)) | ...) == 0;
  }
  void shrink(size_t count) {
    if (is_zero_filled && capacity_ <= N) std::fill(inline_ + count, inline_ + size_, T{});
    size_ = static_cast<uint32_t>(count);
  }
  bool has_elements_of(const SmallVector& other) const {
    if (size_ != other.size_) return false;
    const T* x = data();
    const T* y = other.data();
    // Short vectors: a call of memcmp would cost more than this loop.
    for (uint32_t i = 0; i < size_; ++i) {
      if (!(x[i] == y[i])) return false;
    }
    return true;
  }
  [[gnu::always_inline]] void copy_from(const SmallVector& other) {
    size_ = other.size_;
    if (other.capacity_ <= N) [[likely]] {
      std::memcpy(static_cast<void*>(inline_), other.inline_, sizeof inline_);  // constant size: no call
    } else {
      copy_from_heap(other);
    }
  }
  [[gnu::noinline]] void copy_from_heap(const SmallVector& other) {
    if (other.size_ <= N) {
      forget();
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
    other.forget();
  }
  void release() {
    if (capacity_ <= N) return;
    delete[] heap_;
    capacity_ = N;
    forget();
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  union {
    T inline_[N];
    T* heap_;
  };
};

}  // namespace tessera
