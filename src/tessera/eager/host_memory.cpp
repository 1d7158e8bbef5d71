#include "tessera/eager/host_memory.h"

#include <utility>

#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/host_stream.h"

namespace tessera::eager {

using graph::Version;
using runtime::Buffer;

void install_memory_hooks() {
  Version::finished = &runtime::HostStream::instance().finished();
  Version::release_memory = [](void* memory) { static_cast<Buffer*>(memory)->release(); };
}

Buffer* buffer_of(const Version& version) { return static_cast<Buffer*>(version.memory); }

void set_buffer(Version& version, Ref<Buffer> buffer) {
  if (version.memory) Version::release_memory(version.memory);
  version.release_device_copies();
  version.kept = 0;
  version.data = buffer->data();
  version.memory = buffer.release();
  version.window = nullptr;
}

namespace {

Ref<Version> settled_in(Ref<Buffer> buffer) {
  Ref<Version> version(Version::make());
  version->nbytes = static_cast<int64_t>(buffer->nbytes());
  set_buffer(*version, std::move(buffer));
  return version;
}

}  // namespace

Ref<Version> make_settled(int64_t nbytes) {
  return settled_in(runtime::HostPool::instance().allocate(static_cast<size_t>(nbytes)));
}

Ref<Version> make_settled_zeros(int64_t nbytes) {
  return settled_in(runtime::HostPool::instance().allocate_zeros(static_cast<size_t>(nbytes)));
}

}  // namespace tessera::eager
