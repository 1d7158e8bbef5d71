#include "tessera/engine/support/cache_folder.h"

#include <cstdlib>
#include <filesystem>

#include "tessera/base/private_folder.h"

namespace tessera::engine {

namespace {

/// The environment variable; empty when the program runs with more privileges than its user, as the environment is then
/// not trusted.
std::string variable(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

}  // namespace

std::string default_cache_folder() {
  if (secure_getenv("TESSERA_CACHE")) {
    const std::string folder = variable("TESSERA_CACHE");
    std::error_code error;
    return folder.empty() ? folder : std::filesystem::absolute(folder, error).string();
  }
  // The base directory specification says that relative paths are to be ignored.
  if (const std::string folder = variable("XDG_CACHE_HOME"); folder.starts_with('/')) return folder + "/tessera";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/tessera";
  return {};
}

void note_cache_problem(const std::string& folder) {
  if (!folder.empty()) static_cast<void>(PrivateFolder::open(folder));
}

}  // namespace tessera::engine
