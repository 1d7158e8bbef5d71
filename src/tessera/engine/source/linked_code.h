/// Code that kernels are linked with, by the hash that ir::Kernel::linked has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/library/code_linker.h"

namespace tessera::engine {

struct LinkedCode {
  std::vector<library::LinkPart> parts;
  bool has_debug_info = false;
  bool has_line_info = false;
};

/// Keeps the code as long as the process lives, once; never 0. Thread-safe.
uint64_t keep_linked_code(LinkedCode code);
/// The machine code of a kernel whose text is this and that calls functions in other code: registers are allotted to
/// all of it for blocks of so many threads and as the kernel asks. Throws LinkFailure, which names the kernel and the
/// parts.
std::string link_kernel(const ir::Kernel& kernel, std::string ptx, int threads, library::LinkOptions options);

}  // namespace tessera::engine
