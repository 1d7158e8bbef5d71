#include "tessera/runtime/cuda/driver.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/error.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

namespace {

struct Opened {
  Driver driver;
  DynamicLibrary library;
  std::string problem;

  Opened() {
    std::string reason;
    library = DynamicLibrary::try_open("libcuda.so.1", &reason);
    if (!library) {
      problem = reason.empty() ? "no NVIDIA driver on this machine (there is no libcuda.so.1)"
                               : "the NVIDIA driver does not load: " + reason;
      return;
    }
#define TESSERA_CUDA_FIND(member, symbol, arguments)            \
  driver.member = library.find_function<int arguments>(symbol); \
  if (!driver.member) problem = "the NVIDIA driver is too old: it has no " symbol;
    TESSERA_CUDA_FUNCTIONS(TESSERA_CUDA_FIND)
#undef TESSERA_CUDA_FIND
#define TESSERA_CUDA_TRY(member, symbol, arguments) driver.member = library.find_function<int arguments>(symbol);
    TESSERA_CUDA_NEWER_FUNCTIONS(TESSERA_CUDA_TRY)
#undef TESSERA_CUDA_TRY
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

namespace {

/// After these the driver returns the same error for every call of the process.
bool is_final(int status) {
  constexpr int final_codes[] = {
      214,                      // uncorrectable memory error
      220,                      // uncorrectable NVLink error
      226,                      // contained by the GPU
      700,                      // illegal address
      702,                      // launch timeout
      710,                      // assertion
      714, 715, 716, 717, 718,  // stack, instruction, alignment, address space, program counter
      719,                      // launch failure
      721,                      // tensor memory
      810,                      // ended by the multi-process server
      911,                      // a device outside of CUDA
      999,                      // unknown
  };
  return std::find(std::begin(final_codes), std::end(final_codes), status) != std::end(final_codes);
}

}  // namespace

void check(const Driver& driver, int status, const char* what) {
  if (status == success) [[likely]]
    return;
  const char *name = nullptr, *text = nullptr;
  driver.error_name(status, &name);
  driver.error_text(status, &text);
  const std::string message =
      format("{} failed on the GPU: {} ({})", what, text ? text : "unknown error", name ? name : "?");
  if (status == out_of_memory) throw OutOfMemory(message);
  if (is_final(status)) throw DeviceFailure(message);
  throw RuntimeError(message);
}

}  // namespace tessera::runtime::cuda
