#include "tessera/runtime/adopted_buffer.h"

#include <memory>
#include <utility>

#include "tessera/runtime/host/host_pool.h"

namespace tessera::runtime {

namespace {

class ForeignMemory : public Allocator {
 public:
  static ForeignMemory& instance() {
    static ForeignMemory* memory = std::make_unique<ForeignMemory>().release();  // outlives every buffer
    return *memory;
  }
  Ref<Buffer> allocate(size_t nbytes) override { return HostPool::instance().allocate(nbytes); }
  void recycle(Buffer* buffer) noexcept override {
    std::unique_ptr<AdoptedBuffer> owned(static_cast<AdoptedBuffer*>(buffer));
    if (owned->release) owned->release();
  }
};

}  // namespace

Ref<Buffer> adopt(void* data, size_t nbytes, std::function<void()> release) {
  auto buffer =
      std::make_unique<AdoptedBuffer>(&ForeignMemory::instance(), static_cast<char*>(data), nbytes, std::move(release));
  return Ref<Buffer>(buffer.release());
}

}  // namespace tessera::runtime
