#include "tessera/graph/storage.h"

#include <vector>

#include "tessera/graph/window.h"

namespace tessera::graph {

namespace {

/// Freed objects kept for the next make(); the engine's lock guards them.
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

/// A storage lets go of a version: if only pending reads keep its memory now, their window counts it.
void let_go(Ref<Version>& version) {
  if (version && version->readers > 0 && version->settled()) version->reader->held_bytes += version->nbytes;
  version = nullptr;
}

}  // namespace

void (*Version::release_memory)(void* memory) = nullptr;

uint64_t Version::new_pass() {
  static uint64_t last = 0;
  return ++last;
}

Version* Version::make() { return freelist<Version>().take(); }

void Version::destroy(Version* version) {
  if (version->memory) release_memory(version->memory);
  version->memory = nullptr;
  version->data = nullptr;
  version->nbytes = 0;
  version->window = nullptr;
  version->producer = -1;
  version->readers = 0;
  version->reader = nullptr;
  freelist<Version>().give(version);
}

void Storage::replace(Ref<Version> version) {
  let_go(current);
  current = std::move(version);
}

Storage* Storage::make() { return freelist<Storage>().take(); }

void Storage::destroy(Storage* storage) {
  let_go(storage->current);
  storage->pins = 0;
  storage->writable = true;
  freelist<Storage>().give(storage);
}

}  // namespace tessera::graph
