/// Memory of objects of users' classes: who holds them, and what keeps the memory of arrays in their fields.
#pragma once

#include <Python.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tessera/bind/array/object.h"
#include "tessera/bind/kernel/memory/call_memory.h"
#include "tessera/graph/array.h"

namespace tessera::bind {

/// What a function that runs, or a generator that waits, has addresses of objects in.
class MemoryRoots {
 public:
  virtual ~MemoryRoots() = default;
  /// Where its machine code's frames begin; null where that is not known.
  virtual const void* stack() const = 0;
  /// How much memory of its own was left by the last collection.
  virtual size_t bytes() const = 0;
  /// Collects its own memory.
  virtual void collect() const = 0;
  /// Calls each(words) of its memory, of which only what is left was collected.
  virtual void visit(bool is_collected, const std::function<void(std::span<const int64_t>)>& each) const = 0;
};

/// The memory of an array, which fields hold: one of the engine's, or an object of Python's.
struct KeptMemory {
  int64_t count = 0;
  bool is_listed = false;  // among those that are looked at when no function runs
  uintptr_t begin = 0, end = 0;
  std::optional<Array> array;
  Object object;
};

// All is done under Python's lock. Addresses of objects are in words. An object is counted by fields and by objects of
// Python's; variables of functions that run and containers in their memory do not count. What nobody holds is freed
// when no function runs. Now and then all that neither counts nor roots of functions lead to is, circles among it.

int64_t make_object(uint32_t number);
uint32_t class_number(int64_t object);
void keep_object(int64_t object);
void drop_object(int64_t object);
/// The word holds this object, or none where it is 0, in place of the one that it held.
void hold_object(int64_t* word, int64_t object);
/// The word holds this memory in place of what it held; null for none.
void hold_memory(int64_t* word, KeptMemory* memory);
/// What fields hold at an address in bytes; null if there is nothing. `at_end`: or what ends there.
KeptMemory* find_kept_memory(uintptr_t address, bool at_end);
/// Memory that a word will hold.
KeptMemory* add_kept_memory(KeptMemory memory);
/// Frees objects while functions run, if so many were made that it is worth it and all that run are this thread's,
/// whose stacks are known.
void collect_objects_if_due();
/// The same in any case; `is_running`: a function runs that asks for it.
void collect_objects(bool is_running);
/// Where calls make containers and texts that read or set fields which hold such.
CallMemory& memory_of_fields();
/// While it is there, what is at this address in that memory stays: the header of a container that Python has.
std::shared_ptr<void> keep_in_fields(int64_t header);

/// A function runs whose variables may be objects. Without a call its stack is not known.
class ObjectsInUse {
 public:
  explicit ObjectsInUse(const MemoryRoots* call = nullptr);
  ~ObjectsInUse();
  ObjectsInUse(const ObjectsInUse&) = delete;
  ObjectsInUse& operator=(const ObjectsInUse&) = delete;

 private:
  friend struct RunningCalls;
  const MemoryRoots* call_;
  ObjectsInUse* outer_;  // of this thread
};

/// A generator waits whose variables may be objects.
class ObjectsOfGenerator {
 public:
  explicit ObjectsOfGenerator(const MemoryRoots& call);
  ~ObjectsOfGenerator();
  ObjectsOfGenerator(const ObjectsOfGenerator&) = delete;
  ObjectsOfGenerator& operator=(const ObjectsOfGenerator&) = delete;

 private:
  const MemoryRoots* call_;
};

}  // namespace tessera::bind
