/// Compiling CUDA C++, with a cache on disk.
#pragma once

#include <string>

#include "tessera/library/source_compiler.h"

namespace tessera::engine {

/// What the compiler makes of the source, or made of it before: the folder keeps it by source, contents of included
/// files, options, architecture and compiler. An empty folder keeps nothing. Thread-safe; throws SourceFailure.
library::CompiledSource compile_source(library::SourceCompiler& compiler, const library::SourceRequest& request,
                                       const std::string& cache_folder);

}  // namespace tessera::engine
