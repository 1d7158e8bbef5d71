/// Kernels: the kernels of device routines; each definition documents its buffers and scalars.
#pragma once

#include "tessera/engine/device/routines/dense.h"
#include "tessera/ops/op.h"

namespace tessera::engine {

/// `short_text`: a variant with little text.
ir::Kernel scan_rows_kernel(ir::Opcode op, DType from, DType dtype, bool short_text = false);
inline constexpr int scan_sweep_threads = 128;
int scan_sweep_chunks(DType dtype);  // chunks per tile
/// The total before a chunk is found in `levels` levels of totals.
ir::Kernel scan_sweep_kernel(ir::Opcode op, DType from, DType dtype, int levels, bool short_text = false);
/// `totals`: computes only the total of each chunk.
ir::Kernel scan_columns_kernel(ir::Opcode op, DType from, DType dtype, bool totals);

/// A lane has at most this many slices, one block each.
inline constexpr int extreme_threads = 256, most_slices = 1024;
/// `short_text`: a variant with little text, for at most 2^31 slices.
ir::Kernel extreme_rows_kernel(bool largest, DType dtype, bool short_text = false);
/// `joins`: among the indices found by an earlier launch.
ir::Kernel extreme_columns_kernel(bool largest, DType dtype, bool joins, bool short_text = false);

enum class PickMode : uint8_t { raise, wrap, clip };
/// The index counted from the front, brought into [0, n) by the mode; an index that stays out of range sets wrong[0].
ir::Value index_in_range(Dense& d, ir::Value given, ir::Value n, PickMode mode, uint32_t wrong);
ir::Kernel take_kernel(DType dtype, DType index_type, PickMode mode);

inline constexpr int select_threads = 256, select_tile = 4096, select_begins_threads = 1024;
ir::Kernel select_counts_kernel(DType mask);
ir::Kernel select_begins_kernel();
ir::Kernel nonzero_kernel(DType mask, int axes);
ir::Kernel compress_kernel(DType word, int each, bool expands);

inline constexpr int boxes_at_once = 12;
/// Parameters of move_boxes_kernel() for each box; positions are counted in elements.
struct BoxScalars {
  int64_t end;                   // end of its elements in the sequence of the elements of all boxes
  int64_t first;                 // its first position
  int64_t distance = 0;          // from there to the source of its first element
  int64_t width = 1;             // elements per row
  int64_t count = 1, pitch = 0;  // rows, and positions from one to the next
  int64_t outer_pitch = 0;       // the same for groups of rows
  int64_t fills = 0, value = 0;  // if not 0: the value of its elements
};
ir::Kernel move_boxes_kernel(DType dtype);

ir::Kernel row_numbers_kernel(int axes, bool along, PickMode mode);
ir::Kernel mark_rows_kernel();
ir::Kernel last_places_kernel();
/// By how many axes the parts of a RowLayout are walked.
struct RowAxes {
  int before, rows, behind;
};
ir::Kernel pick_rows_kernel(DType word, RowAxes axes);
ir::Kernel put_rows_kernel(DType word, RowAxes axes, bool repeats);

ir::Kernel reduce_places_kernel(const ops::Op& op, const ops::Signature& signature, DType target);
ir::Kernel change_places_kernel(ir::AtomicKind kind, DType dtype);

inline constexpr int product_threads = 256, product_side = 64;
ir::Kernel integer_product_kernel(DType dtype);
ir::Kernel correlate_kernel(DType dtype);

inline constexpr int bins_threads = 256, shared_bins = 4096;
ir::Kernel bounds_kernel();
/// `shared`: counts in shared memory, for at most shared_bins bins.
ir::Kernel count_bins_kernel(bool shared);

}  // namespace tessera::engine
