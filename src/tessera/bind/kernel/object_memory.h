/// Memory of objects of users' classes: who holds them, and what keeps the memory of arrays in their fields.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "tessera/bind/array/object.h"
#include "tessera/graph/array.h"

namespace tessera::bind {

/// The memory of an array, which fields hold: one of the engine's, or an object of Python's.
struct KeptMemory {
  int64_t count = 0;
  uintptr_t begin = 0, end = 0;
  std::optional<Array> array;
  Object object;
};

// All is done under Python's lock. Addresses of objects are in words. An object is counted by fields and by objects of
// Python's; variables of functions that run do not count, so what nobody holds is freed when none runs.

int64_t make_object(uint32_t number);
uint32_t class_number(int64_t object);
void keep_object(int64_t object);
void drop_object(int64_t object);
/// The word holds this object, or none where it is 0, in place of the one that it held.
void hold_object(int64_t* word, int64_t object);
/// The word holds this memory in place of what it held; null for none.
void hold_memory(int64_t* word, KeptMemory* memory);
/// What fields hold at an address in bytes; null if there is nothing.
KeptMemory* find_kept_memory(uintptr_t address);
/// Memory that a word will hold.
KeptMemory* add_kept_memory(KeptMemory memory);

/// A function runs whose variables may be objects.
class ObjectsInUse {
 public:
  ObjectsInUse();
  ~ObjectsInUse();
  ObjectsInUse(const ObjectsInUse&) = delete;
  ObjectsInUse& operator=(const ObjectsInUse&) = delete;
};

}  // namespace tessera::bind
