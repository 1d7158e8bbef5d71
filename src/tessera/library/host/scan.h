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

/// out[o, k, i] = op(out[o, k - 1, i], data[o, k, i]) over C-contiguous arrays of one dtype; out may be data. Each lane
/// is folded first to last whatever the thread count; integer sums of one long lane are cut, which changes nothing.
/// False when op has no loop for dtype.
bool scan(ScanOp op, const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, char* out);

}  // namespace tessera::library
