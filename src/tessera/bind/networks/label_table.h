/// Labels of nodes and their numbers, in the order in which they were added.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "tessera/bind/array/object.h"
#include "tessera/routines/networks/csr.h"

namespace tessera::bind::networks {

/// What equals as keys of a dictionary is one label. Python's own integers that are not much larger than the number of
/// labels are looked up in a vector, all else in a dictionary.
class LabelTable {
 public:
  LabelTable();

  int64_t size() const { return static_cast<int64_t>(PyList_GET_SIZE(labels_.get())); }
  /// A list that is not changed as long as others hold it. Borrowed.
  PyObject* labels() const { return labels_.get(); }
  /// Borrowed.
  PyObject* label(int64_t node) const { return PyList_GET_ITEM(labels_.get(), node); }
  /// Whether the labels are 0, 1, 2, ...
  bool counts() const { return counts_; }

  /// The number of a label, or -1; raises TypeError for what cannot be hashed.
  routines::networks::Node find(PyObject* label);
  /// The same, added where it is new.
  routines::networks::Node add(PyObject* label);
  routines::networks::Node add(int64_t label);
  /// A dictionary from all labels to numbers, which is not changed as long as others hold it.
  Object dictionary();

  int traverse(visitproc visit, void* arg) const;
  LabelTable copy() const;

 private:
  routines::networks::Node find_number(int64_t value);
  bool in_vector(int64_t value) const { return value >= 0 && value < (1 << 16) + 8 * size(); }
  routines::networks::Node append(PyObject* label, int64_t value, bool into_vector);
  PyObject* lookup(PyObject* label);
  void fill_dictionary();

  Object labels_;
  Object dictionary_;  ///< of the first `listed_` labels
  int64_t listed_ = 0;
  bool counts_ = true;
  bool others_ = false;  ///< whether some labels are not in the vector
  std::vector<routines::networks::Node> numbers_;
};

}  // namespace tessera::bind::networks
