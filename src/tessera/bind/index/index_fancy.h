/// Advanced indexing: integer and boolean arrays in `a[...]`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/bind/index/index.h"

namespace tessera::bind {

/// One index array, contiguous, for one axis of the source.
struct FancyAxis {
  Array numbers;        // int64, or any integers if there is only one axis
  const int64_t* data;  // the elements of numbers, once they are on the host (settle_fancy)
  bool single;          // one index applies to every element
  int64_t extent;       // of the source axis
  int64_t stride;       // of the source axis, in bytes
  int axis;             // of the source, for error messages
};

/// The elements that an advanced index selects from one view: `count` blocks of shape `inner`, each at the offset that
/// the axes give.
struct FancySelection {
  std::vector<FancyAxis> axes;
  Dims fancy_shape;                 // the broadcast shape of the index arrays
  int64_t count = 1;                // its product
  View inner;                       // the axes that the other items keep of the source: the block with every index at 0
  int position = 0;                 // position of fancy_shape in the result's shape
  SmallVector<int, 8> order;        // the result axis of each axis of fancy_shape; the index arrays' memory order
  SmallVector<int, 8> inner_order;  // the same for the axes of `inner`: the source's memory order
  int result_ndim() const { return static_cast<int>(fancy_shape.size()) + inner.ndim(); }
  /// The axes of "fancy_shape, then inner" in the order of the result.
  SmallVector<int, 8> result_axes() const;
};

/// With `in_memory_order`, blocks may be visited in the source's memory order, and single elements in the index arrays'
/// memory order.
FancySelection select_fancy(const ParsedIndex& index, const View& view, bool in_memory_order);
/// Waits for the index arrays on the host, which become int64.
void settle_fancy(FancySelection& selection);
/// Throws NumPy's IndexError when an index is out of range.
void check_fancy(const FancySelection& selection);
/// A selection as operands and arguments of the routines gather and scatter: the indexed axes are side by side, behind
/// the other axes that have larger strides.
class IndexedRows {
 public:
  /// The selection has index arrays with elements. Indices that apply to all blocks only move the array. `values`
  /// leaves room for an operand behind it.
  IndexedRows(const Array& array, FancySelection& selection, bool values);

  std::vector<Array> operands;
  ops::Arguments arguments;
  /// A view over the axes of the index arrays, `fancy` in number, then inner: its axes in the routines' order, and
  /// back.
  View to_memory_order(const View& view, int fancy) const;
  View from_memory_order(const View& view, int fancy) const;

 private:
  SmallVector<int, 8> memory_order(int fancy) const;
  SmallVector<int, 8> order_;  // the axes of inner, those before the indexed ones first
  int before_ = 0;             // the number of those
};

/// The view of a result whose memory has the index arrays' axes first.
View in_result_order(const View& packed, const FancySelection& selection);

/// source[index] for an advanced index: a new array.
Array gather_fancy(const Array& source, const ParsedIndex& index);
/// destination[index] = value, element by element in C order; the last of repeated indices takes effect.
void scatter_fancy(const Array& destination, const ParsedIndex& index, const Operand& value);

/// The value as an array of the destination's dtype that shares no memory with it.
Array separate_value(const Array& destination, const Operand& value);

/// The mask when it is the only item of the index and has the array's shape, the most common advanced index; else null.
const Array* whole_mask(const ParsedIndex& index, const Dims& shape);
/// source[mask] and destination[mask] = value for such a mask.
Array gather_mask(const Array& source, const Array& mask);
void scatter_mask(const Array& destination, const Array& mask, const Operand& value);
/// The positions of true elements as numpy.nonzero returns them: one int64 array for each axis.
std::vector<Array> positions_of_true(const Array& mask);

}  // namespace tessera::bind
