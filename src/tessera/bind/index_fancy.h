/// Advanced indexing: integer and boolean arrays between the brackets.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tessera/bind/index.h"

namespace tessera::bind {

/// One index array, contiguous int64, for one axis of the source.
struct FancyAxis {
  Array numbers;
  const int64_t* data;  // of them, once they are on the host (settle_fancy)
  bool single;          // one number serves every element
  int64_t extent;       // of the source axis
  int64_t stride;       // of the source axis, in bytes
  int axis;             // of the source, for error messages
};

/// What an advanced index means on one view: `count` blocks of shape `inner`, each starting where the axes say.
struct FancySelection {
  std::vector<FancyAxis> axes;
  Dims fancy_shape;           // the broadcast shape of the index arrays
  int64_t count = 1;          // its product
  View inner;                 // what the other items leave of the source; one block with every index at 0
  int position = 0;           // where fancy_shape stands in the result's shape
  SmallVector<int, 8> order;  // the result's axis that each axis of fancy_shape is; the index arrays' order in memory
  SmallVector<int, 8> inner_order;  // the same for the axes of `inner`: the source's order in memory
  int result_ndim() const { return static_cast<int>(fancy_shape.size()) + inner.ndim(); }
  /// The axes of "fancy_shape, then inner" in the order of the result.
  SmallVector<int, 8> result_axes() const;
};

/// With `in_memory_order` blocks may be taken in the order in which the source lies, single elements in that in which
/// the index arrays do.
FancySelection select_fancy(const ParsedIndex& index, const View& view, bool in_memory_order);
/// Brings the index arrays to the host.
void settle_fancy(FancySelection& selection);
/// Throws NumPy's IndexError when an index is out of range.
void check_fancy(const FancySelection& selection);
/// Calls visit(first, offsets) with the byte offsets of consecutive blocks, a few thousand at a time, checking the
/// range.
void for_each_offset(const FancySelection& selection, int64_t begin, int64_t end,
                     const std::function<void(int64_t, std::span<const int64_t>)>& visit);

/// The blocks that a selection of at least one element picks, dense with the index arrays' axes first in its shape;
/// nothing when the host should do it, as it should where an index is out of range.
std::optional<Array> pick_on_device(const Array& source, const FancySelection& selection);
/// Writes value, which is one element or has these axes, to them; false: the host should.
bool put_on_device(const Array& destination, const FancySelection& selection, const Array& value);

/// The view of a result whose memory holds the index arrays' axes first.
View in_result_order(const View& packed, const FancySelection& selection);

/// source[index] for an advanced index: a new array.
Array gather_fancy(const Array& source, const ParsedIndex& index);
/// destination[index] = value, element by element in C order; the last of repeated indices wins.
void scatter_fancy(const Array& destination, const ParsedIndex& index, const Operand& value);

/// The value as an array of the destination's dtype that shares no memory with it.
Array separate_value(const Array& destination, const Operand& value);

/// The mask when it has the array's shape and stands alone between the brackets: the commonest advanced index. Else
/// null.
const Array* whole_mask(const ParsedIndex& index, const Dims& shape);
/// source[mask] and destination[mask] = value for such a mask.
Array gather_mask(const Array& source, const Array& mask);
void scatter_mask(const Array& destination, const Array& mask, const Operand& value);
/// The positions of true elements, one int64 array an axis, as numpy.nonzero gives them.
std::vector<Array> nonzero(const Array& mask);

}  // namespace tessera::bind
