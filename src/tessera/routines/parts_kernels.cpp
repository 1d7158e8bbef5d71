#include "tessera/routines/parts_kernels.h"

#include "tessera/base/format.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

namespace {

// buffers: the parts, out; scalars: numbers of a part, parts
ir::Kernel sum_of_parts_kernel(DType dtype) {
  Dense d(1, "sum_of_parts");
  ir::Builder& b = d.b;
  const uint32_t all = d.read(dtype), out = d.write(dtype);
  const ir::Value size = d.number(), parts = d.number(), at = b.index(0);
  const ir::Value first = d.load(all, at);
  const ir::Value sum =
      b.for_(d.word(1), parts, d.word(1), std::span(&first, 1), [&](std::span<const ir::Value> state) {
        return std::vector<ir::Value>{b.add(state[1], d.load(all, b.add(b.mul(state[0], size), at)))};
      })[0];
  d.store(out, sum, at);
  return b.take();
}

// buffers: indices; scalars: what is added
ir::Kernel add_to_indices_kernel() {
  Dense d(1, "add_to_indices");
  const uint32_t indices = d.b.add_buffer(
      {.dtype = DType::int64, .ndim = 1, .readable = true, .writable = true, .inner = ir::InnerStride::contiguous});
  const ir::Value at = d.b.index(0);
  d.store(indices, d.b.add(d.load(indices, at), d.number()), at);
  return d.b.take();
}

}  // namespace

KernelLaunch sum_of_parts(DType dtype, int64_t size, int64_t parts, const char* all, const char* out) {
  return {.name = format("sum of parts {}", name(dtype)),
          .make = [dtype] { return sum_of_parts_kernel(dtype); },
          .extents = {size},
          .buffers = {all, out},
          .scalars = {size, parts}};
}

KernelLaunch add_to_indices(int64_t size, int64_t number, const char* indices) {
  return {.name = "add to indices",
          .make = [] { return add_to_indices_kernel(); },
          .extents = {size},
          .buffers = {indices},
          .scalars = {number}};
}

}  // namespace tessera::routines
