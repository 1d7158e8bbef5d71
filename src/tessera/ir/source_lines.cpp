#include "tessera/ir/source_lines.h"

#include <map>

#include "tessera/base/hash.h"
#include "tessera/base/mutex.h"

namespace tessera::ir {

namespace {

struct Files {
  Mutex mutex;
  std::map<int64_t, std::string> paths;
};

Files& files() {
  static auto& all = *new Files;
  return all;
}

}  // namespace

int64_t file_number(const std::string& path) {
  const auto number = static_cast<int64_t>(Hash().add(path).value());
  const std::lock_guard lock(files().mutex);
  files().paths.emplace(number, path);
  return number;
}

std::string file_path(int64_t number) {
  const std::lock_guard lock(files().mutex);
  const auto known = files().paths.find(number);
  return known == files().paths.end() ? "" : known->second;
}

}  // namespace tessera::ir
