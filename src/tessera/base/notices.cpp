#include "tessera/base/notices.h"

#include <atomic>
#include <set>
#include <utility>

#include "tessera/base/mutex.h"

namespace tessera {

namespace {

struct Notices {
  Mutex mutex;
  std::set<std::string> subjects;
  std::vector<std::string> pending;
};

/// Never destroyed: threads may queue messages while the process exits.
Notices& notices() {
  static auto& all = *new Notices;
  return all;
}

constinit std::atomic<bool> any{false};

}  // namespace

void note_once(const std::string& subject, const std::string& message) {
  Notices& all = notices();
  std::scoped_lock lock(all.mutex);
  if (!all.subjects.insert(subject).second) return;
  all.pending.push_back(message);
  any.store(true, std::memory_order_relaxed);
}

bool has_notices() { return any.load(std::memory_order_relaxed); }

std::vector<std::string> take_noted() {
  Notices& all = notices();
  std::scoped_lock lock(all.mutex);
  any.store(false, std::memory_order_relaxed);
  return std::exchange(all.pending, {});
}

}  // namespace tessera
