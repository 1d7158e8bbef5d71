/// Memory of graph::Version on the host: which runtime::Buffer holds its elements.
#pragma once

#include "tessera/graph/storage.h"
#include "tessera/runtime/buffer.h"

namespace tessera::eager {

/// Sets the function by which graph objects release memory. Call once.
void install_memory_hooks();
/// The buffer in host memory; null when the elements are only on a device.
runtime::Buffer* buffer_of(const graph::Version& version);
/// Makes `buffer` the settled contents of `version`.
void set_buffer(graph::Version& version, Ref<runtime::Buffer> buffer);
/// A settled version with its own memory, contents undefined.
Ref<graph::Version> make_settled(int64_t nbytes);
/// The same with zeros in fresh, untouched pages; for large arrays.
Ref<graph::Version> make_settled_zeros(int64_t nbytes);

}  // namespace tessera::eager
