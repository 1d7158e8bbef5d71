/// Dense: shorthands to build kernels over dense one-axis buffers.
#pragma once

#include "tessera/ir/builder.h"

namespace tessera::routines {

class Dense {
 public:
  Dense(int ndim, const char* name) : b(ndim, name) {}

  ir::Builder b;

  uint32_t read(DType dtype) { return b.add_buffer({.dtype = dtype, .ndim = 1, .inner = ir::InnerStride::contiguous}); }
  uint32_t write(DType dtype) {
    return b.add_buffer(
        {.dtype = dtype, .ndim = 1, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
  }
  ir::Value number() { return b.scalar(b.add_scalar(DType::int64)); }
  ir::Value word(int64_t value) { return b.constant(DType::int64, static_cast<double>(value)); }
  ir::Value load(uint32_t buffer, ir::Value at) { return b.load(buffer, std::span(&at, 1)); }
  void store(uint32_t buffer, ir::Value value, ir::Value at) { b.store(buffer, value, std::span(&at, 1)); }
  /// x / y of non-negative values; rest() is the remainder.
  ir::Value over(ir::Value x, ir::Value y) { return b.div(x, y); }
  /// The same for values below 2^32: a wider division takes the assembler 8 ms.
  ir::Value short_over(ir::Value x, ir::Value y) {
    return b.cast(b.div(b.cast(x, DType::uint32), b.cast(y, DType::uint32)), DType::int64);
  }
  ir::Value rest(ir::Value x, ir::Value y) { return b.binary(ir::Opcode::rem, x, y); }
  void when(ir::Value condition, const std::function<void()>& body) {
    b.if_(
        condition,
        [&](auto) {
          body();
          return std::vector<ir::Value>{};
        },
        [](auto) { return std::vector<ir::Value>{}; });
  }
};

}  // namespace tessera::routines
