#include "tessera/bind/networks/column_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::bind::networks {

namespace {

constexpr int64_t exact_in_double = int64_t{1} << 53;

}  // namespace

ColumnReader::ColumnReader(PyObject* name, PyObject* missing, int64_t arcs, bool multigraph) : missing_(missing) {
  column_.name = Object::borrowed(name);
  column_.least.resize(arcs);
  column_.least_integers.resize(arcs);
  if (multigraph) column_.sum.resize(arcs);
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
  column_.booleans &= static_cast<bool>(PyBool_Check(object));
  const bool booleans = column_.booleans;
  const Value value = value_of(integer);
  column_.booleans = booleans;
  return value;
}

Value ColumnReader::value_of(double number) {
  column_.floats = true;
  column_.booleans = false;
  column_.nan |= std::isnan(number);
  return noted({number, 0});
}

Value ColumnReader::value_of(int64_t integer) {
  some_ = true;
  column_.booleans = false;
  if (integer > exact_in_double || integer < -exact_in_double)
    refuse("an edge attribute has whole numbers beyond 2**53, which NetworkX adds exactly");
  return noted({static_cast<double>(integer), integer});
}

Value ColumnReader::noted(Value value) {
  column_.negative |= value.number < 0;
  column_.largest = std::max(column_.largest, std::abs(value.number));
  return value;
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
  column_.mixed = column_.floats && some_;
  if (column_.floats) column_.least_integers = {};
  return std::move(column_);
}

void ColumnReader::refuse(std::string problem) {
  if (column_.problem.empty()) column_.problem = std::move(problem);
}

}  // namespace tessera::bind::networks
