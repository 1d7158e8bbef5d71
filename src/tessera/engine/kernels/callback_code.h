/// CallbackCode: an address that code in C calls, for a function of numbers that gets them one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tessera/layout/dtype.h"

namespace tessera {

/// A number as ir::KernelArguments::scalars have it.
struct CallbackScalar {
  uint64_t words[2];
};

class CallbackCode {
 public:
  /// The target returns the bits of its result, of a float or an integer. At most 32 parameters: integers, bools and
  /// floats of 32 or 64 bits; throws TypeError for others.
  using Target = std::function<uint64_t(const CallbackScalar* arguments)>;
  CallbackCode(std::vector<DType> parameters, Target target);
  ~CallbackCode();

  uintptr_t address() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
