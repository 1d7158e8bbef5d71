#include "tessera/engine/kernels/callback_code.h"

#include <array>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/lanes/callback_stub.h"

namespace tessera {

namespace {

constexpr size_t most_parameters = 32, most_floats = 8, most_integers = 6;

bool is_passed(DType dtype) {
  return is_boolean(dtype) || is_integer(dtype) || dtype == DType::float32 || dtype == DType::float64;
}

}  // namespace

struct CallbackCode::Impl {
  Impl(std::vector<DType> given, Target called)
      : parameters(std::move(given)), target(std::move(called)), stub(answer, this) {}

  static uint64_t answer(const void* self, const lanes::CallbackArguments* registers, const uint64_t* stack) {
    const Impl& code = *static_cast<const Impl*>(self);
    std::array<CallbackScalar, most_parameters> scalars;
    size_t floats = 0, integers = 0;
    for (size_t k = 0; k < code.parameters.size(); ++k) {
      const DType dtype = code.parameters[k];
      uint64_t word;
      if (is_floating(dtype))
        word = floats < most_floats ? registers->floats[floats++] : *stack++;
      else
        word = integers < most_integers ? registers->integers[integers++] : *stack++;
      if (is_boolean(dtype)) word = (word & 0xFF) != 0;
      scalars[k] = {word, 0};  // the number is in the first bytes
    }
    return code.target(scalars.data());
  }

  std::vector<DType> parameters;
  Target target;
  lanes::CallbackStub stub;
};

CallbackCode::CallbackCode(std::vector<DType> parameters, Target target) {
  require<TypeError>(parameters.size() <= most_parameters, "a callback has {} parameters; at most {}",
                     parameters.size(), most_parameters);
  for (DType dtype : parameters)
    require<TypeError>(is_passed(dtype), "a callback takes no {}: pass a pointer to it", dtype);
  impl_ = std::make_unique<Impl>(std::move(parameters), std::move(target));
}

CallbackCode::~CallbackCode() = default;

uintptr_t CallbackCode::address() const { return impl_->stub.address(); }

}  // namespace tessera
