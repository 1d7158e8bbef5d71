/// HostModule of native code in memory.
#pragma once

#include <memory>

#include "tessera/codegen/cuda_cpp/module_record.h"

namespace tessera::codegen::cuda_cpp {

/// `code` keeps the memory of the record and of what it names.
std::shared_ptr<HostModule> make_loaded_module(std::shared_ptr<void> code, const ModuleRecord& record);

}  // namespace tessera::codegen::cuda_cpp
