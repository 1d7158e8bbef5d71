/// Faults: lets tests make the k-th allocation, launch, copy, compilation or access to a cache file fail.
#pragma once

#include <atomic>
#include <cstdint>

namespace tessera::faults {

enum class Fault : uint8_t { allocation, launch, copy, compilation, file };
inline constexpr int fault_count = 5;

/// Says whether this one fails; null where no test asks.
using Ask = bool (*)(Fault fault);
inline constinit std::atomic<Ask> asked{nullptr};
/// Points to the `asked` that counts: libtessera_codegen.so looks at that of the engine.
inline constinit std::atomic<const std::atomic<Ask>*> watched{&asked};

/// To be called where something may fail. Costs two loads when no test asks.
inline bool fails(Fault fault) {
  const Ask ask = watched.load(std::memory_order_relaxed)->load(std::memory_order_relaxed);
  return ask && ask(fault);
}

/// From now on the `number`-th fault of this kind happens, counted from 1; 0: none, they are only counted. `lasting`:
/// and all after it.
void inject(Fault fault, int64_t number, bool lasting);
/// Ends that. Returns how many times that kind could have happened.
int64_t end();
/// The kind of this name ("allocation"); throws ValueError for others.
Fault fault_of(const char* name);

}  // namespace tessera::faults
