/// gather: reading and writing elements that integer arrays pick.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/layout/view.h"

namespace tessera::library {

/// NumPy's mode= for indices out of range.
enum class IndexMode : uint8_t { raise, wrap, clip };

/// One integer array of a multi-index, contiguous.
struct IndexAxis {
  const int64_t* indices;
  int64_t extent;  // of the axis it indexes
  int64_t stride;  // in bytes
  int axis;        // its number in NumPy's message
};

/// Where each of `count` picks lies, in bytes from element 0. Throws IndexError in NumPy's words.
std::vector<int64_t> pick_offsets(std::span<const IndexAxis> axes, int64_t count, IndexMode mode = IndexMode::raise);

/// The elements around a pick: the axes that are not indexed. Offsets of the views do not count.
struct PickBlock {
  View view;     // in the indexed array
  View packed;   // same shape, in the array of picks
  int64_t step;  // bytes from one pick to the next in the array of picks
};

/// picks[k] = array[offsets[k]] for all elements of the block.
void gather(const char* array, std::span<const int64_t> offsets, const PickBlock& block, char* picks);
/// picks[k] = array[indices[k]] for contiguous elements of itemsize bytes; throws IndexError as pick_offsets does.
void gather_elements(const char* array, int64_t itemsize, const IndexAxis& axis, int64_t count, char* picks);
/// array[offsets[k]] = picks[k] in order of k: of several writes to one element the last stays.
void scatter(char* array, std::span<const int64_t> offsets, const PickBlock& block, const char* picks);

}  // namespace tessera::library
