#include "tessera/library/cuda/cusolver.h"

#include <map>
#include <mutex>

#include "tessera/base/error.h"
#include "tessera/library/cuda/toolkit.h"

namespace tessera::library::cuda {

namespace {

struct Opened {
  Cusolver table;
  Found found;
  void* handle = nullptr;
  void* parameters = nullptr;

  explicit Opened(runtime::Device& device) : found(open_part(cusolver_part, device)) {
#define TESSERA_CUSOLVER_FIND(member, symbol, arguments)             \
  table.member = found.library.find_function<int arguments>(symbol); \
  if (!table.member) throw LibraryMissing("cuSOLVER", format("{} has no {}", found.library.file(), symbol));
    TESSERA_CUSOLVER_FUNCTIONS(TESSERA_CUSOLVER_FIND)
#undef TESSERA_CUSOLVER_FIND
    device.stream().handle();
    check_cusolver(table.create(&handle), "opening cuSOLVER", "");
    check_cusolver(table.create_parameters(&parameters), "opening cuSOLVER", "");
  }
};

Opened& opened(runtime::Device& device) {
  static std::mutex mutex;
  static auto& all = *new std::map<runtime::Device*, std::unique_ptr<Opened>>;
  std::lock_guard lock(mutex);
  std::unique_ptr<Opened>& entry = all[&device];
  if (!entry) entry = std::make_unique<Opened>(device);
  return *entry;
}

}  // namespace

CusolverCall::CusolverCall(runtime::Device& device)
    : table(opened(device).table), handle(opened(device).handle), parameters(opened(device).parameters) {
  check_cusolver(table.set_stream(handle, device.stream().handle()), "cuSOLVER", "");
}

void check_cusolver(int status, const char* op, const std::string& shapes) {
  if (status == 0) [[likely]] return;
  constexpr int allocation_failed = 2;
  constexpr const char* names[] = {"success", "not initialized", "allocation failed", "invalid value", "architecture mismatch",
                                   "mapping error", "execution failed", "internal error", "matrix type not supported",
                                   "not supported"};
  const bool known = status > 0 && status < static_cast<int>(std::size(names));
  const std::string message = format("{}{} failed on the GPU: cuSOLVER says {} (status {})", op,
                                     shapes.empty() ? "" : " of " + shapes, known ? names[status] : "an unknown error", status);
  if (status == allocation_failed) throw OutOfMemory(message);
  throw RuntimeError(message);
}

}  // namespace tessera::library::cuda
