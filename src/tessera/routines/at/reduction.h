/// AtReduction: how the kernels of ufunc.at carry a place's value from one of its elements to the next.
#pragma once

#include "tessera/ops/op.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

/// The state that a reduction carries from element to element: complex numbers as two parts, half-precision values as
/// float32.
class Carried {
 public:
  Carried(ir::Builder& b, DType dtype) : b_(b), dtype_(dtype) {}
  std::vector<ir::Value> taken_apart(ir::Value x) const {
    if (is_complex(dtype_)) return {b_.real(x), b_.imag(x)};
    return {is_half() ? b_.cast(x, DType::float32) : x};
  }
  ir::Value whole(std::span<const ir::Value> parts) const {
    if (is_complex(dtype_)) return b_.make_complex(parts[0], parts[1]);
    return b_.cast(parts[0], dtype_);
  }
  size_t count() const { return is_complex(dtype_) ? 2 : 1; }

 private:
  bool is_half() const { return dtype_ == DType::float16 || dtype_ == DType::bfloat16; }
  ir::Builder& b_;
  DType dtype_;
};

/// One place's value while values are applied to it, in order.
class AtReduction {
 public:
  AtReduction(Dense& d, const ops::Op& op, const ops::Signature& signature, DType target)
      : carried(d.b, target),
        watches(ops::errors_of(op, signature.in[0]) == ir::ErrorRule::arithmetic),
        d_(d),
        op_(op),
        signature_(signature),
        target_(target) {}
  /// Events, then the value's parts, before the first.
  std::vector<ir::Value> start(ir::Value before) const;
  /// The same with `value` applied; `inside`: whether it is, no_value for always.
  std::vector<ir::Value> applied(std::span<const ir::Value> state, ir::Value value, ir::Value inside) const;
  /// Stores the value in target[place], and adds the events.
  void store(std::span<const ir::Value> state, uint32_t target, ir::Value place, uint32_t events) const;

  const Carried carried;
  const bool watches;

 private:
  Dense& d_;
  const ops::Op& op_;
  const ops::Signature& signature_;
  DType target_;
};

}  // namespace tessera::routines
