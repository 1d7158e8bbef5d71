/// CallbackStub: a function that code in C calls, whatever its parameters are, made of one in C++ and a context.
#pragma once

#include <cstdint>
#include <memory>

namespace tessera::lanes {

/// What a call by the convention of x86-64 has passed: the first numbers of either kind, the others on the stack.
struct CallbackArguments {
  uint64_t floats[8];  // the low 64 bits of each vector register
  uint64_t integers[6];
};

class CallbackStub {
 public:
  /// The bits of the result, as a float or an integer.
  using Target = uint64_t(const void* context, const CallbackArguments* registers, const uint64_t* stack);

  /// Throws NotImplementedError where no machine code can be written.
  CallbackStub(Target* target, const void* context);
  ~CallbackStub();
  CallbackStub(const CallbackStub&) = delete;
  CallbackStub& operator=(const CallbackStub&) = delete;

  uintptr_t address() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::lanes
