/// StackRoots: the words of a thread's stack in which machine code may have addresses.
#pragma once

#include <cstdint>

namespace tessera::bind {

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

}  // namespace tessera::bind
