/// Makes the column of an edge attribute from Python's numbers, or from values that are numbers already.
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "tessera/bind/networks/network.h"

namespace tessera::bind::networks {

/// Whole numbers of larger absolute value are not exact as doubles.
inline constexpr int64_t exact_in_double = int64_t{1} << 53;

/// What is known of the values of a column, noted one by one or of parts that are joined.
struct ColumnFacts {
  bool floats = false, integers = false, nan = false, negative = false, booleans = true;
  double largest = 0;

  Value note(double number);
  Value note(int64_t integer);
  void join(const ColumnFacts& other);
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

  PyObject* name() const { return column_.name.get(); }
  /// What counts where an edge does not have the attribute, if that is one of Python's own numbers.
  std::optional<Value> plain_default();
  void join(const ColumnFacts& facts) { facts_.join(facts); }

  /// May be called by several threads, for arcs of their own.
  void set(int64_t arc, Value value);
  /// One of several edges of an arc.
  void add(int64_t arc, Value value, bool first);

  Column finish();
  /// The same where all arcs have this value.
  Column finish(Value constant);

 private:
  void refuse(std::string problem);

  Column column_;
  ColumnFacts facts_;
  PyObject* missing_;
  std::optional<Value> default_;  ///< of missing_, once it was needed
};

}  // namespace tessera::bind::networks
