/// The kernels of the routines that run on a device beside the plans; each says what it wants for buffers and scalars.
#pragma once

#include "tessera/engine/device/routines/dense.h"

namespace tessera::engine {

/// `totals`: only what each chunk comes to.
ir::Kernel scan_rows_kernel(ir::Opcode op, DType from, DType dtype, bool totals);
ir::Kernel scan_columns_kernel(ir::Opcode op, DType from, DType dtype, bool totals);

inline constexpr int extreme_threads = 256;
/// `joins`: among places found before.
ir::Kernel extreme_rows_kernel(bool largest, DType dtype, bool joins);
ir::Kernel extreme_columns_kernel(bool largest, DType dtype, bool joins);

enum class PickMode : uint8_t { raise, wrap, clip };
ir::Kernel take_kernel(DType dtype, DType index_type, PickMode mode);

inline constexpr int select_threads = 256, select_tile = 4096, select_begins_threads = 1024;
ir::Kernel select_counts_kernel(DType mask);
ir::Kernel select_begins_kernel();
ir::Kernel nonzero_kernel(DType mask, int axes);
ir::Kernel compress_kernel(DType word, int each, bool expands);

inline constexpr int boxes_at_once = 3;
ir::Kernel copy_boxes_kernel(DType dtype);

ir::Kernel row_numbers_kernel(int axes, bool along);
ir::Kernel mark_rows_kernel();
ir::Kernel last_places_kernel();
ir::Kernel put_rows_kernel(DType word, bool repeats);

}  // namespace tessera::engine
