/// UserStream: a stream of the user's as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "tessera/runtime/user_streams.h"

namespace tessera::bind {

struct UserStream {
  std::shared_ptr<runtime::UserStream> stream;
};

/// Adds streams, events and pinned memory to the module.
void bind_streams(nanobind::module_& kernels);

}  // namespace tessera::bind
