/// Identifies the build of this library, so that objects of other builds are not taken from the cache.
#pragma once

#include <string>

namespace tessera::codegen {

/// The linker's build id of this library in hexadecimal digits; empty when it was linked without one.
std::string build_id();

}  // namespace tessera::codegen
