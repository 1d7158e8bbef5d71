/// SourceArguments: the arguments of a launch as the driver takes them.
#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/base/small_vector.h"
#include "tessera/graph/array.h"
#include "tessera/kernel/source/parameters.h"

namespace tessera::bind {

struct NdArray;

class SourceArguments {
 public:
  SourceArguments(const kernel::KernelParameters& parameters, size_t count)
      : parameters_(parameters), slots_(count), values_(count) {}
  ~SourceArguments();
  SourceArguments(const SourceArguments&) = delete;
  SourceArguments& operator=(const SourceArguments&) = delete;

  /// Adds the k-th argument; false where it is none of the engine's arrays, numbers and structures. Throws where it
  /// does not fit the parameter.
  bool add(size_t k, PyObject* argument);
  /// The same for an array's memory, whatever its dtype and layout.
  void add_memory(size_t k, const NdArray& array);

  std::span<const Array> arrays() const { return arrays_; }
  std::span<const uint8_t> writes() const { return writes_; }
  std::span<const uint32_t> pointers() const { return pointers_; }
  std::span<void* const> values() const { return {values_.data(), values_.size()}; }

 private:
  using Slot = std::array<uint64_t, 2>;
  void add_array(size_t k, const Array& array);
  bool add_number(size_t k, PyObject* argument);
  bool add_bytes(size_t k, PyObject* argument);
  char* slot(size_t k) {
    values_[k] = &slots_[k];
    return reinterpret_cast<char*>(&slots_[k]);
  }

  const kernel::KernelParameters& parameters_;
  std::vector<Slot> slots_;
  SmallVector<void*, 16> values_;
  std::vector<Array> arrays_;
  SmallVector<uint8_t, 16> writes_;
  SmallVector<uint32_t, 16> pointers_;
  std::vector<Py_buffer> buffers_;
};

}  // namespace tessera::bind
