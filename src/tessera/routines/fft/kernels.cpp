#include "tessera/routines/fft/kernels.h"

#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

// Multiplies real numbers. buffers: x; scalars: the bits of a float64
ir::Kernel scale_kernel(DType real) {
  Dense d(1, "scale");
  ir::Builder& b = d.b;
  const uint32_t x = b.add_buffer({.dtype = real, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value factor = b.cast(b.bitcast(d.number(), DType::float64), real);
  d.store(x, b.mul(d.load(x, b.index(0)), factor), b.index(0));
  return b.take();
}

// Makes the numbers at one position of every line real. buffers: x as real numbers; scalars: extent of the lines,
// elements from one to the next, position
ir::Kernel clear_imaginary_kernel(DType real) {
  Dense d(2, "clear_imaginary");
  ir::Builder& b = d.b;
  const uint32_t x = d.write(real);
  const Value n = d.number(), inner = d.number(), position = d.number();
  const Value at = b.add(b.mul(b.add(b.mul(b.index(0), n), position), inner), b.index(1));
  d.store(x, b.constant(real, 0), b.add(b.mul(at, d.word(2)), d.word(1)));
  return b.take();
}

}  // namespace tessera::routines
