/// Code that kernels are linked with, by the hash that ir::Kernel::linked has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/library/code_linker.h"

namespace tessera::engine {

/// Keeps the parts as long as the process lives, once each; never 0. Thread-safe.
uint64_t keep_linked_code(std::vector<library::LinkPart> parts);
/// The machine code of a kernel whose text is this and that calls functions in other code. Throws RuntimeError with the
/// linker's words.
std::string link_kernel(const ir::Kernel& kernel, std::string ptx, const library::LinkOptions& options);

}  // namespace tessera::engine
