/// FlatCall: one loop over operands of one shape whose elements lie in one row, the fastest of small calls.
#pragma once

#include <cstring>
#include <memory>
#include <optional>

#include "tessera/eager/convert_rows.h"
#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::eager {

/// Whether elements follow one another at one distance: dense ones, and those of one axis however it lies.
inline bool is_row(const View& view) { return view.ndim() == 1 || view.is_c_contiguous(); }
/// The distance between neighbours of a row in bytes.
inline int64_t row_stride(const View& view) { return view.ndim() == 1 ? view.strides[0] : view.itemsize(); }

/// The loop, and pointers and strides of its operands and then of its result; a stride of 0 repeats one element.
struct FlatCall {
  const ops::EagerLoop& loop;
  int64_t n;
  int nin;
  char* pointers[3];
  int64_t strides[3];

  /// Runs the loop and returns its floating-point events, underflow only where asked for.
  uint32_t run(bool underflow) const {
    loop.run(pointers, strides, n);
    if (loop.errors() == ir::ErrorRule::none) return 0;
    const DType dtype = loop.signature().out[0];
    // Events other than underflow leave infinities or NaNs in float results.
    if (!is_integer(dtype) && !underflow && all_finite(dtype, pointers[nin], n)) return 0;
    return loop.events(pointers, strides, n, underflow);
  }
};

/// Sends the result to `target` if that is a settled dense array of this shape and of the result's type. An operand
/// that it overwrites is copied to `kept`, because events are found from the operands. False, with nothing done,
/// otherwise.
inline bool redirect(FlatCall& call, const Array& target, const Dims& shape, std::unique_ptr<char[]>& kept) {
  char* data = writable(target);
  if (!data || target.dtype() != call.loop.signature().out[0] || !target.view.is_c_contiguous()) return false;
  if (!(target.shape() == shape)) return false;
  data += target.view.offset;
  int64_t nbytes = call.n * target.view.itemsize();
  bool watched = call.loop.errors() != ir::ErrorRule::none;
  for (int k = 0; k < call.nin; ++k) {
    if (call.strides[k] != 0 && call.strides[k] != target.view.itemsize()) return false;
    int64_t operand_bytes = call.strides[k] * call.n;
    bool disjoint = operand_bytes == 0 || call.pointers[k] + operand_bytes <= data || data + nbytes <= call.pointers[k];
    if (disjoint) continue;
    if (call.pointers[k] != data || operand_bytes != nbytes) return false;
    if (!watched) continue;
    if (!kept) kept = std::make_unique_for_overwrite<char[]>(nbytes);
    std::memcpy(kept.get(), data, nbytes);
    call.pointers[k] = kept.get();
  }
  call.pointers[call.nin] = data;
  call.strides[call.nin] = target.view.itemsize();
  return true;
}

/// Runs the loop for a settled target of one axis whose elements are apart, such as a column; it may overlap the
/// operands, since the results wait until all are there. Returns the floating-point events; nothing, with nothing done,
/// for other targets.
inline std::optional<uint32_t> run_into_column(FlatCall& call, const Array& target, const Dims& shape, bool underflow) {
  const View& view = target.view;
  const DType dtype = call.loop.signature().out[0];
  if (view.ndim() != 1 || !(view.shape == shape) || view.dtype != dtype || call.n > small_limit) return {};
  char* data = writable(target);
  if (!data || !view.is_injective()) return {};
  alignas(64) char results[small_limit * sizeof(Scalar::bytes)];
  call.pointers[call.nin] = results;
  call.strides[call.nin] = view.itemsize();
  const uint32_t events = call.run(underflow);
  convert_rows(view.shape, {dtype, results, Dims{view.itemsize()}}, {dtype, data + view.offset, view.strides});
  return events;
}

}  // namespace tessera::eager
