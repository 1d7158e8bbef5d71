/// The functions of the process that native code of CUDA C++ calls.
#pragma once

#include <span>
#include <utility>

namespace tessera::codegen::cuda_cpp {

struct HostFunction {
  const char* name;
  void* address;
};

std::span<const HostFunction> host_functions();

}  // namespace tessera::codegen::cuda_cpp
