/// Freelist: freed objects kept for the next make(); the engine's lock guards them.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::graph {

template <class T>
class Freelist {
 public:
  T* take() {
    if (free_.empty()) return new T;
    T* object = free_.back();
    free_.pop_back();
    return object;
  }
  void give(T* object) {
    if (free_.size() < limit) {
      free_.push_back(object);
    } else {
      delete object;
    }
  }

 private:
  static constexpr size_t limit = 4096;
  std::vector<T*> free_;
};

template <class T>
Freelist<T>& freelist() {
  // Never destroyed: arrays may die after static destructors ran.
  static auto& list = *new Freelist<T>;
  return list;
}

}  // namespace tessera::graph
