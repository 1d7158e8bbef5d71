/// Index expressions: the key of `a[...]`, parsed, and the view or elements it selects.
#pragma once

#include <Python.h>

#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

struct NdArray;

struct IndexItem {
  enum Kind : uint8_t { integer, slice, ellipsis, new_axis, fancy } kind;
  /// integer: the index as given. fancy: the position in ParsedIndex::arrays.
  int64_t value;
  PyObject* object;  // slice: borrowed from the key
};

/// An integer array, a boolean array (it consumes as many axes as it has), or a 0-d boolean (it consumes none).
struct FancyItem {
  Array array;
  bool is_mask;
};

struct ParsedIndex {
  SmallVector<IndexItem, 8> items;
  std::vector<FancyItem> arrays;  // empty for a basic index, which allocates nothing
  int consumed = 0;               // axes the items consume, the ellipsis aside
  bool has_ellipsis = false;
  bool all_integers = true;
  bool copies = false;  // a 0-d integer array took part: NumPy returns a copy

  bool is_basic() const { return arrays.empty(); }
};

/// Parses the key; throws IndexError with NumPy's message. Borrows from the key, which must outlive the result.
ParsedIndex parse_index(PyObject* key, int ndim);

/// The view for the most common keys (ints, slices, None, an ellipsis) on an exact ndarray, built in place; null
/// without an error when the general path is needed. Never for an int on every axis, which selects an element.
PyObject* try_quick_view(NdArray* self, PyObject* key);
/// The same view for writing, as a value; false when the general path is needed.
bool try_quick_target(const View& view, PyObject* key, View& target);

/// The view that a basic index selects.
View apply_basic(const ParsedIndex& index, const View& view);

/// Converts a negative i to count from the front; throws NumPy's IndexError when it is out of range.
inline int64_t wrap_index(int64_t i, int axis, int64_t extent) {
  int64_t wrapped = i < 0 ? i + extent : i;
  require<IndexError>(static_cast<uint64_t>(wrapped) < static_cast<uint64_t>(extent),
                      "index {} is out of bounds for axis {} with size {}", i, axis, extent);
  return wrapped;
}

}  // namespace tessera::bind
