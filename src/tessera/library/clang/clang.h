/// Clang, run as a process: CUDA C++ becomes LLVM's bitcode, which codegen makes native code of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/library/source_compiler.h"

namespace tessera::library {

struct ClangPlace {
  std::vector<std::string> command;  // the program, and "clang" behind it where that is zig
  std::string version;               // tells one from another in the cache
  std::string headers;               // the folder of what takes the place of CUDA's headers
};

/// Compiles for CodeKind::for_cores and for_checks. Thread-safe.
std::unique_ptr<SourceCompiler> make_clang(ClangPlace place);

}  // namespace tessera::library
