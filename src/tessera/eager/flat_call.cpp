#include "tessera/eager/flat_call.h"

#include <algorithm>

#include "tessera/eager/convert_rows.h"
#include "tessera/eager/small_call.h"

namespace tessera::eager {

namespace {

/// Elements that are computed at a time where results or operands go through memory of the caller's stack.
constexpr int64_t block = small_limit;
constexpr int64_t block_bytes = block * static_cast<int64_t>(sizeof(Scalar::bytes));
/// Reversed rows of fewer elements are not worth turning.
constexpr int64_t short_row = 32;

bool is_reversed(const FlatCall& call, int k) {
  return call.strides[k] == -itemsize(call.loop.signature().in[static_cast<size_t>(k)]);
}

/// How an operand's bytes lie to those of a target.
enum class Meeting : uint8_t { disjoint, aligned, crossing };
Meeting meet(const FlatCall& call, int k, const char* target, int64_t stride) {
  const auto hull = [&](const char* first, int64_t step, int64_t size) {
    const char* last = first + step * (call.n - 1);
    return std::pair(std::min(first, last), std::max(first, last) + size);
  };
  const ops::Signature& signature = call.loop.signature();
  const auto [low, high] = hull(call.pointers[k], call.strides[k], itemsize(signature.in[static_cast<size_t>(k)]));
  const auto [begin, end] = hull(target, stride, itemsize(signature.out[0]));
  if (high <= begin || end <= low) return Meeting::disjoint;
  return call.pointers[k] == target && call.strides[k] == stride ? Meeting::aligned : Meeting::crossing;
}

/// The elements of target if the results may be stored there.
char* place_of(const FlatCall& call, const Array& target, const Dims& shape) {
  if (target.dtype() != call.loop.signature().out[0] || !(target.shape() == shape) || call.n == 0) return nullptr;
  char* data = writable(target);
  return data ? data + target.view.offset : nullptr;
}

/// Runs the loop a block at a time; each block is stored after its operands were read.
uint32_t run_in_blocks(const FlatCall& call, char* target, int64_t stride, bool underflow) {
  alignas(64) char results[block_bytes], turned[2][block_bytes];
  const DType dtype = call.loop.signature().out[0];
  uint32_t events = 0;
  for (int64_t at = 0; at < call.n; at += block) {
    FlatCall part{call.loop, std::min(block, call.n - at), call.nin, {}, {}};
    const Dims extent{part.n};
    for (int k = 0; k < call.nin; ++k) {
      part.pointers[k] = call.pointers[k] + at * call.strides[k];
      part.strides[k] = call.strides[k];
      if (part.n < short_row || !is_reversed(call, k)) continue;
      const DType type = call.loop.signature().in[static_cast<size_t>(k)];
      part.strides[k] = itemsize(type);
      convert_rows(extent, {type, part.pointers[k], Dims{call.strides[k]}}, {type, turned[k], Dims{part.strides[k]}});
      part.pointers[k] = turned[k];
    }
    part.pointers[call.nin] = results;
    part.strides[call.nin] = itemsize(dtype);
    events |= part.run(underflow);
    convert_rows(extent, {dtype, results, Dims{itemsize(dtype)}}, {dtype, target + at * stride, Dims{stride}});
  }
  return events;
}

}  // namespace

bool redirect(FlatCall& call, const Array& target, const Dims& shape) {
  char* data = target.view.is_c_contiguous() ? place_of(call, target, shape) : nullptr;
  if (!data) return false;
  const int64_t stride = target.view.itemsize();
  const bool watched = call.loop.errors() != ir::ErrorRule::none;
  for (int k = 0; k < call.nin; ++k) {
    const Meeting meeting = meet(call, k, data, stride);
    if (meeting == Meeting::crossing || (meeting == Meeting::aligned && watched)) return false;
  }
  call.pointers[call.nin] = data;
  call.strides[call.nin] = stride;
  return true;
}

std::optional<uint32_t> try_run_into(const FlatCall& call, const Array& target, const Dims& shape, bool underflow) {
  if (!is_row(target.view) || !target.view.is_injective()) return {};
  char* data = place_of(call, target, shape);
  if (!data) return {};
  const int64_t stride = row_stride(target.view);
  for (int k = 0; call.n > block && k < call.nin; ++k)
    if (meet(call, k, data, stride) == Meeting::crossing) return {};
  return run_in_blocks(call, data, stride, underflow);
}

uint32_t run_into_new(FlatCall& call, char* target, bool underflow) {
  const int64_t stride = itemsize(call.loop.signature().out[0]);
  if (call.n >= short_row)
    for (int k = 0; k < call.nin; ++k)
      if (is_reversed(call, k)) return run_in_blocks(call, target, stride, underflow);
  call.pointers[call.nin] = target;
  call.strides[call.nin] = stride;
  return call.run(underflow);
}

}  // namespace tessera::eager
