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

uint32_t add_changed(Dense& d, DType dtype) {
  return d.b.add_buffer(
      {.dtype = dtype, .ndim = 1, .readable = true, .writable = true, .inner = ir::InnerStride::contiguous});
}

// buffers: the term, out
ir::Kernel add_term_kernel(DType dtype) {
  Dense d(1, "add_term");
  const uint32_t term = d.read(dtype), out = add_changed(d, dtype);
  const ir::Value at = d.b.index(0);
  d.store(out, d.b.add(d.load(out, at), d.load(term, at)), at);
  return d.b.take();
}

// buffers: the columns, out; scalars: how many, the first one of them, columns of out
ir::Kernel copy_to_columns_kernel(DType dtype) {
  Dense d(1, "copy_to_columns");
  ir::Builder& b = d.b;
  const uint32_t from = d.read(dtype), out = d.write(dtype);
  const ir::Value columns = d.number(), first = d.number(), width = d.number(), at = b.index(0);
  const ir::Value row = d.over(at, columns);
  d.store(out, d.load(from, at), b.add(b.mul(row, width), b.add(first, b.sub(at, b.mul(row, columns)))));
  return b.take();
}

// buffers: indices; scalars: what is added
ir::Kernel add_to_indices_kernel() {
  Dense d(1, "add_to_indices");
  const uint32_t indices = add_changed(d, DType::int64);
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

KernelLaunch add_term(DType dtype, int64_t size, const char* term, const char* out) {
  return {.name = format("add term {}", name(dtype)),
          .make = [dtype] { return add_term_kernel(dtype); },
          .extents = {size},
          .buffers = {term, out},
          .scalars = {}};
}

KernelLaunch copy_to_columns(DType dtype, int64_t rows, int64_t columns, int64_t first, int64_t width, const char* from,
                             const char* out) {
  return {.name = format("copy to columns {}", name(dtype)),
          .make = [dtype] { return copy_to_columns_kernel(dtype); },
          .extents = {rows * columns},
          .buffers = {from, out},
          .scalars = {columns, first, width}};
}

KernelLaunch add_to_indices(int64_t size, int64_t number, const char* indices) {
  return {.name = "add to indices",
          .make = [] { return add_to_indices_kernel(); },
          .extents = {size},
          .buffers = {indices},
          .scalars = {number}};
}

}  // namespace tessera::routines
