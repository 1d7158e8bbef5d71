#include "tessera/runtime/cuda/driver.h"

#include <string>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/error.h"

namespace tessera::runtime::cuda {

namespace {

struct Opened {
  Driver driver;
  DynamicLibrary library;
  std::string problem;

  Opened() {
    const std::string names[] = {"libcuda.so.1"};
    library = DynamicLibrary::open_any(names);
    if (!library) {
      problem = "no NVIDIA driver on this machine (libcuda.so.1 does not load)";
      return;
    }
#define TESSERA_CUDA_FIND(member, symbol, arguments)                                    \
  driver.member = library.find_function<int arguments>(symbol);                         \
  if (!driver.member) problem = "the NVIDIA driver is too old: it has no " symbol;
    TESSERA_CUDA_FUNCTIONS(TESSERA_CUDA_FIND)
#undef TESSERA_CUDA_FIND
    if (!problem.empty()) return;
    if (const int status = driver.init(0)) problem = "the NVIDIA driver does not start: " + describe(status);
  }

  std::string describe(int status) const {
    const char* text = nullptr;
    if (driver.error_text(status, &text) == success && text) return text;
    return "error " + std::to_string(status);
  }
};

const Opened& opened() {
  // Never destroyed: buffers are freed after static destructors ran.
  static const auto& opened = *new Opened;
  return opened;
}

}  // namespace

const Driver* open_driver() { return opened().problem.empty() ? &opened().driver : nullptr; }

const char* driver_problem() { return opened().problem.c_str(); }

void check(const Driver& driver, int status, const char* what) {
  if (status == success) [[likely]] return;
  const char *name = nullptr, *text = nullptr;
  driver.error_name(status, &name);
  driver.error_text(status, &text);
  const std::string message = format("{} failed on the GPU: {} ({})", what, text ? text : "unknown error", name ? name : "?");
  if (status == out_of_memory) throw OutOfMemory(message);
  throw RuntimeError(message);
}

}  // namespace tessera::runtime::cuda
