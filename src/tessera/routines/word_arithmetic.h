/// WordArithmetic: shorthands to build unsigned arithmetic on words of one size.
#pragma once

#include "tessera/ir/builder.h"

namespace tessera::routines {

struct WordArithmetic {
  ir::Builder& b;
  DType type = DType::uint64;

  ir::Value of(uint64_t bits) const { return b.constant(Scalar::of_uint(type, bits)); }
  ir::Value right(ir::Value x, int count) const {
    return b.binary(ir::Opcode::shift_right, x, of(static_cast<uint64_t>(count)));
  }
  ir::Value left(ir::Value x, int count) const {
    return b.binary(ir::Opcode::shift_left, x, of(static_cast<uint64_t>(count)));
  }
};

}  // namespace tessera::routines
