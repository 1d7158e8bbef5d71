/// scan: cumsum and similar scans, in NumPy's order along each lane.
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
/// NumPy's names of the operations: "add", "true_divide", "logical_or"...
std::optional<ScanOp> scan_from_name(std::string_view ufunc_name);

/// For sums and products that round: lanes of up to scan_in_order elements are accumulated first to last, as in NumPy.
/// Longer lanes are split into chunks of scan_chunk elements. Each chunk is scanned first to last, the totals of the
/// preceding chunks are scanned by the same rule, and out = op(prefix of the preceding chunks, scan within the chunk).
/// Increasing sums stay increasing, and devices avoid a dependency chain over all elements.
inline constexpr int64_t scan_in_order = 8192;
inline constexpr int64_t scan_chunk = 256;
/// Whether the result may depend on the order of combining.
bool scan_rounds(ScanOp op, DType dtype);

/// Whether scan() has a loop for the dtype.
bool has_scan(ScanOp op, DType dtype);

/// out[o, k, i] = op(out[o, k - 1, i], data[o, k, i]) over C-contiguous arrays of one dtype; out may be data. The
/// result depends on neither thread count nor layout. False when op has no loop for dtype.
bool scan(ScanOp op, const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, char* out);

/// Whether scan() of lanes of n elements may be computed in parts, by scan_rows_apart() and scan_onward().
bool may_scan_onward(ScanOp op, DType dtype, int64_t n);
/// Some rows of an array along its first axis, each of `inner` elements, which begin with chunk `first` of all rows.
struct ScanRows {
  int64_t rows, inner, first;
};
/// Scans each chunk of the rows by itself, and writes its total into `totals`, which has a row for each chunk of all
/// rows. out may be data.
bool scan_rows_apart(ScanOp op, const char* data, DType dtype, const ScanRows& part, char* totals, char* out);
/// Makes of that what scan() of all rows has there, from the totals of these chunks and of all before.
bool scan_onward(ScanOp op, DType dtype, const ScanRows& part, const char* totals, char* out);

}  // namespace tessera::library
