/// What tells one build of this library from another, so that no object of another build is taken from the cache.
#pragma once

#include <string>

namespace tessera::codegen {

/// The linker's build id of this library in hexadecimal digits; empty when it was linked without one.
std::string build_id();

}  // namespace tessera::codegen
