/// The C structures of DLPack 1.x, laid out as in its specification.
#pragma once

#include <cstdint>

namespace tessera::bind::dlpack {

inline constexpr int32_t device_cpu = 1;
inline constexpr int32_t device_cuda = 2;
inline constexpr int32_t device_cuda_host = 3;   // host memory pinned for a GPU
inline constexpr int32_t device_extension = 12;  // here: the simulated device
inline constexpr int32_t device_cuda_managed = 13;
inline constexpr uint64_t flag_read_only = 1;
inline constexpr uint64_t flag_is_copied = 2;

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Device {
  int32_t type;
  int32_t id;
};

enum TypeCode : uint8_t {
  type_int = 0,
  type_uint = 1,
  type_float = 2,
  type_bfloat = 4,
  type_complex = 5,
  type_bool = 6,
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements
  uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace tessera::bind::dlpack
