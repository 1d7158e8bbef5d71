/// gather: reads and writes the elements selected by integer arrays ("picks").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/layout/view.h"

namespace tessera::library {

/// NumPy's mode= argument for out-of-range indices.
enum class IndexMode : uint8_t { raise, wrap, clip };

/// What index arrays count: one axis each; all elements, in C order; or the last axis, by an array that has the others.
enum class IndexKind : uint8_t { axes, flat, along };

/// One integer array of a multi-index; contiguous.
struct IndexAxis {
  const int64_t* indices;
  int64_t extent;  // of the axis it indexes
  int64_t stride;  // in bytes
  int axis;        // axis number for NumPy's message
};

/// The byte offset of each of `count` picks from element 0. Throws IndexError with NumPy's message.
std::vector<int64_t> pick_offsets(std::span<const IndexAxis> axes, int64_t count, IndexMode mode = IndexMode::raise);
/// The same for picks from number `first` on, on this thread.
void pick_offsets(std::span<const IndexAxis> axes, int64_t first, IndexMode mode, std::span<int64_t> offsets);
/// Throws the IndexError of the first axis that has an index out of range.
void check_indices(std::span<const IndexAxis> axes, int64_t count);
/// Byte offsets of elements of a view by their C-order numbers.
std::vector<int64_t> flat_offsets(const View& view, const int64_t* numbers, int64_t count, IndexMode mode);
/// Byte offsets of elements by indices along the last axis of a view, `count` for each of its rows; `axis` is for
/// messages.
std::vector<int64_t> along_offsets(const View& view, const int64_t* indices, int64_t count, int axis);

/// The block of elements per pick: the axes that are not indexed. The views' offsets are ignored.
struct PickBlock {
  View view;     // in the indexed array
  View packed;   // same shape, in the array of picks
  int64_t step;  // bytes between picks in the array of picks
};

/// picks[k] = array[offsets[k]] for all elements of the block.
void gather(const char* array, std::span<const int64_t> offsets, const PickBlock& block, char* picks);
/// The same by index arrays, without memory for the offsets of all picks.
void gather_indexed(const char* array, std::span<const IndexAxis> axes, int64_t count, const PickBlock& block,
                    char* picks);
/// picks[k] = array[indices[k]] for contiguous elements of itemsize bytes; throws IndexError as pick_offsets does.
void gather_elements(const char* array, int64_t itemsize, const IndexAxis& axis, int64_t count, char* picks);
/// array[offsets[k]] = picks[k] in order of k: of several writes to one element, the last wins.
void scatter(char* array, std::span<const int64_t> offsets, const PickBlock& block, const char* picks);
/// The same by index arrays, all of which are checked first.
void scatter_indexed(char* array, std::span<const IndexAxis> axes, int64_t count, IndexMode mode,
                     const PickBlock& block, const char* picks);

}  // namespace tessera::library
