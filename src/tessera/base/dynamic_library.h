/// DynamicLibrary: a shared object opened on demand, with typed symbol look-up.
#pragma once

#include <string>

namespace tessera {

class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  /// Opens path, which is a file or a name for the loader to search. Returns an empty library when it does not load; if
  /// the library exists, `problem` then receives the reason.
  static DynamicLibrary try_open(const std::string& path, std::string* problem = nullptr);
  /// As try_open, for a path taken from an environment variable. A file that other users could have put there is not
  /// opened: `problem` receives the reason, and the user is notified once.
  static DynamicLibrary try_open_named(const std::string& variable, const std::string& path,
                                       std::string* problem = nullptr);
  /// The library of that name if the process has already loaded it, else empty.
  static DynamicLibrary loaded(const std::string& name);
  /// Opens path or throws IoError with the path and the loader's reason.
  static DynamicLibrary open(const std::string& path);
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  ~DynamicLibrary();

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }
  /// The file that the loader opened, whatever name was passed.
  std::string file() const;
  /// The symbol's address, or null.
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
