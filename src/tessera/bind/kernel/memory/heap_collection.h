/// HeapCollection: finds which of a memory's blocks, arrays and texts nothing leads to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/bind/kernel/memory/call_memory.h"

namespace tessera::bind {

/// A word that may be the address of something, in bytes or in elements, counts as one: nothing says where addresses
/// are, and what a number happens to hit stays until the next time. Under Python's lock.
class HeapCollection {
 public:
  /// `arrays_lead_on`: values pass through arrays of words.
  HeapCollection(CallMemory& memory, bool arrays_lead_on);

  /// Something leads to what is at this address, if anything is.
  void note(uintptr_t word);
  /// The same of a word of the stack: code may have computed a place a few elements before or behind what it reads.
  void note_root(uintptr_t word);
  /// The words of what was found, which may lead to more; empty where none are left.
  std::span<const int64_t> next_open();
  void follow();
  /// Frees the rest.
  void sweep();

 private:
  /// What is found by where it lies.
  struct Found {
    enum class Kind : uint8_t { array, numpy, text };
    uintptr_t begin, end;  // bytes; the end may be an address, too
    uintptr_t furthest;    // of it and those before
    size_t number;
    uintptr_t itemsize;
    Kind kind;
    bool is_marked = false;
  };

  void add(Found::Kind kind, size_t number, uintptr_t begin, uintptr_t end, uintptr_t itemsize);
  void add_array(size_t k);
  void add_numpy(size_t k);
  void add_text(size_t k);
  void note_found(uintptr_t address);

  CallMemory& memory_;
  bool arrays_lead_on_;
  std::vector<Found> found_;  // in order of where they begin
  std::vector<std::span<const int64_t>> open_;
};

}  // namespace tessera::bind
