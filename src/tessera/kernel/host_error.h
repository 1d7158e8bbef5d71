/// HostError: what a function of the host says of a call's types and constants, which is raised as of its class.
#pragma once

#include "tessera/kernel/compile_error.h"

namespace tessera::kernel {

class HostError : public CompileError {
 public:
  explicit HostError(const std::string& message) : CompileError(Fault::typing, message) {}
};

}  // namespace tessera::kernel
