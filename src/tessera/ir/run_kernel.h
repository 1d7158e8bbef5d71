/// Runs a kernel on C-contiguous vectors, for tests.
#pragma once

#include <cstring>
#include <vector>

#include "tessera/ir/interpreter.h"
#include "tessera/layout/dtype.h"

namespace tessera::ir {

inline constexpr DType f64 = DType::float64;
inline constexpr DType i64 = DType::int64;

/// A C-contiguous array for tests: bytes, element type and extents.
struct TestArray {
  DType dtype;
  std::vector<int64_t> extents;
  std::vector<char> bytes;

  template <class T>
  static TestArray of(DType dtype, std::vector<int64_t> extents, const std::vector<T>& values) {
    TestArray array{dtype, std::move(extents), std::vector<char>(values.size() * sizeof(T))};
    if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
  }
  static TestArray zeros(DType dtype, std::vector<int64_t> extents) {
    int64_t size = itemsize(dtype);
    for (int64_t extent : extents) size *= extent;
    return {dtype, std::move(extents), std::vector<char>(static_cast<size_t>(size))};
  }
  template <class T>
  std::vector<T> values() const {
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};

/// Runs the whole parallel space and returns the flags.
inline std::vector<uint32_t> run_kernel(const Kernel& kernel, std::vector<int64_t> extents,
                                        std::vector<TestArray*> buffers, const std::vector<Scalar>& scalars = {}) {
  std::vector<char*> pointers;
  std::vector<int64_t> strides, dimensions;
  for (TestArray* array : buffers) {
    pointers.push_back(array->bytes.data());
    int64_t stride = itemsize(array->dtype);
    std::vector<int64_t> own(array->extents.size());
    for (size_t axis = own.size(); axis-- > 0;) {
      own[axis] = stride;
      stride *= array->extents[axis];
    }
    strides.insert(strides.end(), own.begin(), own.end());
    dimensions.insert(dimensions.end(), array->extents.begin(), array->extents.end());
  }
  std::vector<char> bytes(16 * scalars.size());
  for (size_t k = 0; k < scalars.size(); ++k) std::memcpy(bytes.data() + 16 * k, scalars[k].bytes, 16);
  std::vector<uint32_t> flags(kernel.flag_slots);
  const KernelArguments arguments{pointers.data(), strides.data(), dimensions.data(),
                                  bytes.data(),    extents.data(), flags.data()};
  const std::vector<int64_t> begin(extents.size());
  Program(kernel).run(arguments, begin.data(), extents.data());
  return flags;
}

}  // namespace tessera::ir
