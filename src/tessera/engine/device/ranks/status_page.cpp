#include "tessera/engine/device/ranks/status_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tessera::engine {

StatusPage::StatusPage() {
  const char* path = std::getenv("TESSERA_RANK_STATUS");
  if (!path || !*path) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  if (ftruncate(file, nbytes) == 0) {
    void* page = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) page_ = static_cast<char*>(page);
  }
  close(file);
}

void StatusPage::write(const std::string& text) {
  if (!page_) return;
  const size_t length = std::min(text.size(), nbytes - 1);
  std::memcpy(page_, text.data(), length);
  std::memset(page_ + length, 0, nbytes - length);
}

}  // namespace tessera::engine
