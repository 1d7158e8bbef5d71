#include "tessera/lanes/baseline/baseline.h"

#include "tessera/base/error.h"
#include "tessera/lanes/baseline/lower.h"

namespace tessera::lanes {

namespace {

void run_baseline(const ir::KernelArguments* arguments, const int64_t* begin, const int64_t* end, const void* context) {
  static_cast<const Baseline*>(context)->run(*arguments, begin, end);
}

}  // namespace

std::unique_ptr<Baseline> Baseline::try_make(const ir::Kernel& kernel, int level) {
  if (!MachineCode::is_available(level) || !has_baseline(kernel)) return nullptr;
  try {
    std::unique_ptr<Baseline> made(new Baseline(kernel, level));
    if (!BaselineLowering(kernel, made->program_, made->code_).run()) return nullptr;
    const size_t entry = made->code_.write_entry(&run_baseline, made.get());
    made->code_.finish();
    made->entry_ = made->code_.at<ir::KernelEntry>(entry);
    return made;
  } catch (const NotImplementedError&) {
    return nullptr;  // too many live values, or a system that forbids executable memory
  }
}

}  // namespace tessera::lanes
