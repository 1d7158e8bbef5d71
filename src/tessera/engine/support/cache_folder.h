/// Cache folder: where compiled kernels and measurements of this machine are stored.
#pragma once

#include <string>

namespace tessera::engine {

/// TESSERA_CACHE, else `tessera` in XDG_CACHE_HOME or in HOME/.cache, as an absolute path; empty: nothing is stored.
std::string default_cache_folder();

/// Warns the user once if others could write to the folder, which is then not used; see base/private_folder.h.
void note_cache_problem(const std::string& folder);

}  // namespace tessera::engine
