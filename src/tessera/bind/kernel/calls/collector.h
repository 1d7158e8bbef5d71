/// Finds which memory of a call nothing leads to any more, and gives it back while the call runs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/bind/kernel/memory/stack_roots.h"

namespace tessera::bind {

struct HostCalls;

/// What a call's memory and arguments lead to.
class CallRoots final : public MemoryRoots {
 public:
  explicit CallRoots(HostCalls& calls) : calls_(calls) {}
  const void* stack() const override;
  size_t bytes() const override;
  void collect() const override;
  void visit(bool is_collected, const std::function<void(std::span<const int64_t>)>& each) const override;

 private:
  HostCalls& calls_;
};

/// Frees the call's blocks of words, arrays, arrays of NumPy's and texts that neither the stack nor other memory that
/// it knows leads to. A word that may be an address of one, in bytes or in elements, counts as one: nothing says where
/// addresses are, and what a number happens to hit stays until the next time. Under Python's lock, on the call's
/// thread.
void collect(HostCalls& calls, const StackRoots& stack);
/// Whether so much has been made since the last time that it is worth it.
bool is_collection_due(const HostCalls& calls);

}  // namespace tessera::bind
