#include "tessera/engine/device/memory/lent_memory.h"

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

using graph::Node;
using graph::Version;
using runtime::Buffer;

namespace {

bool writes_lent(const Node& node) { return node.form->pinned && node.old && node.old->lent; }

}  // namespace

bool writes_lent_memory(const plan::Request& request) {
  for (int i = 0; i < request.size(); ++i)
    if (writes_lent(request.node(i))) return true;
  return false;
}

void return_lent_memory(const plan::Request& request) {
  for (int i = 0; i < request.size(); ++i) {
    const Node& node = request.node(i);
    if (!writes_lent(node)) continue;
    runtime::Device& device = *device_of(*node.old);
    const Ref<Buffer> buffer = find_copy(*node.old, device);
    device.stream().copy_in(buffer->data(), host_data(*node.out), static_cast<size_t>(node.out->nbytes));
    device.stream().synchronize();
    profile::add(profile::Counter::copies_to_device);
    profile::add(profile::Counter::bytes_to_device, node.out->nbytes);
    lend(*node.out, buffer);
  }
}

bool is_lent_on(const graph::Storage& storage, const runtime::Device& device) {
  return storage.pins > 0 && storage.current->lent && device_of(*storage.current) == &device;
}

}  // namespace tessera::engine
