// Elements picked by index.
#include "tessera/engine/device/routines/kernels.h"

namespace tessera::engine {

using ir::Value;

// out[o, p, i] = x[o, index[p], i]; `wrong` becomes 1 where an index is outside and the mode does not mend it.
// buffers: x, indices, out, wrong; scalars: extent of the axis, picks, elements behind the axis
ir::Kernel take_kernel(DType dtype, DType index_type, PickMode mode) {
  Dense d(3, "take");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), indices = d.read(index_type), out = d.write(dtype);
  const uint32_t wrong = b.add_buffer({.dtype = DType::int32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value n = d.number(), picks = d.number(), inner = d.number();
  const Value zero = d.word(0), one = d.word(1);
  const Value outer = b.index(0), pick = b.index(1), i = b.index(2);
  const Value given = b.cast(d.load(indices, pick), DType::int64);
  Value at = b.select(b.lt(given, zero), b.add(given, n), given);
  if (mode == PickMode::wrap) at = b.binary(ir::Opcode::floor_mod, given, n);
  if (mode == PickMode::clip) at = b.min(b.max(given, zero), b.sub(n, one));
  if (mode == PickMode::raise) {
    const Value outside = b.bit_or(b.lt(at, zero), b.ge(at, n));
    d.when(outside, [&] {
      const Value first[] = {zero};
      b.atomic(ir::AtomicKind::bit_or, wrong, b.constant(DType::int32, 1), first);
    });
    at = b.select(outside, zero, at);
  }
  const Value from = b.add(b.mul(b.add(b.mul(outer, n), at), inner), i);
  d.store(out, d.load(x, from), b.add(b.mul(b.add(b.mul(outer, picks), pick), inner), i));
  return b.take();
}

}  // namespace tessera::engine
