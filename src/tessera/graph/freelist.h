/// Freelist: freed objects kept for the next make(); guarded by the engine's lock.
#pragma once

#include <cstddef>

namespace tessera::graph {

/// Has no destructor: arrays may be released after static destructors ran.
template <class T>
class Freelist {
 public:
  [[gnu::always_inline]] T* take() { return count_ ? free_[--count_] : new T; }
  [[gnu::always_inline]] void give(T* object) {
    if (count_ < limit) {
      free_[count_++] = object;
    } else {
      delete object;
    }
  }

 private:
  static constexpr size_t limit = 4096;
  size_t count_ = 0;
  T* free_[limit] = {};
};

template <class T>
inline constinit Freelist<T> freelist;

}  // namespace tessera::graph
