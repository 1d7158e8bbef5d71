#include "tessera/runtime/cuda/cuda_shared_memory.h"

#include <cstring>

namespace tessera::runtime::cuda {

namespace {

/// Memory of this process, or of another one. It stays until the process ends, whose exit gives it back: others may
/// still copy to it.
class CudaSharedMemory final : public SharedMemory {
 public:
  CudaSharedMemory(Address address, const IpcHandle& handle) : address_(address), handle_(handle) {}
  char* data() override { return reinterpret_cast<char*>(address_); }
  std::string_view handle() const override { return {handle_.bytes, sizeof handle_.bytes}; }

 private:
  Address address_;
  IpcHandle handle_;
};

}  // namespace

std::unique_ptr<SharedMemory> make_shared_memory(const Driver& driver, size_t nbytes) {
  if (!driver.ipc_name || !driver.ipc_open) return nullptr;
  Address address = 0;
  if (driver.memory_allocate(&address, nbytes) != success) return nullptr;
  IpcHandle handle{};
  if (driver.ipc_name(&handle, address) != success) {
    driver.memory_free(address);
    return nullptr;
  }
  return std::make_unique<CudaSharedMemory>(address, handle);
}

std::unique_ptr<SharedMemory> map_shared_memory(const Driver& driver, std::string_view handle) {
  IpcHandle known{};
  if (!driver.ipc_open || handle.size() != sizeof known.bytes) return nullptr;
  std::memcpy(known.bytes, handle.data(), sizeof known.bytes);
  constexpr unsigned with_peer_access = 1;
  Address address = 0;
  if (driver.ipc_open(&address, known, with_peer_access) != success) return nullptr;
  return std::make_unique<CudaSharedMemory>(address, known);
}

}  // namespace tessera::runtime::cuda
