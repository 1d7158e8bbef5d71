/// Driver: the CUDA driver as a table of functions, opened when first needed. The types follow the driver's ABI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::runtime::cuda {

using Address = unsigned long long;
inline Address address_of(const char* data) { return reinterpret_cast<Address>(data); }

/// The driver's status codes that are handled individually.
enum Status : int {
  success = 0,
  out_of_memory = 2,
  not_found = 500,
  not_ready = 600,
  not_supported = 801,
};

/// CUdevice_attribute.
enum Attribute : int {
  multiprocessor_count = 16,
  l2_cache_bytes = 38,
  capability_major = 75,
  capability_minor = 76,
  most_shared_bytes = 97,
};

/// CUdevice_P2PAttribute.
enum PeerAttribute : int { peer_access = 2, peer_atomics = 3 };

/// CUpointer_attribute.
enum PointerAttribute : int { pointer_memory_type = 2, pointer_device = 9 };

/// CUfunction_attribute.
enum FunctionAttribute : int { function_local_bytes = 3, function_registers = 4, function_dynamic_bytes = 8 };

/// CUjit_option.
enum JitOption : int {
  jit_max_registers = 0,
  jit_info_log = 3,
  jit_info_log_bytes = 4,
  jit_error_log = 5,
  jit_error_log_bytes = 6,
  jit_optimization = 7,
  jit_debug_info = 11,
  jit_line_info = 13,
};

/// CUDA_MEMCPY2D.
struct Copy2D {
  size_t from_x = 0, from_y = 0;
  unsigned from_kind = 2;  // device
  const void* from_host = nullptr;
  Address from = 0;
  void* from_array = nullptr;
  size_t from_pitch = 0;
  size_t to_x = 0, to_y = 0;
  unsigned to_kind = 2;
  void* to_host = nullptr;
  Address to = 0;
  void* to_array = nullptr;
  size_t to_pitch = 0;
  size_t width = 0, height = 0;
};

/// CUDA_KERNEL_NODE_PARAMS_v1.
struct KernelNode {
  void* function = nullptr;
  unsigned blocks[3] = {1, 1, 1};
  unsigned threads[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
};

/// CUlaunchAttribute.
struct LaunchAttribute {
  static constexpr int begins_early = 6;  // "programmatic stream serialization"
  int id = 0;
  int unused = 0;
  int value[16] = {};
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned blocks[3] = {1, 1, 1};
  unsigned threads[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(LaunchConfig) == 56);

/// Memory of another process.
struct IpcHandle {
  char bytes[64];
};

/// Functions that drivers may lack.
#define TESSERA_CUDA_NEWER_FUNCTIONS(X)                                            \
  X(launch_with, "cuLaunchKernelEx", (const LaunchConfig*, void*, void**, void**)) \
  X(function_parameter, "cuFuncGetParamInfo", (void*, size_t, size_t*, size_t*))   \
  X(ipc_name, "cuIpcGetMemHandle", (IpcHandle*, Address))                          \
  X(ipc_open, "cuIpcOpenMemHandle_v2", (Address*, IpcHandle, unsigned))            \
  X(profiler_start, "cuProfilerStart", ())                                         \
  X(profiler_stop, "cuProfilerStop", ())

/// Member, symbol and arguments of every other driver function in use; all return a status.
#define TESSERA_CUDA_FUNCTIONS(X)                                                                                  \
  X(init, "cuInit", (unsigned))                                                                                    \
  X(driver_version, "cuDriverGetVersion", (int*))                                                                  \
  X(device_count, "cuDeviceGetCount", (int*))                                                                      \
  X(device_get, "cuDeviceGet", (int*, int))                                                                        \
  X(device_name, "cuDeviceGetName", (char*, int, int))                                                             \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, int))                                                    \
  X(peer_attribute, "cuDeviceGetP2PAttribute", (int*, int, int, int))                                              \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t*, int))                                                          \
  X(context_retain, "cuDevicePrimaryCtxRetain", (void**, int))                                                     \
  X(context_synchronize, "cuCtxSynchronize", ())                                                                   \
  X(context_set, "cuCtxSetCurrent", (void*))                                                                       \
  X(context_reach, "cuCtxEnablePeerAccess", (void*, unsigned))                                                     \
  X(context_limit, "cuCtxGetLimit", (size_t*, int))                                                                \
  X(context_set_limit, "cuCtxSetLimit", (int, size_t))                                                             \
  X(stream_create, "cuStreamCreate", (void**, unsigned))                                                           \
  X(stream_destroy, "cuStreamDestroy_v2", (void*))                                                                 \
  X(stream_synchronize, "cuStreamSynchronize", (void*))                                                            \
  X(stream_wait_event, "cuStreamWaitEvent", (void*, void*, unsigned))                                              \
  X(event_create, "cuEventCreate", (void**, unsigned))                                                             \
  X(event_destroy, "cuEventDestroy_v2", (void*))                                                                   \
  X(event_record, "cuEventRecord", (void*, void*))                                                                 \
  X(event_query, "cuEventQuery", (void*))                                                                          \
  X(event_synchronize, "cuEventSynchronize", (void*))                                                              \
  X(event_elapsed, "cuEventElapsedTime", (float*, void*, void*))                                                   \
  X(memory_allocate, "cuMemAlloc_v2", (Address*, size_t))                                                          \
  X(memory_free, "cuMemFree_v2", (Address))                                                                        \
  X(host_allocate, "cuMemHostAlloc", (void**, size_t, unsigned))                                                   \
  X(host_free, "cuMemFreeHost", (void*))                                                                           \
  X(host_register, "cuMemHostRegister_v2", (void*, size_t, unsigned))                                              \
  X(host_unregister, "cuMemHostUnregister", (void*))                                                               \
  X(pointer_attribute, "cuPointerGetAttribute", (void*, int, Address))                                             \
  X(copy_in, "cuMemcpyHtoDAsync_v2", (Address, const void*, size_t, void*))                                        \
  X(copy_out, "cuMemcpyDtoHAsync_v2", (void*, Address, size_t, void*))                                             \
  X(copy, "cuMemcpyDtoDAsync_v2", (Address, Address, size_t, void*))                                               \
  X(copy_2d, "cuMemcpy2DAsync_v2", (const Copy2D*, void*))                                                         \
  X(fill, "cuMemsetD8Async", (Address, unsigned char, size_t, void*))                                              \
  X(module_load, "cuModuleLoadData", (void**, const void*))                                                        \
  X(module_load_with, "cuModuleLoadDataEx", (void**, const void*, unsigned, int*, void**))                         \
  X(module_variable, "cuModuleGetGlobal_v2", (Address*, size_t*, void*, const char*))                              \
  X(module_unload, "cuModuleUnload", (void*))                                                                      \
  X(module_function, "cuModuleGetFunction", (void**, void*, const char*))                                          \
  X(function_attribute, "cuFuncGetAttribute", (int*, int, void*))                                                  \
  X(function_set_attribute, "cuFuncSetAttribute", (void*, int, int))                                               \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int*, void*, int, size_t))                          \
  X(launch_cooperative, "cuLaunchCooperativeKernel",                                                               \
    (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**))                  \
  X(launch, "cuLaunchKernel",                                                                                      \
    (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**))          \
  X(begin_capture, "cuStreamBeginCapture_v2", (void*, int))                                                        \
  X(end_capture, "cuStreamEndCapture", (void*, void**))                                                            \
  X(capture_info, "cuStreamGetCaptureInfo_v2", (void*, int*, unsigned long long*, void**, void* const**, size_t*)) \
  X(capture_after, "cuStreamUpdateCaptureDependencies", (void*, void**, size_t, unsigned))                         \
  X(graph_set_kernel, "cuGraphExecKernelNodeSetParams", (void*, void*, const KernelNode*))                         \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", (void**, void*, unsigned long long))                         \
  X(graph_launch, "cuGraphLaunch", (void*, void*))                                                                 \
  X(graph_destroy, "cuGraphDestroy", (void*))                                                                      \
  X(graph_exec_destroy, "cuGraphExecDestroy", (void*))                                                             \
  X(link_create, "cuLinkCreate_v2", (unsigned, int*, void**, void**))                                              \
  X(link_add, "cuLinkAddData_v2", (void*, int, void*, size_t, const char*, unsigned, int*, void**))                \
  X(link_complete, "cuLinkComplete", (void*, void**, size_t*))                                                     \
  X(link_destroy, "cuLinkDestroy", (void*))                                                                        \
  X(error_name, "cuGetErrorName", (int, const char**))                                                             \
  X(error_text, "cuGetErrorString", (int, const char**))

struct Driver {
#define TESSERA_CUDA_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  TESSERA_CUDA_FUNCTIONS(TESSERA_CUDA_MEMBER)
  TESSERA_CUDA_NEWER_FUNCTIONS(TESSERA_CUDA_MEMBER)
#undef TESSERA_CUDA_MEMBER
};

/// The driver of this machine, initialised; null if there is none. Never closed.
const Driver* open_driver();
/// Why open_driver() returned null.
const char* driver_problem();

/// Throws the exception for a status code: OutOfMemory, DeviceFailure if no later call can succeed, or RuntimeError
/// naming the call; nothing for success.
void check(const Driver& driver, int status, const char* what);

}  // namespace tessera::runtime::cuda
