/// DynamicLibrary: a shared object opened on demand, with typed symbol look-up.
#pragma once

#include <string>

namespace tessera {

class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  /// Opens path, a file or a name that the loader looks for; empty when it does not load, and `problem` then says why
  /// of a library that is there.
  static DynamicLibrary try_open(const std::string& path, std::string* problem = nullptr);
  /// The same of a path that an environment variable gave: a file that others could have put there is not opened,
  /// `problem` says why, and the user is told once.
  static DynamicLibrary try_open_named(const std::string& variable, const std::string& path,
                                       std::string* problem = nullptr);
  /// The library of that name that the process has loaded already; empty when there is none.
  static DynamicLibrary loaded(const std::string& name);
  /// Opens path or throws IoError naming it and the loader's reason.
  static DynamicLibrary open(const std::string& path);
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  ~DynamicLibrary();

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }
  /// The file the loader took, whatever name it was asked for by.
  std::string file() const;
  /// Returns the symbol's address, or null.
  void* find(const char* symbol) const;
  template <class Function>
  Function* find_function(const char* symbol) const {
    return reinterpret_cast<Function*>(find(symbol));
  }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace tessera
