#include "tessera/lanes/exact_kernel.h"

namespace tessera::lanes {

ExactKernel::ExactKernel(const ir::Kernel& kernel) {
  // Kernels without checks never call run().
  if (kernel.flag_slots > 0) kernel_ = kernel;
}

void ExactKernel::run(ExactKernel* self, const ir::KernelArguments* arguments, const int64_t* begin,
                      const int64_t* end) {
  std::call_once(self->once_, [self] { self->program_ = std::make_unique<ir::Program>(self->kernel_); });
  self->program_->run(*arguments, begin, end);
}

}  // namespace tessera::lanes
