#include "tessera/lanes/baseline/machine_code.h"

#include <string_view>

#include "tessera/base/error.h"
#include "tessera/ir/loops.h"
#include "tessera/lanes/baseline/lane_writer.h"

namespace tessera::lanes {

struct MachineCode::Impl {
  Xbyak::CodeGenerator code{4096, Xbyak::AutoGrow};
};

MachineCode::MachineCode() try : impl_(std::make_unique<Impl>()) {
} catch (const Xbyak::Error& error) {
  throw NotImplementedError(format("baseline: no memory for code: {}", error.what()));
}
MachineCode::~MachineCode() = default;

bool MachineCode::is_available() {
#ifdef TESSERA_SANITIZED
  return false;  // sanitizers know nothing of this code
#else
  return std::string_view(ir::loop_target()) != "x86-64-v2";
#endif
}

size_t MachineCode::write(const ir::Kernel& kernel, const LaneLoop& loop) {
  Xbyak::CodeGenerator& code = impl_->code;
  code.align(32);
  const size_t start = code.getSize();
  LaneWriter(kernel, loop, code).write();
  return start;
}

size_t MachineCode::write_entry(Target* target, const void* context) {
  Xbyak::CodeGenerator& code = impl_->code;
  code.align(16);
  const size_t start = code.getSize();
  code.mov(code.rcx, reinterpret_cast<uint64_t>(context));
  code.mov(code.rax, reinterpret_cast<uint64_t>(target));
  code.jmp(code.rax);
  return start;
}

void MachineCode::finish() {
  try {
    impl_->code.readyRE();
  } catch (const Xbyak::Error& error) {
    throw NotImplementedError(format("baseline: the system forbids making code: {}", error.what()));
  }
}

uintptr_t MachineCode::address(size_t offset) const { return reinterpret_cast<uintptr_t>(impl_->code.getCode()) + offset; }

}  // namespace tessera::lanes
