/// Ref<T>: an intrusive reference, one pointer wide, for objects created in large numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tessera {

/// Base of objects counted by Ref. A subclass may hide T::destroy(T*) to recycle memory.
/// Counter is std::atomic<uint32_t> for objects shared between threads, uint32_t for objects already guarded by a lock.
template <class T, class Counter = std::atomic<uint32_t>>
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const {
    if constexpr (std::is_integral_v<Counter>) {
      ++count_;
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void release() const {
    if constexpr (std::is_integral_v<Counter>) {
      if (--count_ == 0) T::destroy(const_cast<T*>(static_cast<const T*>(this)));
    } else {
      // The last owner needs no atomic subtraction: no other thread can add a reference.
      if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
        T::destroy(const_cast<T*>(static_cast<const T*>(this)));
    }
  }
  /// Takes the first reference of an object that is not shared yet.
  void retain_new() const {
    if constexpr (std::is_integral_v<Counter>) {
      count_ = 1;
    } else {
      count_.store(1, std::memory_order_relaxed);
    }
  }
  uint32_t references() const { return count_; }
  static void destroy(T* object) { delete object; }

 private:
  mutable Counter count_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  [[gnu::always_inline]] explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  /// The first reference to a new object, which the Ref takes over.
  static Ref of_new(T* object) {
    object->retain_new();
    return adopt(object);
  }
  /// Adopts a reference given up by release().
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  T* release() { return std::exchange(object_, nullptr); }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  [[gnu::always_inline]] Ref& operator=(const Ref& other) { return *this = Ref(other); }
  [[gnu::always_inline]] Ref& operator=(Ref&& other) noexcept {
    if (this != &other) {
      T* old = std::exchange(object_, std::exchange(other.object_, nullptr));
      if (old) old->release();
    }
    return *this;
  }
  [[gnu::always_inline]] ~Ref() {
    if (object_) object_->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace tessera
