/// Finds which memory of a call nothing leads to any more, and gives it back while the call runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::bind {

struct HostCalls;

/// Where machine code may have addresses: the words of this thread's stack between the host's function and the frame
/// that called the code.
class StackRoots {
 public:
  /// `end` is an address in the frame that called the code; null where nothing of it runs.
  explicit StackRoots(const void* end) : end_(end) {}
  /// Calls each(word) of the stack and of registers that are kept across calls.
  template <class Each>
  void visit(const Each& each) const {
    visit([](void* context, uintptr_t word) { (*static_cast<const Each*>(context))(word); },
          const_cast<void*>(static_cast<const void*>(&each)));
  }

 private:
  void visit(void (*each)(void*, uintptr_t), void* context) const;
  const void* end_;
};

/// Frees the call's blocks of words, arrays, arrays of NumPy's and texts that neither the stack nor other memory that
/// it knows leads to. A word that may be an address of one, in bytes or in elements, counts as one: nothing says where
/// addresses are, and what a number happens to hit stays until the next time. Under Python's lock, on the call's
/// thread.
void collect(HostCalls& calls, const StackRoots& stack);
/// In tests: a collection whenever the host is asked, and what is freed is overwritten.
bool& collects_always();
/// Whether so much has been made since the last time that it is worth it.
bool is_collection_due(const HostCalls& calls);

}  // namespace tessera::bind
