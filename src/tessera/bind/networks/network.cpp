#include "tessera/bind/networks/network.h"

#include <cmath>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/bind/engine/errors.h"

namespace tessera::bind::networks {

Network::Network(Object labels, bool directed, bool multigraph)
    : labels_(std::move(labels)), directed_(directed), multigraph_(multigraph) {}

/// Labels are 0, 1, 2, ...: what equals one of them is that node, whatever its type.
int64_t Network::index_of_number(PyObject* label) const {
  if (PyFloat_Check(label)) {
    const double value = PyFloat_AS_DOUBLE(label);
    const bool whole = value >= 0 && value < static_cast<double>(nodes()) && value == std::floor(value);
    return whole ? static_cast<int64_t>(value) : -1;
  }
  if (PyIndex_Check(label)) {
    const Object whole(PyNumber_Index(label));
    if (whole) {
      int overflow = 0;
      const int64_t value = PyLong_AsLongLongAndOverflow(whole.get(), &overflow);
      return overflow == 0 && value >= 0 && value < nodes() ? value : -1;
    }
    PyErr_Clear();
    return -1;
  }
  if (label == Py_None || PyUnicode_Check(label) || PyTuple_Check(label) || PyObject_Hash(label) == -1) {
    PyErr_Clear();
    return -1;
  }
  const int64_t found = PySequence_Index(labels_.get(), label);
  if (found < 0) PyErr_Clear();
  return found;
}

int64_t Network::index_of(PyObject* label) const {
  if (!index_) return index_of_number(label);
  PyObject* number = PyDict_GetItemWithError(index_.get(), label);
  if (number) return PyLong_AsLongLong(number);
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw ErrorAlreadySet();
  PyErr_Clear();
  return -1;
}

CsrView Network::back() const {
  const std::lock_guard lock(mutex_);
  if (!back_) back_ = std::make_unique<Csr>(routines::networks::transpose(graph(), &back_arcs_));
  return back_->view();
}

std::span<const int64_t> Network::back_arcs() const {
  back();
  return back_arcs_;
}

CsrView Network::incoming() const {
  if (!directed_) return graph();
  return has_predecessors() ? predecessors_.view() : back();
}

CsrView Network::simple() const {
  const CsrView incoming = directed_ ? back() : CsrView{};
  const std::lock_guard lock(mutex_);
  if (!simple_)
    simple_ = std::make_unique<Csr>(directed_ ? routines::networks::join_rows(graph(), incoming)
                                              : routines::networks::simple_rows(graph()));
  return simple_->view();
}

void Column::fill(int64_t arcs) {
  if (!constant || static_cast<int64_t>(least.size()) == arcs) return;
  least.assign(arcs, constant->number);
  if (!floats) least_integers.assign(arcs, constant->integer);
}

Column* Network::search_column(PyObject* name) const {
  for (Column& column : columns_) {
    const int same = PyObject_RichCompareBool(column.name.get(), name, Py_EQ);
    checked(same);
    if (same) return &column;
  }
  return nullptr;
}

const Column* Network::find_column(PyObject* name) const { return search_column(name); }

std::optional<double> Network::constant(PyObject* name) const {
  const Column* column = find_column(name);
  if (!column || !column->constant || !column->problem.empty()) return std::nullopt;
  return column->constant->number;
}

const Column& Network::column(PyObject* name) const {
  Column* column = search_column(name);
  require<NotImplementedError>(column, "the converted graph does not have the edge attribute asked for");
  require<NotImplementedError>(column->problem.empty(), "{}", column->problem);
  column->fill(graph().arcs());
  return *column;
}

int Network::traverse(visitproc visit, void* arg) const {
  Py_VISIT(labels_.get());
  Py_VISIT(index_.get());
  for (const Column& column : columns_) Py_VISIT(column.name.get());
  return 0;
}

/// Nobody asks a graph that is garbage for its labels.
void Network::clear() {
  Object labels(PyList_New(0)), index;
  std::swap(graph_, *std::make_unique<Csr>());
  std::swap(labels_, labels);
  std::swap(index_, index);
}

}  // namespace tessera::bind::networks
