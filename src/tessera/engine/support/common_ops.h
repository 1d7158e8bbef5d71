/// CommonOps: the ops that the engine itself records, looked up once.
#pragma once

#include <array>

#include "tessera/layout/view.h"
#include "tessera/ops/op.h"

namespace tessera::engine {

struct CommonOps {
  static const CommonOps& get();

  const ops::Signature& copy_signature(DType dtype) const { return *copies[static_cast<size_t>(dtype)]; }
  const ops::Signature& fill_signature(DType dtype) const { return *fills[static_cast<size_t>(dtype)]; }
  const ops::Signature& select_signature(DType dtype) const { return *selects[static_cast<size_t>(dtype)]; }
  const ops::Signature& spaced_signature(DType dtype) const { return *spaced[static_cast<size_t>(dtype)]; }
  const ops::Signature& spaced_to_signature(DType dtype) const { return *spaced_to[static_cast<size_t>(dtype)]; }

  const ops::Op* copy;
  const ops::Op* fill;
  const ops::Op* select;
  const ops::Op* evenly_spaced;
  const ops::Op* evenly_spaced_to;
  std::array<const ops::Signature*, dtype_count> copies, fills, selects, spaced, spaced_to;
};

}  // namespace tessera::engine
