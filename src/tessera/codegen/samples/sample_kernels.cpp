#include "tessera/codegen/samples/sample_kernels.h"

#include <dlfcn.h>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/error.h"

namespace tessera::codegen {

using ir::Builder;
using ir::InnerStride;
using ir::Value;

std::unique_ptr<Compiler> open_compiler(const CompilerOptions& options) {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&ir::identity), &info);
  const std::string self = info.dli_fname;
  static const DynamicLibrary library =
      DynamicLibrary::open(self.substr(0, self.rfind('/') + 1) + "libtessera_codegen.so");
  auto* factory = library.find_function<Factory>(factory_symbol);
  require<IoError>(factory != nullptr, "{} has no {}", library.path(), factory_symbol);
  return std::unique_ptr<Compiler>(factory(&options));
}

Binding& Binding::add(void* data, std::vector<int64_t> shape, std::vector<int64_t> strides) {
  buffers_.push_back(static_cast<char*>(data));
  strides_.insert(strides_.end(), strides.begin(), strides.end());
  dimensions_.insert(dimensions_.end(), shape.begin(), shape.end());
  return *this;
}

Binding& Binding::add(void* data, std::vector<int64_t> shape, int64_t itemsize) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = itemsize;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
  return add(data, std::move(shape), std::move(strides));
}

Binding& Binding::add_scalar(const Scalar& value) {
  scalars_.insert(scalars_.end(), value.bytes, value.bytes + sizeof value.bytes);
  return *this;
}

const ir::KernelArguments& Binding::arguments() {
  arguments_ = {buffers_.data(), strides_.data(), dimensions_.data(),     scalars_.data(),
                extents_.data(), flags.data(),    arguments_.shared_bytes};
  return arguments_;
}

void Binding::run(ir::KernelEntry entry) {
  const std::vector<int64_t> begin(extents_.size());
  entry(&arguments(), begin.data(), extents_.data());
}

namespace {

ir::BufferParam input(DType dtype, uint8_t ndim) {
  return {.dtype = dtype, .ndim = ndim, .inner = InnerStride::contiguous};
}

ir::BufferParam output(DType dtype, uint8_t ndim, bool streaming) {
  return {.dtype = dtype,
          .ndim = ndim,
          .readable = false,
          .writable = true,
          .streaming = streaming,
          .inner = InnerStride::contiguous};
}

}  // namespace

ir::Kernel chain_kernel(DType dtype, bool streaming) {
  Builder b(1, "chain");
  const uint32_t pa = b.add_buffer(input(dtype, 1)), pb = b.add_buffer(input(dtype, 1)),
                 out = b.add_buffer(output(dtype, 1, streaming));
  const Value at[] = {b.index(0)};
  const Value x = b.load(pa, at), y = b.load(pb, at);
  b.store(out, b.sub(b.mul(b.add(x, y), x), y), at);
  return b.take();
}

ir::Kernel stencil_kernel(DType dtype, bool streaming, bool checked) {
  Builder b(2, "stencil");
  uint32_t views[5];
  for (uint32_t& view : views) {
    view = b.add_buffer(input(dtype, 2));
  }
  const uint32_t out = b.add_buffer(output(dtype, 2, streaming));
  const uint32_t scale = b.add_scalar(dtype);
  const Value at[] = {b.index(0), b.index(1)};
  const auto watched = [&](Value result, Value x, Value y) {
    const Value operands[] = {x, y};
    if (checked) b.check(ir::ErrorRule::arithmetic, b.add_flag_slot(), result, operands);
    return result;
  };
  Value sum = b.load(views[0], at);
  for (int k = 1; k < 5; ++k) {
    const Value next = b.load(views[k], at);
    sum = watched(b.add(sum, next), sum, next);
  }
  b.store(out, watched(b.mul(b.scalar(scale), sum), b.scalar(scale), sum), at);
  return b.take();
}

ir::Kernel smooth_kernel() {
  Builder b(2, "smooth");
  uint32_t views[9];
  for (uint32_t& view : views) view = b.add_buffer(input(DType::int8, 2));
  const uint32_t out = b.add_buffer(output(DType::int8, 2, false));
  const Value divisor = b.scalar(b.add_scalar(DType::int8));
  const Value at[] = {b.index(0), b.index(1)};
  Value sum = b.load(views[0], at);
  for (int k = 1; k < 9; ++k) sum = b.add(sum, b.load(views[k], at));
  const Value quotient = b.binary(ir::Opcode::floor_div, sum, divisor);
  const Value operands[] = {sum, divisor};
  b.check(ir::ErrorRule::integer_divide, b.add_flag_slot(), quotient, operands);
  b.store(out, quotient, at);
  return b.take();
}

ir::Kernel black_scholes_kernel(DType dtype, bool streaming) {
  Builder b(1, "black_scholes");
  const uint32_t spot = b.add_buffer(input(dtype, 1)), strike = b.add_buffer(input(dtype, 1)),
                 time = b.add_buffer(input(dtype, 1));
  const uint32_t call = b.add_buffer(output(dtype, 1, streaming)), put = b.add_buffer(output(dtype, 1, streaming));
  const Value rate = b.scalar(b.add_scalar(dtype)), volatility = b.scalar(b.add_scalar(dtype));
  const Value at[] = {b.index(0)};
  const Value s = b.load(spot, at), k = b.load(strike, at), t = b.load(time, at);
  const Value half = b.constant(dtype, 0.5);
  const Value spread = b.mul(volatility, b.sqrt(t));
  const Value drift = b.mul(b.add(rate, b.mul(half, b.mul(volatility, volatility))), t);
  const Value d1 = b.div(b.add(b.log(b.div(s, k)), drift), spread);
  const Value d2 = b.sub(d1, spread);
  const auto cdf = [&](Value x) {
    return b.add(half, b.mul(half, b.unary(ir::Opcode::erf, b.div(x, b.constant(dtype, 1.4142135623730951)))));
  };
  const Value discounted = b.mul(k, b.exp(b.neg(b.mul(rate, t))));
  const Value c1 = cdf(d1), c2 = cdf(d2), one = b.constant(dtype, 1);
  b.store(call, b.sub(b.mul(s, c1), b.mul(discounted, c2)), at);
  b.store(put, b.sub(b.mul(discounted, b.sub(one, c2)), b.mul(s, b.sub(one, c1))), at);
  return b.take();
}

ir::Kernel row_sum_kernel(DType dtype, ir::ReduceOrder order, bool square) {
  Builder b(1, "row_sum");
  const uint32_t a = b.add_buffer(input(dtype, 2)), out = b.add_buffer(output(dtype, 1, false));
  const Value row = b.index(0);
  const Value sum = b.reduce(ir::ReduceKind::add, order, b.constant(DType::int64, 0), b.dimension(a, 1), [&](Value k) {
    const Value at[] = {row, k};
    const Value x = b.load(a, at);
    return square ? b.mul(x, x) : x;
  });
  const Value at[] = {row};
  b.store(out, sum, at);
  return b.take();
}

ir::Kernel chunk_reduction_kernel(DType dtype, ir::ReduceKind kind) {
  ir::Builder b(1, "reduction_chunks");
  const uint32_t a = b.add_buffer({.dtype = dtype, .ndim = 1, .inner = ir::InnerStride::contiguous});
  const uint32_t out = b.add_buffer(
      {.dtype = dtype, .ndim = 1, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
  const ir::Value at[] = {b.index(0)}, size = b.constant(DType::int64, 8192), lower = b.mul(at[0], size);
  const auto element = [&](ir::Value k) { return b.load(a, std::span(&k, 1)); };
  b.store(out, b.reduce(kind, ir::ReduceOrder::pairwise, lower, b.min(b.add(lower, size), b.dimension(a, 0)), element),
          at);
  return b.take();
}

static ir::Kernel column_reduction_kernel(DType dtype, ir::ReduceKind kind, const char* name) {
  Builder b(1, name);
  const uint32_t a = b.add_buffer(input(dtype, 2)), out = b.add_buffer(output(dtype, 1, false));
  const Value column = b.index(0);
  const auto element = [&](Value k) {
    const Value at[] = {k, column};
    return b.load(a, at);
  };
  const Value at[] = {column};
  b.store(out, b.reduce(kind, ir::ReduceOrder::sequential, b.constant(DType::int64, 0), b.dimension(a, 0), element),
          at);
  return b.take();
}

ir::Kernel column_sum_kernel(DType dtype) { return column_reduction_kernel(dtype, ir::ReduceKind::add, "column_sum"); }

ir::Kernel column_product_kernel(DType dtype) {
  return column_reduction_kernel(dtype, ir::ReduceKind::mul, "column_product");
}

}  // namespace tessera::codegen
