#include "tessera/lanes/baseline/machine_code.h"

#include "tessera/base/cpu_level.h"
#include "tessera/base/error.h"
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

struct MachineCode::Impl {
  Xbyak::CodeGenerator code{4096, Xbyak::AutoGrow};
};

namespace {

/// Converts errors of the assembler or the system to NotImplementedError, so that another back end runs the kernel.
template <class Step>
auto refusable(Step step) {
  try {
    return step();
  } catch (const Xbyak::Error& error) {
    throw NotImplementedError(format("baseline: {}", error.what()));
  }
}

}  // namespace

MachineCode::MachineCode(int level) : level_(level), impl_(refusable([] { return std::make_unique<Impl>(); })) {}
MachineCode::~MachineCode() = default;

bool MachineCode::is_available([[maybe_unused]] int level) {
#ifdef TESSERA_SANITIZED
  return false;  // sanitizers cannot instrument this code
#else
  return level >= 3 && level <= cpu_level();
#endif
}

size_t MachineCode::write(const ir::Kernel& kernel, const LaneLoop& loop) {
  return refusable([&] {
    Xbyak::CodeGenerator& code = impl_->code;
    code.align(32);
    const size_t start = code.getSize();
    const auto make_vectors = level_ == 4 ? make_avx512_vectors : make_avx2_vectors;
    LaneWriter(kernel, loop, *make_vectors(code, find_lane_bytes(kernel, loop)), code).write();
    return start;
  });
}

size_t MachineCode::write_entry(Target* target, const void* context) {
  return refusable([&] {
    Xbyak::CodeGenerator& code = impl_->code;
    code.align(16);
    const size_t start = code.getSize();
    code.mov(code.rcx, reinterpret_cast<uint64_t>(context));
    code.mov(code.rax, reinterpret_cast<uint64_t>(target));
    code.jmp(code.rax);
    return start;
  });
}

void MachineCode::finish() {
  refusable([&] { impl_->code.readyRE(); });
}

uintptr_t MachineCode::address(size_t offset) const {
  return reinterpret_cast<uintptr_t>(impl_->code.getCode()) + offset;
}

}  // namespace tessera::lanes
