#include "tessera/library/cuda/cusolver.h"

#include "tessera/base/error.h"
#include "tessera/library/cuda/toolkit.h"

namespace tessera::library::cuda {

namespace {

struct OpenedCusolver {
  Cusolver table;
  Found found;
  void* handle = nullptr;
  void* parameters = nullptr;
  HandleMutex mutex;  // of the handle

  OpenedCusolver(runtime::Device& device, const Places& places) : found(open_part(cusolver_part, &device, places)) {
#define TESSERA_CUSOLVER_FIND(member, symbol, arguments) find_function(cusolver_part, found, table.member, symbol);
    TESSERA_CUSOLVER_FUNCTIONS(TESSERA_CUSOLVER_FIND)
#undef TESSERA_CUSOLVER_FIND
    device.stream().handle();
    require_start(cusolver_part, table.create(&handle));
    require_start(cusolver_part, table.create_parameters(&parameters));
  }
};

}  // namespace

void open_cusolver(runtime::Device& device, const Places& places) { state_of<OpenedCusolver>(device, &places); }

CusolverCall::CusolverCall(runtime::Device& device)
    : table(state_of<OpenedCusolver>(device).table),
      handle(state_of<OpenedCusolver>(device).handle),
      parameters(state_of<OpenedCusolver>(device).parameters),
      held(state_of<OpenedCusolver>(device).mutex) {
  check_cusolver(table.set_stream(handle, device.stream().handle()), "cuSOLVER", "");
}

void check_cusolver(int status, const char* op, const std::string& shapes) {
  if (status == 0) [[likely]]
    return;
  constexpr int allocation_failed = 2;
  constexpr const char* names[] = {"success",          "not initialized",       "allocation failed",
                                   "invalid value",    "architecture mismatch", "mapping error",
                                   "execution failed", "internal error",        "matrix type not supported",
                                   "not supported"};
  const bool known = status > 0 && status < static_cast<int>(std::size(names));
  const std::string message =
      format("{}{} failed on the GPU: cuSOLVER says {} (status {})", op, shapes.empty() ? "" : " of " + shapes,
             known ? names[status] : "an unknown error", status);
  if (status == allocation_failed) throw OutOfMemory(message);
  throw RuntimeError(message);
}

}  // namespace tessera::library::cuda
