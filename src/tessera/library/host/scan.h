/// scan: running folds (cumsum and its like), in NumPy's order along each lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tessera/layout/dtype.h"

namespace tessera::library {

enum class ScanOp : uint8_t {
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  fmin,
  fmax,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  logical_and,
  logical_or,
  logical_xor,
};
/// "add", "true_divide", "logical_or"...: NumPy's names.
std::optional<ScanOp> scan_from_name(std::string_view ufunc_name);

/// Sums and products that round: lanes up to scan_in_order elements are folded first to last, as NumPy does. Longer
/// ones are cut into chunks of scan_chunk: each is folded first to last, the totals of the chunks before it are folded
/// by the same cut, and out = op(what came before, the chunk's own fold). Increasing sums stay increasing, and no
/// device has to wait for a chain of all elements.
inline constexpr int64_t scan_in_order = 8192;
inline constexpr int64_t scan_chunk = 256;
/// Whether folds in another order may differ.
bool scan_rounds(ScanOp op, DType dtype);

/// out[o, k, i] = op(out[o, k - 1, i], data[o, k, i]) over C-contiguous arrays of one dtype; out may be data. The
/// result depends on neither threads nor layout. False when op has no loop for dtype.
bool scan(ScanOp op, const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, char* out);

}  // namespace tessera::library
