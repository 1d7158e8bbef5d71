#include "tessera/bind/kernel/memory/stack_roots.h"

#include <array>

namespace tessera::bind {

// All that is on the stack is read, as it is.
[[gnu::noinline]] __attribute__((no_sanitize("address", "undefined"))) void StackRoots::visit(void (*each)(void*,
                                                                                                           uintptr_t),
                                                                                              void* context) const {
  if (!end_) return;
#if defined(__x86_64__)
  std::array<uintptr_t, 6> registers;
  asm volatile(
      "movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%r12, 16(%0)\n\t"
      "movq %%r13, 24(%0)\n\tmovq %%r14, 32(%0)\n\tmovq %%r15, 40(%0)"
      :
      : "r"(registers.data())
      : "memory");
#else
  std::array<uintptr_t, 1> registers;
  __builtin_unwind_init();
#endif
  for (const volatile uintptr_t& word : registers) each(context, word);
  const auto* const last = static_cast<const uintptr_t*>(end_);
  // Registers that this function keeps for its caller lie between its own words and its frame.
  for (auto at = reinterpret_cast<uintptr_t>(registers.data()); at < reinterpret_cast<uintptr_t>(last);
       at += sizeof(uintptr_t))
    each(context, *reinterpret_cast<const volatile uintptr_t*>(at));
}

}  // namespace tessera::bind
