/// The code that a user kernel becomes, as text for its author.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tessera/ir/kernel.h"

namespace tessera {

/// PTX of one entry named tessera_kernel for a compute capability such as 80, for contiguous arrays that share no
/// memory and blocks of at most `threads`. Needs no device. Throws NotImplementedError without a compiler.
std::string ptx_of(const std::shared_ptr<const ir::Kernel>& kernel, int capability, int threads);
/// Machine code of the same, linked with the code of functions that it calls. Throws LibraryMissing without nvJitLink.
std::string machine_code_of(const std::shared_ptr<const ir::Kernel>& kernel, int capability, int threads);
/// How a device function is called: by Numba's convention or C's, with a result of this type, whose words the kernel
/// has as the bits of a float or as int64.
struct CallConvention {
  std::string name;
  bool is_numbas = false;
  std::optional<DType> result{};
  DType computed = DType::int64;
};
/// PTX of a function of numbers that code of a device calls.
std::string function_ptx_of(const std::shared_ptr<const ir::Kernel>& kernel, int capability,
                            const CallConvention& convention);
/// LLVM IR of the kernel's code for the cores.
std::string llvm_of(const std::shared_ptr<const ir::Kernel>& kernel);
/// Assembly of the same.
std::string assembly_of(const std::shared_ptr<const ir::Kernel>& kernel);

}  // namespace tessera
