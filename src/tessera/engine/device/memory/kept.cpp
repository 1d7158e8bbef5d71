#include "tessera/engine/device/memory/kept.h"

#include <algorithm>
#include <string>

namespace tessera::engine {

namespace {

constexpr size_t most_entries = 8;
constexpr int64_t share = 8;  // of the device's memory, all entries together

struct Entry {
  uint32_t number = 0;
  std::string what;
  routines::Kept kept;
  const runtime::Device* device = nullptr;
  uint64_t last_use = 0;

  int64_t nbytes() const {
    int64_t sum = 0;
    for (const Ref<runtime::Buffer>& buffer : kept.buffers) sum += static_cast<int64_t>(buffer->nbytes());
    return sum;
  }
};

struct Entries {
  std::vector<Entry> all;
  uint64_t clock = 0;
  uint32_t last_number = 0;
};

/// Never destroyed: the buffers' devices may be gone by then.
Entries& entries() {
  static Entries& all = *new Entries;
  return all;
}

}  // namespace

const routines::Kept* find_kept(const graph::Version& version, std::string_view what, const runtime::Device& device) {
  if (version.kept == 0) return nullptr;
  for (Entry& entry : entries().all) {
    if (entry.number != version.kept || entry.what != what || entry.device != &device) continue;
    entry.last_use = ++entries().clock;
    return &entry.kept;
  }
  return nullptr;
}

void keep(graph::Version& version, std::string_view what, routines::Kept kept, const runtime::Device& device) {
  Entries& known = entries();
  if (version.kept == 0) version.kept = ++known.last_number;
  Entry entry{version.kept, std::string(what), std::move(kept), &device, ++known.clock};
  const int64_t most = device.capacity() / share;
  if (entry.nbytes() > most) return;
  std::erase_if(known.all, [&](const Entry& old) {
    return old.number == entry.number && old.what == entry.what && old.device == entry.device;
  });
  const auto is_full = [&] {
    int64_t sum = entry.nbytes();
    for (const Entry& other : known.all) sum += other.nbytes();
    return known.all.size() >= most_entries || sum > most;
  };
  while (!known.all.empty() && is_full()) known.all.erase(std::ranges::min_element(known.all, {}, &Entry::last_use));
  known.all.push_back(std::move(entry));
}

int64_t forget_kept(const runtime::Device& device) {
  int64_t freed = 0;
  std::erase_if(entries().all, [&](const Entry& entry) {
    if (entry.device != &device) return false;
    freed += entry.nbytes();
    return true;
  });
  return freed;
}

}  // namespace tessera::engine
