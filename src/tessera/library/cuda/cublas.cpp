#include "tessera/library/cuda/cublas.h"

#include <complex>

#include "tessera/base/error.h"
#include "tessera/library/cuda/toolkit.h"

namespace tessera::library::cuda {

namespace {

constexpr size_t workspace_bytes = size_t{32} << 20;  // the size that cuBLAS recommends for Hopper

/// One handle per device; devices and their libraries live as long as the process.
struct OpenedCublas {
  Cublas table;
  Found found;
  void* handle = nullptr;
  void* stream = nullptr;
  Ref<runtime::Buffer> workspace;

  OpenedCublas(runtime::Device& device, const Places& places) : found(open_part(cublas_part, &device, places)) {
#define TESSERA_CUBLAS_FIND(member, symbol, arguments) find_function(cublas_part, found, table.member, symbol);
    TESSERA_CUBLAS_FUNCTIONS(TESSERA_CUBLAS_FIND)
#undef TESSERA_CUBLAS_FIND
    device.stream().handle();
    require_start(cublas_part, table.create(&handle));
  }
};

}  // namespace

void open_cublas(runtime::Device& device, const Places& places) { state_of<OpenedCublas>(device, &places); }

CublasCall::CublasCall(runtime::Device& device)
    : table(state_of<OpenedCublas>(device).table), handle(state_of<OpenedCublas>(device).handle) {
  OpenedCublas& state = state_of<OpenedCublas>(device);
  void* stream = device.stream().handle();
  if (stream == state.stream) return;
  if (!state.workspace) state.workspace = device.allocate(workspace_bytes);
  check_cublas(table.set_stream(handle, stream), "cuBLAS", "");
  // Setting the stream resets the workspace.
  check_cublas(table.set_workspace(handle, state.workspace->data(), workspace_bytes), "cuBLAS", "");
  state.stream = stream;
}

void check_cublas(int status, const char* op, const std::string& shapes) {
  if (status == 0) [[likely]]
    return;
  constexpr int not_allocated = 3, not_supported = 15;
  constexpr const char* names[] = {"success",
                                   "not initialized",
                                   "",
                                   "allocation failed",
                                   "",
                                   "",
                                   "",
                                   "invalid value",
                                   "architecture mismatch",
                                   "",
                                   "",
                                   "mapping error",
                                   "",
                                   "execution failed",
                                   "internal error",
                                   "not supported"};
  const bool known = status > 0 && status < static_cast<int>(std::size(names)) && *names[status];
  const std::string message =
      format("{}{} failed on the GPU: cuBLAS says {} (status {})", op, shapes.empty() ? "" : " of " + shapes,
             known ? names[status] : "an unknown error", status);
  if (status == not_allocated) throw OutOfMemory(message);
  if (status == not_supported) throw LibraryMissing(format("{} by cuBLAS", op), message);
  throw RuntimeError(message);
}

DataType data_type(DType dtype) {
  switch (dtype) {
    case DType::float16: return type_f16;
    case DType::bfloat16: return type_bf16;
    case DType::float32: return type_f32;
    case DType::float64: return type_f64;
    case DType::complex64: return type_c64;
    case DType::complex128: return type_c128;
    default: break;
  }
  throw InvariantError(format("no vendor library computes with {}", name(dtype)));
}

namespace {
template <class T>
const void* constant(DType dtype) {
  static const float f = T::value;
  static const double d = T::value;
  alignas(8) static const std::complex<float> c(T::value);
  // Some cuBLAS routines read it with a single 16-byte load.
  alignas(16) static const std::complex<double> z(T::value);
  switch (dtype) {
    case DType::float64: return &d;
    case DType::complex64: return &c;
    case DType::complex128: return &z;
    default: return &f;  // half types accumulate in single precision
  }
}
}  // namespace

const void* one(DType dtype) { return constant<std::integral_constant<int, 1>>(dtype); }
const void* zero(DType dtype) { return constant<std::integral_constant<int, 0>>(dtype); }

}  // namespace tessera::library::cuda
