#include "tessera/engine/device/run/simulated_shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "tessera/base/format.h"

namespace tessera::engine {

namespace {

class MappedFile final : public runtime::SharedMemory {
 public:
  MappedFile(int file, size_t nbytes, std::string handle) : file_(file), nbytes_(nbytes), handle_(std::move(handle)) {
    void* const at = ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) data_ = static_cast<char*>(at);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override {
    if (data_) ::munmap(data_, nbytes_);
    ::close(file_);
  }
  char* data() override { return data_; }
  std::string_view handle() const override { return handle_; }

 private:
  int file_;
  size_t nbytes_;
  std::string handle_;
  char* data_ = nullptr;
};

std::unique_ptr<runtime::SharedMemory> map_file(int file, size_t nbytes, std::string handle) {
  auto memory = std::make_unique<MappedFile>(file, nbytes, std::move(handle));
  return memory->data() ? std::move(memory) : nullptr;
}

}  // namespace

std::unique_ptr<runtime::SharedMemory> make_simulated_shared_memory(size_t nbytes) {
  const int file = ::memfd_create("tessera-device", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  if (::ftruncate(file, static_cast<off_t>(nbytes)) != 0) {
    ::close(file);
    return nullptr;
  }
  return map_file(file, nbytes, format("/proc/{}/fd/{}", ::getpid(), file));
}

std::unique_ptr<runtime::SharedMemory> map_simulated_shared_memory(std::string_view handle) {
  const std::string path(handle);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  const off_t nbytes = ::lseek(file, 0, SEEK_END);
  if (nbytes <= 0) {
    ::close(file);
    return nullptr;
  }
  return map_file(file, static_cast<size_t>(nbytes), path);
}

}  // namespace tessera::engine
