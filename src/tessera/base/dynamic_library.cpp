#include "tessera/base/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/notices.h"
#include "tessera/base/trusted_path.h"

namespace tessera {

DynamicLibrary DynamicLibrary::try_open(const std::string& path, std::string* problem) {
  if (void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) return DynamicLibrary(handle, path);
  const std::string said = dlerror();
  const bool names_it = said.starts_with(path + ":");
  const bool is_there =
      !names_it || !said.ends_with(std::strerror(ENOENT));  // the missing file may be a dependency of the library
  if (problem && is_there) *problem = names_it ? said : format("{}: {}", path, said);
  return {};
}

DynamicLibrary DynamicLibrary::try_open_named(const std::string& variable, const std::string& path,
                                              std::string* problem) {
  if (path.find('/') == std::string::npos) return try_open(path, problem);  // the loader's own folders
  const TrustedPath file = open_trusted(path, Wanted::code_file);
  if (file.distrust.empty()) return try_open(path, problem);
  const std::string said = format(
      "{}, so others could put code of theirs there: {}, which {} names, is not opened. Take from others the "
      "right to write, or name a file in a folder that only you or root may write",
      file.distrust, path, variable);
  note_once("library " + path, said);
  if (problem) *problem = said;
  return {};
}

DynamicLibrary DynamicLibrary::loaded(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return handle ? DynamicLibrary(handle, name) : DynamicLibrary();
}

DynamicLibrary DynamicLibrary::open(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  require<IoError>(handle != nullptr, "cannot load {}: {}", path, handle ? "" : dlerror());
  return DynamicLibrary(handle, path);
}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

// Libraries that start threads (OpenBLAS) do not survive dlclose, so handles stay open.
DynamicLibrary::~DynamicLibrary() = default;

std::string DynamicLibrary::file() const {
  link_map* map = nullptr;
  if (!handle_ || dlinfo(handle_, RTLD_DI_LINKMAP, &map) || !map) return path_;
  return map->l_name;
}

void* DynamicLibrary::find(const char* symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

}  // namespace tessera
