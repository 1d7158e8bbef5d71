/// Reductions over the neighbours of every node: each row's arcs are one segment of the reduction.
#pragma once

#include "tessera/routines/neighbours/rows.h"

namespace tessera::routines {

/// `sum`: of the neighbours' values, times the weights of their arcs. `minimum`: of the values, plus the weights.
enum class NeighbourOp : uint8_t { sum, minimum };

/// Operands and result are float64, or int64 for minima.
struct NeighbourReduction {
  NeighbourOp op = NeighbourOp::sum;
  DType dtype = DType::float64;
  const char* values = nullptr;   ///< one a node
  const char* weights = nullptr;  ///< one an arc; null: none
  const char* start = nullptr;    ///< one a row, which the reduction begins with; null: 0, or what is above all
};

/// Rows cut into pieces of at most networks::row_piece arcs, which threads reduce; then each row joins its own.
class RowPieces {
 public:
  /// Queues the cutting, and waits for the number of pieces. Kept with operand `operand`, the offsets.
  RowPieces(Launcher& launcher, const DeviceRows& rows, int operand);

  void reduce(const NeighbourReduction& reduction, const char* out) const;
  /// The row of each arc, as int64.
  static Ref<runtime::Buffer> rows_of_arcs(Launcher& launcher, const DeviceRows& rows);

 private:
  Launcher& launcher_;
  DeviceRows rows_;
  int64_t count_ = 0;
  Ref<runtime::Buffer> ends_, rows_of_;  // where the pieces of each row end; the row of each piece
};

}  // namespace tessera::routines
