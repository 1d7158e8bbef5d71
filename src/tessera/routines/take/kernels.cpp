// Elements gathered by index.
#include "tessera/routines/take/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

Value index_in_range(Dense& d, Value given, Value n, library::IndexMode mode, uint32_t wrong) {
  ir::Builder& b = d.b;
  const Value zero = d.word(0);
  if (mode == library::IndexMode::wrap) return b.binary(ir::Opcode::floor_mod, given, n);
  if (mode == library::IndexMode::clip) return b.min(b.max(given, zero), b.sub(n, d.word(1)));
  const Value at = b.select(b.lt(given, zero), b.add(given, n), given);
  const Value outside = b.bit_or(b.lt(at, zero), b.ge(at, n));
  d.when(outside, [&] { b.atomic(ir::AtomicKind::bit_or, wrong, b.constant(DType::int32, 1), std::span(&zero, 1)); });
  return b.select(outside, zero, at);
}

// out[o, p, i] = x[o, index[p], i]; `wrong` becomes 1 when an index is out of range and the mode raises. buffers: x,
// indices, out, wrong; scalars: extent of the axis, picks, elements behind the axis
ir::Kernel take_kernel(DType dtype, DType index_type, library::IndexMode mode) {
  Dense d(3, "take");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), indices = d.read(index_type), out = d.write(dtype);
  const uint32_t wrong =
      b.add_buffer({.dtype = DType::int32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value n = d.number(), picks = d.number(), inner = d.number();
  const Value outer = b.index(0), pick = b.index(1), i = b.index(2);
  const Value given = b.cast(d.load(indices, pick), DType::int64);
  const Value at = index_in_range(d, given, n, mode, wrong);
  const Value from = b.add(b.mul(b.add(b.mul(outer, n), at), inner), i);
  d.store(out, d.load(x, from), b.add(b.mul(b.add(b.mul(outer, picks), pick), inner), i));
  return b.take();
}

}  // namespace tessera::routines
