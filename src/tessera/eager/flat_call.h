/// FlatCall: one loop over operands of one shape whose elements lie in one row, the fastest of small calls.
#pragma once

#include <optional>

#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
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
    const bool shows = loop.errors() != ir::ErrorRule::inside;
    if (shows && !is_integer(dtype) && !underflow && all_finite(dtype, pointers[nin], n)) return 0;
    return loop.events(pointers, strides, n, underflow);
  }
};

/// Sends the result to `target` if that is a settled dense array of this shape and of the result's type that shares no
/// memory with an operand, or none whose old elements tell of events. False, with nothing done, otherwise.
bool redirect(FlatCall& call, const Array& target, const Dims& shape);

/// Runs the loop for a settled target in a row that may share memory with operands: results wait until their operands
/// have been read. Returns the floating-point events; nothing, with nothing done, for other targets.
std::optional<uint32_t> try_run_into(const FlatCall& call, const Array& target, const Dims& shape, bool underflow);

/// Runs the loop into memory that shares none with the operands. Reversed operands are turned first, a few at a time.
uint32_t run_into_new(FlatCall& call, char* target, bool underflow);

}  // namespace tessera::eager
