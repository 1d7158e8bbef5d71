#include "tessera/bind/networks/column_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::bind::networks {

Value ColumnFacts::note(double number) {
  floats = true;
  booleans = false;
  nan |= std::isnan(number);
  negative |= number < 0;
  largest = std::max(largest, std::abs(number));
  return {number, 0};
}

Value ColumnFacts::note(int64_t integer) {
  const auto number = static_cast<double>(integer);
  integers = true;
  booleans = false;
  negative |= number < 0;
  largest = std::max(largest, std::abs(number));
  return {number, integer};
}

void ColumnFacts::join(const ColumnFacts& other) {
  floats |= other.floats;
  integers |= other.integers;
  nan |= other.nan;
  negative |= other.negative;
  booleans &= other.booleans;
  largest = std::max(largest, other.largest);
}

ColumnReader::ColumnReader(PyObject* name, PyObject* missing, int64_t arcs, bool multigraph) : missing_(missing) {
  column_.name = Object::borrowed(name);
  column_.least.resize(arcs);
  column_.least_integers.resize(arcs);
  if (multigraph) column_.sum.assign(arcs, 0.0);
}

Value ColumnReader::value_in(PyObject* data) {
  // Edges without any attribute are the common case, and the default is the same for all.
  PyObject* object = PyDict_GET_SIZE(data) == 0 ? nullptr : PyDict_GetItemWithError(data, column_.name.get());
  if (!object && PyErr_Occurred()) throw ErrorAlreadySet();
  return value_of(object);
}

Value ColumnReader::value_of(PyObject* object) {
  if (!object) {
    if (!default_) default_ = value_of(missing_);
    return *default_;
  }
  if (PyFloat_Check(object)) return value_of(PyFloat_AS_DOUBLE(object));
  if (!PyLong_Check(object)) {
    refuse(std::string("an edge attribute has values of type ") + Py_TYPE(object)->tp_name + ", which are no numbers");
    return {};
  }
  int overflow = 0;
  const int64_t integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) refuse("an edge attribute has whole numbers beyond 2**53, which NetworkX adds exactly");
  facts_.booleans &= static_cast<bool>(PyBool_Check(object));
  const bool booleans = facts_.booleans;
  const Value value = value_of(integer);
  facts_.booleans = booleans;
  return value;
}

Value ColumnReader::value_of(double number) { return facts_.note(number); }

Value ColumnReader::value_of(int64_t integer) {
  if (integer > exact_in_double || integer < -exact_in_double)
    refuse("an edge attribute has whole numbers beyond 2**53, which NetworkX adds exactly");
  return facts_.note(integer);
}

std::optional<Value> ColumnReader::plain_default() {
  if (PyFloat_CheckExact(missing_)) return Value{PyFloat_AS_DOUBLE(missing_), 0};
  if (!PyLong_CheckExact(missing_)) return std::nullopt;
  int overflow = 0;
  const int64_t integer = PyLong_AsLongLongAndOverflow(missing_, &overflow);
  if (overflow || integer > exact_in_double || integer < -exact_in_double) return std::nullopt;
  return Value{static_cast<double>(integer), integer};
}

void ColumnReader::set(int64_t arc, Value value) {
  column_.least[arc] = value.number;
  column_.least_integers[arc] = value.integer;
}

void ColumnReader::add(int64_t arc, Value value, bool first) {
  if (first || value.number < column_.least[arc]) set(arc, value);
  column_.sum[arc] += value.number;
}

Column ColumnReader::finish() {
  column_.floats = facts_.floats;
  column_.mixed = facts_.floats && facts_.integers;
  column_.nan = facts_.nan;
  column_.negative = facts_.negative;
  column_.booleans = facts_.booleans;
  column_.largest = facts_.largest;
  if (column_.floats) column_.least_integers = {};
  return std::move(column_);
}

Column ColumnReader::finish(Value constant) {
  column_.least = {};
  column_.least_integers = {};
  column_.constant = constant;
  return finish();
}

void ColumnReader::refuse(std::string problem) {
  if (column_.problem.empty()) column_.problem = std::move(problem);
}

}  // namespace tessera::bind::networks
