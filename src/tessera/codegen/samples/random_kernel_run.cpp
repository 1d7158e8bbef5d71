// Runs a random kernel, and compares the results of two executions.
#include <cmath>
#include <cstring>

#include "tessera/base/format.h"
#include "tessera/codegen/samples/random_kernel.h"

namespace tessera::codegen {

Outcome RandomKernel::run(const Execute& execute, bool cut) const {
  Outcome outcome;
  std::vector<std::vector<char>> data;
  for (const Buffer& buffer : buffers_) data.push_back(buffer.data);
  Binding binding(extents_);
  for (size_t k = 0; k < buffers_.size(); ++k)
    binding.add(data[memory_of(k)].data() + buffers_[k].start, buffers_[k].shape, buffers_[k].strides);
  for (const Scalar& scalar : scalars_) binding.add_scalar(scalar);
  const std::vector<int64_t> begin(extents_.size());
  if (cut && kernel_.block_axes < kernel_.ndim + (kernel_.block_axes == 1)) {
    std::vector<int64_t> middle_end = extents_, middle_begin = begin;
    // Boxes consist of whole blocks.
    const size_t axis = kernel_.block_axes > 1 ? 0 : extents_.size() - 1;
    middle_end[axis] = middle_begin[axis] = (extents_[axis] + 1) / 2;
    execute(binding.arguments(), begin.data(), middle_end.data(), data);
    execute(binding.arguments(), middle_begin.data(), extents_.data(), data);
  } else {
    execute(binding.arguments(), begin.data(), extents_.data(), data);
  }
  for (size_t k = 0; k < buffers_.size(); ++k)
    if (buffers_[k].param.writable) outcome.outputs.push_back(std::move(data[memory_of(k)]));
  outcome.flags = binding.flags;
  return outcome;
}

namespace {

bool is_nan(DType dtype, const char* p) {
  Scalar scalar{.dtype = dtype};
  std::memcpy(scalar.bytes, p, itemsize(dtype));
  return std::isnan(scalar.as_double());
}

}  // namespace

std::string RandomKernel::difference(const Outcome& got, const Outcome& expected) const {
  size_t output = 0;
  for (const Buffer& buffer : buffers_) {
    if (!buffer.param.writable) continue;
    const std::vector<char>& a = got.outputs[output];
    const std::vector<char>& b = expected.outputs[output++];
    const DType type = real_dtype(buffer.param.dtype);
    for (size_t at = 0; at < a.size(); at += itemsize(type)) {
      if (std::memcmp(&a[at], &b[at], itemsize(type)) == 0) continue;
      if (is_floating(type) && is_nan(type, &a[at]) && is_nan(type, &b[at])) continue;
      Scalar x{.dtype = type}, y{.dtype = type};
      std::memcpy(x.bytes, &a[at], itemsize(type));
      std::memcpy(y.bytes, &b[at], itemsize(type));
      return format("output {} ({}) at byte {}: {} is not {}", output - 1, buffer.param.dtype, at, x, y);
    }
  }
  for (size_t slot = 0; slot < got.flags.size(); ++slot)
    if (got.flags[slot] != expected.flags[slot])
      return format("flags {}: {} is not {}", slot, got.flags[slot], expected.flags[slot]);
  return {};
}

}  // namespace tessera::codegen
