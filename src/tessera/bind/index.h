/// Index expressions: what stands between the brackets of `a[...]`, and the view or elements it means.
#pragma once

#include <Python.h>

#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/object.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

struct NdArray;

struct IndexItem {
  enum Kind : uint8_t { integer, slice, ellipsis, new_axis, fancy } kind;
  /// integer: the index as given. fancy: which of ParsedIndex::arrays.
  int64_t value;
  PyObject* object;  // slice: borrowed from the key
};

/// An integer array, a boolean array (it takes as many axes as it has), or a 0-d boolean (it takes none).
struct FancyItem {
  Array array;
  bool is_mask;
};

struct ParsedIndex {
  SmallVector<IndexItem, 8> items;
  std::vector<FancyItem> arrays;  // empty for a basic index, and then nothing is allocated
  int consumed = 0;               // axes the items take, the ellipsis aside
  bool has_ellipsis = false;
  bool all_integers = true;
  bool copies = false;  // a 0-d integer array took part: NumPy hands out a copy

  bool is_basic() const { return arrays.empty(); }
};

/// Reads the key; throws IndexError in NumPy's words. Borrows from the key, which must outlive the result.
ParsedIndex parse_index(PyObject* key, int ndim);

/// The view for the commonest keys (ints, slices, None, an ellipsis) on an ndarray proper, built in place; null without
/// an error when the long way must be taken. Never a full set of ints: those are elements.
PyObject* try_quick_view(NdArray* self, PyObject* key);
/// The same view for writing, as a value; false when the long way must be taken.
bool try_quick_target(const View& view, PyObject* key, View& target);

/// The view a basic index means.
View apply_basic(const ParsedIndex& index, const View& view);

/// Makes i count from the front; throws NumPy's IndexError when it is out of range.
inline int64_t wrap_index(int64_t i, int axis, int64_t extent) {
  int64_t wrapped = i < 0 ? i + extent : i;
  require<IndexError>(static_cast<uint64_t>(wrapped) < static_cast<uint64_t>(extent),
                      "index {} is out of bounds for axis {} with size {}", i, axis, extent);
  return wrapped;
}

}  // namespace tessera::bind
