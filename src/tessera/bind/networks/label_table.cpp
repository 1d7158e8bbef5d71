#include "tessera/bind/networks/label_table.h"

#include <algorithm>
#include <limits>

#include "tessera/base/error.h"

namespace tessera::bind::networks {

using routines::networks::no_node;
using routines::networks::Node;

LabelTable::LabelTable() : labels_(owned(PyList_New(0))), dictionary_(owned(PyDict_New())) {}

Node LabelTable::find_number(int64_t value) {
  return value >= 0 && value < static_cast<int64_t>(numbers_.size()) ? numbers_[value] : no_node;
}

Node LabelTable::append(PyObject* label, int64_t value, bool into_vector) {
  const int64_t number = size();
  require<NotImplementedError>(number < std::numeric_limits<Node>::max(), "graphs have fewer than 2**31 nodes");
  if (into_vector && value >= static_cast<int64_t>(numbers_.size()))
    numbers_.resize(std::max<size_t>(value + 1, numbers_.size() * 3 / 2), no_node);
  if (Py_REFCNT(labels_.get()) > 1) labels_ = owned(PyList_GetSlice(labels_.get(), 0, number));
  checked(PyList_Append(labels_.get(), label));
  if (into_vector) numbers_[value] = static_cast<Node>(number);
  others_ |= !into_vector;
  counts_ &= into_vector && value == number;
  return static_cast<Node>(number);
}

void LabelTable::fill_dictionary() {
  if (listed_ == size()) return;
  if (Py_REFCNT(dictionary_.get()) > 1) dictionary_ = owned(PyDict_Copy(dictionary_.get()));
  while (listed_ < size()) {
    const Object number = owned(PyLong_FromLongLong(listed_));
    const Object label = Object::borrowed(this->label(listed_));
    checked(PyDict_SetItem(dictionary_.get(), label.get(), number.get()));
    ++listed_;
  }
}

Object LabelTable::dictionary() {
  fill_dictionary();
  return Object::borrowed(dictionary_.get());
}

/// Borrowed; null where it is not there.
PyObject* LabelTable::lookup(PyObject* label) {
  fill_dictionary();
  const Object dictionary = Object::borrowed(dictionary_.get());
  PyObject* number = PyDict_GetItemWithError(dictionary.get(), label);
  if (!number && PyErr_Occurred()) throw ErrorAlreadySet();
  return number;
}

Node LabelTable::find(PyObject* label) {
  if (PyLong_CheckExact(label)) {
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(label, &overflow);
    if (const Node node = overflow ? no_node : find_number(value); node >= 0) return node;
    if (!others_) return no_node;
  }
  PyObject* number = lookup(label);
  return number ? static_cast<Node>(PyLong_AsLongLong(number)) : no_node;
}

Node LabelTable::add(PyObject* label) {
  if (const Node node = find(label); node >= 0) return node;
  int64_t value = -1;
  if (PyLong_CheckExact(label)) {
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(label, &overflow);
    if (overflow) value = -1;
  }
  return append(label, value, in_vector(value));
}

Node LabelTable::add(int64_t label) {
  if (const Node node = find_number(label); node >= 0) return node;
  return add(owned(PyLong_FromLongLong(label)).get());
}

int LabelTable::traverse(visitproc visit, void* arg) const {
  Py_VISIT(labels_.get());
  Py_VISIT(dictionary_.get());
  return 0;
}

LabelTable LabelTable::copy() const {
  LabelTable result;
  result.labels_ = Object::borrowed(labels_.get());
  result.dictionary_ = Object::borrowed(dictionary_.get());
  result.listed_ = listed_;
  result.counts_ = counts_;
  result.others_ = others_;
  result.numbers_ = numbers_;
  return result;
}

}  // namespace tessera::bind::networks
