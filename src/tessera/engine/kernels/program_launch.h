/// ProgramLaunch: a launch of a kernel that was loaded from CUDA C++ or machine code.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/graph/array.h"

namespace tessera {

namespace runtime {
class Device;
class Program;
}  // namespace runtime

/// The arguments have been checked against what the kernel declares.
struct ProgramLaunch {
  const std::string& name;
  runtime::Device* device;  // that the program is loaded on; null: a CoreProgram
  const runtime::Program& program;
  const LaunchShape& shape;
  bool is_cooperative = false;
  int64_t most_threads = 1024;      // of a block
  int64_t static_shared_bytes = 0;  // that the kernel declares
  std::span<const Array> arrays;
  std::span<const uint8_t> writes;     // whether the kernel may write each of the arrays
  std::span<void* const> values;       // of the parameters
  std::span<const uint32_t> pointers;  // the parameters, whose values are addresses, of the arrays
};

}  // namespace tessera
