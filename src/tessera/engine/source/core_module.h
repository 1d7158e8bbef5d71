/// CUDA C++ on the cores, as a device's loaded code is: runtime::Module and Program of codegen's native code.
#pragma once

#include <memory>

#include "tessera/codegen/host_module.h"
#include "tessera/runtime/device.h"

namespace tessera {

/// A kernel for the cores.
class CoreProgram : public runtime::Program {
 public:
  virtual const codegen::HostKernel& kernel() const = 0;
};

namespace engine {

std::shared_ptr<runtime::Module> make_core_module(std::shared_ptr<codegen::HostModule> module);

}  // namespace engine

}  // namespace tessera
