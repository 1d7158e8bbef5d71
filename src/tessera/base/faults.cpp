#include "tessera/base/faults.h"

#include <cstring>

#include "tessera/base/error.h"

namespace tessera::faults {

namespace {

std::atomic<Fault> wanted{Fault::allocation};
std::atomic<int64_t> failing{0};
std::atomic<int64_t> seen{0};
std::atomic<bool> lasts{false};

bool count(Fault fault) {
  if (fault != wanted.load(std::memory_order_relaxed)) return false;
  const int64_t number = seen.fetch_add(1, std::memory_order_relaxed) + 1;
  const int64_t first = failing.load(std::memory_order_relaxed);
  return number == first || (first > 0 && number > first && lasts);
}

}  // namespace

void inject(Fault fault, int64_t number, bool lasting) {
  asked = nullptr;
  wanted = fault;
  failing = number;
  lasts = lasting;
  seen = 0;
  asked = count;
}

int64_t end() {
  asked = nullptr;
  return seen;
}

Fault fault_of(const char* name) {
  constexpr const char* names[fault_count] = {"allocation", "launch", "copy", "compilation", "file"};
  for (int k = 0; k < fault_count; ++k)
    if (std::strcmp(name, names[k]) == 0) return static_cast<Fault>(k);
  throw ValueError(
      format("inject_fault: the kind is 'allocation', 'launch', 'copy', 'compilation' or 'file', not '{}'", name));
}

}  // namespace tessera::faults
