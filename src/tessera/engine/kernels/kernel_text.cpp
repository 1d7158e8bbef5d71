#include "tessera/engine/kernels/kernel_text.h"

#include "tessera/base/error.h"
#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/engine/kernels/user_kernel.h"
#include "tessera/engine/source/linked_code.h"

namespace tessera {

namespace {

/// A compiler that runs no background work and so may be used whatever the engine is doing.
codegen::Compiler& compiler() {
  static auto& cache = *new engine::KernelCache(codegen::CompilerOptions{});
  codegen::Compiler* opened = cache.compiler();
  require<NotImplementedError>(opened != nullptr, "there is no compiler: {}", cache.compiler_problem());
  return *opened;
}

/// As launches with contiguous arrays compile it.
std::shared_ptr<const ir::Kernel> contiguous(const std::shared_ptr<const ir::Kernel>& kernel) {
  engine::UserKernel user(kernel);
  return user.variant({.contiguous = ~uint64_t{0}}).kernel;
}

}  // namespace

std::string ptx_of(const std::shared_ptr<const ir::Kernel>& kernel, int capability, int threads) {
  return compiler().compile_ptx(*contiguous(kernel),
                                {.capability = capability, .threads = threads, .disjoint = true, .exact_grid = true});
}

std::string machine_code_of(const std::shared_ptr<const ir::Kernel>& kernel, int capability, int threads) {
  return engine::link_kernel(*kernel, ptx_of(kernel, capability, threads), threads,
                             {.capability = capability, .optimization = kernel->device.optimization});
}

std::string function_ptx_of(const std::shared_ptr<const ir::Kernel>& kernel, int capability,
                            const CallConvention& convention) {
  return compiler().compile_device_function(*contiguous(kernel), {.name = convention.name,
                                                                  .capability = capability,
                                                                  .is_numbas = convention.is_numbas,
                                                                  .result = convention.result,
                                                                  .computed = convention.computed});
}

std::string llvm_of(const std::shared_ptr<const ir::Kernel>& kernel) {
  return compiler().print_llvm(*contiguous(kernel), codegen::Tier::full);
}

std::string assembly_of(const std::shared_ptr<const ir::Kernel>& kernel) {
  return compiler().print_assembly(*contiguous(kernel), codegen::Tier::full);
}

}  // namespace tessera
