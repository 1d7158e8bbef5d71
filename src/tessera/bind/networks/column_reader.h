/// Makes the column of an edge attribute from Python's numbers, or from values that are numbers already.
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "tessera/bind/networks/network.h"

namespace tessera::bind::networks {

/// A number that was read from an attribute.
struct Value {
  double number = 0;
  int64_t integer = 0;
};

/// Takes the values of arcs one after another. `missing` is what counts where an edge does not have the attribute.
class ColumnReader {
 public:
  ColumnReader(PyObject* name, PyObject* missing, int64_t arcs, bool multigraph);

  /// The attribute in the dictionary of an edge.
  Value value_in(PyObject* data);
  /// Of a Python object; null is a missing value.
  Value value_of(PyObject* object);
  Value value_of(double number);
  Value value_of(int64_t integer);

  void set(int64_t arc, Value value);
  /// One of several edges of an arc.
  void add(int64_t arc, Value value, bool first);

  Column finish();

 private:
  Value noted(Value value);
  void refuse(std::string problem);

  Column column_;
  PyObject* missing_;
  std::optional<Value> default_;  ///< of missing_, once it was needed
  bool some_ = false;             ///< whether a whole number was met
};

}  // namespace tessera::bind::networks
