#include "tessera/runtime/host/system_memory.h"

#include "tessera/runtime/host/poison.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace tessera::runtime {

namespace {

void* map(size_t nbytes, int flags) {
  void* data = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

int64_t read_limit(const char* path) {
  std::ifstream file(path);
  int64_t limit = 0;
  return file >> limit ? limit : INT64_MAX;  // "max" does not parse as a number
}

}  // namespace

void* map_pages(size_t nbytes) noexcept {
  if (nbytes < huge_page_size) return map(nbytes, MAP_POPULATE);
  char* raw = static_cast<char*>(map(nbytes + huge_page_size, MAP_NORESERVE));
  if (!raw) return nullptr;
  size_t skip = -reinterpret_cast<uintptr_t>(raw) % huge_page_size;
  char* data = raw + skip;
  if (skip) munmap(raw, skip);
  munmap(data + nbytes, huge_page_size - skip);
  madvise(data, nbytes, MADV_HUGEPAGE);
  return data;
}

void unmap_pages(void* data, size_t nbytes) noexcept {
  allow(data, nbytes);  // whatever is mapped there next must be accessible
  munmap(data, nbytes);
}

int64_t memory_limit() {
  static const int64_t limit = [] {
    struct sysinfo facts;
    int64_t total = INT64_MAX;
    if (sysinfo(&facts) == 0) total = static_cast<int64_t>(facts.totalram + facts.totalswap) * facts.mem_unit;
    total = std::min(total, read_limit("/sys/fs/cgroup/memory.max"));
    return std::min(total, read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  }();
  return limit;
}

bool has_address_space(size_t nbytes) noexcept {
  void* probe = mmap(nullptr, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) return false;
  munmap(probe, nbytes);
  return true;
}

int64_t core_cache_bytes() {
  const long nbytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return nbytes > 0 ? nbytes : int64_t{1} << 20;
}

std::string size_text(int64_t nbytes) {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(nbytes);
  int unit = 0;
  while (value >= 1024 && unit < 6) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f%s %s", decimals, value, unit && !decimals ? "." : "", units[unit]);
  return text;
}

}  // namespace tessera::runtime
