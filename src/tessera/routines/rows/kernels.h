/// The kernels that read and write numbered rows of an array, for indexing with arrays.
#pragma once

#include "tessera/routines/take/kernels.h"

namespace tessera::routines {

ir::Kernel row_numbers_kernel(int axes, DType index_type, bool along, library::IndexMode mode);
ir::Kernel mark_rows_kernel();
ir::Kernel last_places_kernel();
/// By how many axes the parts of a row layout are walked.
struct RowAxes {
  int before, rows, behind;
};
ir::Kernel pick_rows_kernel(DType word, RowAxes axes);
ir::Kernel put_rows_kernel(DType word, RowAxes axes, bool repeats);

}  // namespace tessera::routines
