/// HostCalls: what a compiled function asks of the host while it runs: memory, and calls of functions of NumPy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tessera/bind/array/object.h"
#include "tessera/bind/kernel/host/numpy_stream.h"
#include "tessera/bind/kernel/host/python_stream.h"
#include "tessera/bind/kernel/host/race_check.h"
#include "tessera/bind/kernel/memory/call_memory.h"
#include "tessera/engine/kernels/function_arguments.h"
#include "tessera/graph/array.h"
#include "tessera/kernel/host_object.h"

namespace tessera::bind {

struct CallArguments;

struct HostCalls {
  /// The function's buffers: where each begins, and its strides.
  std::span<char* const> memory;
  std::span<const View> views;
  std::span<const std::shared_ptr<const kernel::HostObject>> objects;  // functions of the host that it calls
  const CallArguments* given = nullptr;                                // whose arrays fields of objects may keep
  std::vector<int64_t> results;                                        // of the last call of NumPy
  std::unique_ptr<RaceCheck> races;                                    // of a function that is checked for them
  Object raised;                                                       // by a function of the host, in a try
  PythonStream python_stream{};                                        // the same, of Python's module
  std::unique_ptr<NumpyStream> stream;                                 // of a function that draws
  CallMemory own{};                                                    // what the call has made
  CallMemory* shared =
      nullptr;  // or where it makes it, in fields' memory, if it reads or sets fields that hold containers
  std::span<const int64_t> frame{};  // of a generator
  CallState state{};                 // of the machine code
  bool runs_parts = false;           // whose values pass through arrays

  /// Where what the call makes is.
  CallMemory& heap() { return shared ? *shared : own; }
  const CallMemory& heap() const { return shared ? *shared : own; }
  /// Memory for a new array.
  char* allocate(int64_t elements, DType dtype);
  /// Of an address in an array that the call has made, the number of the element.
  int64_t position(uintptr_t address) const;
  /// Operands are those of kernel::HostFunction::read_element or write_element.
  void check_access(bool writes, const int64_t* operands);
  /// Operands are those of kernel::HostFunction::call_numpy. Throws what the function raises.
  void call_numpy(const int64_t* operands);
  /// The same; whether the function has raised something, which is kept.
  bool call_numpy_caught(const int64_t* operands);
  /// Whether what was kept is of the class of this number.
  bool is_caught(int64_t number) const;

 private:
  void call_numpy(const int64_t* operands, bool* has_raised);
};

}  // namespace tessera::bind
