/// Cache folder: where compiled kernels and what was measured of this machine are kept.
#pragma once

#include <string>

namespace tessera::engine {

/// TESSERA_CACHE, else tessera in XDG_CACHE_HOME or in HOME's .cache, as an absolute path; empty: nothing is kept.
std::string default_cache_folder();

/// Tells the user once where others could put something into the folder, which is then not used; see
/// base/private_folder.h.
void note_cache_problem(const std::string& folder);

}  // namespace tessera::engine
