#include "tessera/lanes/callback_stub.h"

#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

#include "tessera/base/error.h"
#include "tessera/base/format.h"

namespace tessera::lanes {

struct CallbackStub::Impl {
  Xbyak::CodeGenerator code{4096};
};

CallbackStub::CallbackStub(Target* target, const void* context) {
  try {
    impl_ = std::make_unique<Impl>();
    Xbyak::CodeGenerator& code = impl_->code;
    const Xbyak::Reg64 integers[] = {code.rdi, code.rsi, code.rdx, code.rcx, code.r8, code.r9};
    constexpr int room = sizeof(CallbackArguments), above_frame = 16;  // the caller's frame and the return address
    static_assert(room % 16 == 0, "the stack stays aligned");
    code.push(code.rbp);
    code.mov(code.rbp, code.rsp);
    code.sub(code.rsp, room);
    for (int k = 0; k < 8; ++k) code.movq(code.qword[code.rsp + 8 * k], Xbyak::Xmm(k));
    for (int k = 0; k < 6; ++k) code.mov(code.qword[code.rsp + 64 + 8 * k], integers[k]);
    code.mov(code.rdi, reinterpret_cast<uint64_t>(context));
    code.mov(code.rsi, code.rsp);
    code.lea(code.rdx, code.ptr[code.rbp + above_frame]);
    code.mov(code.rax, reinterpret_cast<uint64_t>(target));
    code.call(code.rax);
    code.movq(Xbyak::Xmm(0), code.rax);
    code.leave();
    code.ret();
    code.readyRE();
  } catch (const Xbyak::Error& error) {
    throw NotImplementedError(format("callback: {}", error.what()));
  }
}

CallbackStub::~CallbackStub() = default;

uintptr_t CallbackStub::address() const { return reinterpret_cast<uintptr_t>(impl_->code.getCode()); }

}  // namespace tessera::lanes
