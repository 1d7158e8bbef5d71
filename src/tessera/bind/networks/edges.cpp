#include "tessera/bind/networks/edges.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/networks/column_reader.h"

namespace tessera::bind::networks {

namespace {

/// More attributes than this are kept in dictionaries: columns would be mostly empty.
constexpr size_t most_attributes = 32;

bool can_be_hashed(PyObject* object) {
  if (PyLong_CheckExact(object) || PyUnicode_CheckExact(object)) return true;
  if (PyObject_Hash(object) != -1) return true;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw ErrorAlreadySet();
  PyErr_Clear();
  return false;
}

bool is_label(PyObject* object) { return object != Py_None && can_be_hashed(object); }

}  // namespace

Object EdgeValues::value(int64_t edge) const {
  switch (kind_) {
    case Kind::floats: return owned(PyFloat_FromDouble(floats_[edge]));
    case Kind::integers: return owned(PyLong_FromLongLong(integers_[edge]));
    case Kind::booleans: return Object::borrowed(integers_[edge] ? Py_True : Py_False);
    case Kind::objects: return Object::borrowed(object(edge));
  }
  std::unreachable();
}

void EdgeValues::put(int64_t edge, PyObject* value) {
  objects_.resize(edge + 1);
  objects_[edge] = Object::borrowed(value);
}

void EdgeValues::become_objects(int64_t edges) {
  if (kind_ == Kind::objects) return;
  std::vector<Object> objects(edges);
  for (int64_t e = 0; e < edges; ++e) objects[e] = value(e);
  objects_ = std::move(objects);
  floats_ = {};
  integers_ = {};
  kind_ = Kind::objects;
}

int EdgeValues::traverse(visitproc visit, void* arg) const {
  Py_VISIT(name_.get());
  for (const Object& object : objects_) Py_VISIT(object.get());
  return 0;
}

EdgeValues EdgeValues::gather(std::span<const int64_t> edges) const {
  EdgeValues result(Object::borrowed(name_.get()), kind_);
  for (size_t i = 0; i < edges.size(); ++i) {
    switch (kind_) {
      case Kind::floats: result.floats_.push_back(floats_[edges[i]]); break;
      case Kind::integers:
      case Kind::booleans: result.integers_.push_back(integers_[edges[i]]); break;
      case Kind::objects: result.objects_.push_back(Object::borrowed(edges[i] < 0 ? nullptr : object(edges[i]))); break;
    }
  }
  return result;
}

Object Edges::add_nodes(PyObject* iterator) {
  while (Object label{PyIter_Next(iterator)}) {
    if (closed_ || !is_label(label.get())) return label;
    labels_.add(label.get());
    rows_.reset();
  }
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  return {};
}

Object Edges::add_edges(PyObject* iterator, PyObject* attributes) {
  constexpr int64_t between_signals = 1 << 16;
  while (Object edge{PyIter_Next(iterator)}) {
    if (closed_ || !PyTuple_CheckExact(edge.get())) return edge;
    const Py_ssize_t length = PyTuple_GET_SIZE(edge.get());
    PyObject* own = length == 3 ? PyTuple_GET_ITEM(edge.get(), 2) : nullptr;
    if (length < 2 || length > 3 || (own && !PyDict_CheckExact(own))) return edge;
    PyObject *given = own, *u = PyTuple_GET_ITEM(edge.get(), 0), *v = PyTuple_GET_ITEM(edge.get(), 1);
    Object merged;
    if (PyDict_GET_SIZE(attributes) > 0) {
      merged = owned(PyDict_Copy(attributes));
      if (own) checked(PyDict_Update(merged.get(), own));
      given = merged.get();
    }
    if (!add_edge(u, v, given)) return edge;
    if (size() % between_signals != 0) continue;
    {
      const WithoutGil others_run;
    }
    checked(PyErr_CheckSignals());
  }
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  return {};
}

bool Edges::add_edge(PyObject* u, PyObject* v, PyObject* attributes) {
  if (closed_ || !is_label(u) || !is_label(v)) return false;
  rows_.reset();
  for (EdgeValues& values : values_) values.become_objects(size());
  const Node from = labels_.add(u), to = labels_.add(v);
  if (closed_) return false;  // code of a label's class asked for the dictionaries
  // What may be refused is asked for before the edge has attributes.
  for (std::vector<Node>* ends : {&from_, &to_})
    if (ends->size() == ends->capacity()) ends->reserve(std::max<size_t>(16, 2 * ends->size()));
  if (attributes && PyDict_GET_SIZE(attributes) > 0 && !put_attributes(attributes)) return false;
  from_.push_back(from);
  to_.push_back(to);
  return true;
}

/// Of the next edge. False, with nothing put, where their order is not that of the columns or they are too many.
bool Edges::put_attributes(PyObject* attributes) {
  std::vector<std::pair<size_t, PyObject*>> found;
  Py_ssize_t position = 0;
  PyObject *name, *value;
  std::vector<PyObject*> fresh;
  size_t least = 0;
  while (PyDict_Next(attributes, &position, &name, &value)) {
    size_t place = least;
    while (place < values_.size()) {
      const int same = values_[place].name() == name ? 1 : PyObject_RichCompareBool(values_[place].name(), name, Py_EQ);
      checked(same);
      if (same) break;
      ++place;
    }
    if (place == values_.size()) {
      if (!PyUnicode_CheckExact(name)) return false;
      for (const EdgeValues& values : values_)
        if (PyObject_RichCompareBool(values.name(), name, Py_EQ) != 0) return false;
      fresh.push_back(name);
      place += fresh.size() - 1;
    } else if (!fresh.empty()) {
      return false;
    }
    least = fresh.empty() ? place + 1 : values_.size();
    found.emplace_back(place, value);
  }
  if (values_.size() + fresh.size() > most_attributes) return false;
  for (PyObject* each : fresh) values_.emplace_back(Object::borrowed(each), EdgeValues::Kind::objects);
  for (const auto& [place, each] : found) values_[place].put(size(), each);
  return true;
}

void Edges::add_pairs(std::span<const int64_t> from, std::span<const int64_t> to) {
  prepare(static_cast<int64_t>(from.size()));
  for (size_t e = 0; e < from.size(); ++e) {
    from_.push_back(labels_.add(from[e]));
    to_.push_back(labels_.add(to[e]));
  }
}

bool Edges::add_pairs(PyObject* from, PyObject* to) {
  const Py_ssize_t count = PyList_GET_SIZE(from);
  for (PyObject* labels : {from, to})
    for (Py_ssize_t e = 0; e < count; ++e)
      if (!is_label(PyList_GET_ITEM(labels, e))) return false;
  prepare(count);
  for (Py_ssize_t e = 0; e < count; ++e) {
    const Node first = labels_.add(PyList_GET_ITEM(from, e)), second = labels_.add(PyList_GET_ITEM(to, e));
    from_.push_back(first);
    to_.push_back(second);
  }
  return true;
}

void Edges::prepare(int64_t more) {
  rows_.reset();
  for (EdgeValues& values : values_) values.become_objects(size());
  from_.reserve(from_.size() + more);
  to_.reserve(to_.size() + more);
}

void Edges::cut(int64_t edges) {
  rows_.reset();
  from_.resize(edges);
  to_.resize(edges);
  std::erase_if(values_, [&](const EdgeValues& values) { return values.kind() != EdgeValues::Kind::objects; });
  for (EdgeValues& values : values_) values.cut(edges);
}

EdgeValues& Edges::values(PyObject* name, EdgeValues::Kind kind) {
  for (EdgeValues& values : values_) {
    const int same = PyObject_RichCompareBool(values.name(), name, Py_EQ);
    checked(same);
    if (same) return values;
  }
  return values_.emplace_back(Object::borrowed(name), kind);
}

const EdgeRows& Edges::rows() {
  if (!rows_) rows_ = routines::networks::rows_of_edges(labels_.size(), from_, to_, !directed_);
  return *rows_;
}

int64_t Edges::edges() {
  if (multigraph_) return size();
  const EdgeRows& rows = this->rows();
  if (directed_) return rows.rows.view().arcs();
  int64_t loops = 0;
  for (int64_t v = 0; v < labels_.size(); ++v)
    for (const Node target : rows.rows.view().row(v)) loops += target == v;
  return (rows.rows.view().arcs() + loops) / 2;
}

int64_t Edges::last_with(const EdgeValues& values, int64_t first) {
  const std::vector<int64_t>& next = rows().next;
  int64_t found = values.has(first) ? first : -1;
  if (next.empty() || multigraph_) return found;
  for (int64_t e = next[first]; e >= 0; e = next[e])
    if (values.has(e)) found = e;
  return found;
}

Column Edges::column(PyObject* name, PyObject* missing, const EdgeRows& rows) {
  const CsrView graph = rows.rows.view();
  ColumnReader reader(name, missing, graph.arcs(), multigraph_);
  const EdgeValues* values = nullptr;
  for (const EdgeValues& each : values_) {
    const int same = PyObject_RichCompareBool(each.name(), name, Py_EQ);
    checked(same);
    if (same) values = &each;
  }
  const auto read = [&](int64_t edge) {
    if (!values || edge < 0) return reader.value_of(static_cast<PyObject*>(nullptr));
    switch (values->kind()) {
      case EdgeValues::Kind::floats: return reader.value_of(values->number(edge));
      case EdgeValues::Kind::integers: return reader.value_of(values->integer(edge));
      case EdgeValues::Kind::booleans:
      case EdgeValues::Kind::objects: break;
    }
    return reader.value_of(values->value(edge).get());
  };
  for (int64_t a = 0; a < graph.arcs(); ++a) {
    const int64_t first = rows.first[a];
    if (!multigraph_) {
      reader.set(a, read(values ? last_with(*values, first) : -1));
      continue;
    }
    reader.add(a, read(first), true);
    if (rows.next.empty()) continue;
    for (int64_t e = rows.next[first]; e >= 0; e = rows.next[e]) reader.add(a, read(e), false);
  }
  return reader.finish();
}

std::unique_ptr<Network> Edges::network(PyObject* attributes) {
  const EdgeRows& rows = this->rows();
  auto network = std::make_unique<Network>(Object::borrowed(labels_.labels()), directed_, multigraph_);
  if (!labels_.counts()) network->index_ = labels_.dictionary();
  network->graph_ = rows.rows;
  network->edges_ = edges();
  const CsrView graph = rows.rows.view();
  if (multigraph_) network->multiplicity_.resize(graph.arcs(), 1);
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      if (multigraph_ && !rows.next.empty())
        for (int64_t e = rows.next[rows.first[a]]; e >= 0; e = rows.next[e]) ++network->multiplicity_[a];
      if (graph.targets[a] == v) network->loops_ += multigraph_ ? network->multiplicity_[a] : 1;
    }
  }
  if (attributes == Py_None) return network;
  Py_ssize_t position = 0;
  PyObject *name, *missing;
  while (PyDict_Next(attributes, &position, &name, &missing)) network->columns_.push_back(column(name, missing, rows));
  return network;
}

void Edges::read_predecessors(Network& network) {
  network.predecessors_ = routines::networks::rows_of_edges(labels_.size(), to_, from_, false).rows;
}

void Edges::list_edges(std::vector<Node>& from, std::vector<Node>& to, std::vector<int64_t>& edges) {
  const EdgeRows& rows = this->rows();
  const CsrView graph = rows.rows.view();
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      if (!directed_ && graph.targets[a] < v) continue;
      for (int64_t e = rows.first[a]; e >= 0; e = multigraph_ && !rows.next.empty() ? rows.next[e] : -1) {
        from.push_back(static_cast<Node>(v));
        to.push_back(graph.targets[a]);
        edges.push_back(e);
      }
    }
  }
}

std::vector<int64_t> Edges::keys() {
  const std::vector<int64_t>& next = rows().next;
  std::vector<int64_t> result(size());
  for (size_t e = 0; e < next.size(); ++e)
    if (next[e] >= 0) result[next[e]] = result[e] + 1;
  return result;
}

std::unique_ptr<Edges> Edges::copy() {
  auto result = std::make_unique<Edges>(directed_, multigraph_);
  result->labels_ = labels_.copy();
  std::vector<int64_t> first;
  list_edges(result->from_, result->to_, first);
  for (const EdgeValues& values : values_) {
    std::vector<int64_t> last(first.size());
    for (size_t i = 0; i < first.size(); ++i) last[i] = last_with(values, first[i]);
    result->values_.push_back(values.gather(last));
  }
  return result;
}

int Edges::traverse(visitproc visit, void* arg) const {
  for (const EdgeValues& values : values_)
    if (const int stop = values.traverse(visit, arg)) return stop;
  return labels_.traverse(visit, arg);
}

void Edges::clear() {
  closed_ = true;
  LabelTable labels;
  std::vector<EdgeValues> values;
  from_.clear();
  to_.clear();
  rows_.reset();
  std::swap(labels_, labels);
  values_.swap(values);
}

}  // namespace tessera::bind::networks
