// NetworkX's dictionaries made of columns.
#include "tessera/bind/networks/edges.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

/// The attributes of an edge and of those that were added over it, or in multigraphs the dictionary of parallel ones.
Object Edges::data_of(int64_t first) {
  const std::vector<int64_t>& next = rows_->next;
  const auto attributes_of = [&](int64_t edge) {
    Object data = owned(PyDict_New());
    for (const EdgeValues& values : values_) {
      const int64_t from = last_with(values, edge);
      if (from < 0) continue;
      const Object value = values.value(from);
      checked(PyDict_SetItem(data.get(), values.name(), value.get()));
    }
    return data;
  };
  if (!multigraph_) return attributes_of(first);
  Object keys = owned(PyDict_New());
  int64_t key = 0;
  for (int64_t e = first; e >= 0; e = next.empty() ? -1 : next[e]) {
    const Object number = owned(PyLong_FromLongLong(key++));
    const Object data = attributes_of(e);
    checked(PyDict_SetItem(keys.get(), number.get(), data.get()));
  }
  return keys;
}

/// `data` has what was made of each edge: both ends of an edge, and both directions, have the same dictionary.
Object Edges::row_of(int64_t v, const EdgeRows& rows, std::vector<Object>& data) {
  const CsrView graph = rows.rows.view();
  Object row = new_dictionary(graph.degree(v));
  for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
    Object& each = data[rows.first[a]];
    if (!each) each = data_of(rows.first[a]);
    checked(PyDict_SetItem(row.get(), labels_.label(graph.targets[a]), each.get()));
  }
  return row;
}

Object Edges::dictionaries(bool close) {
  const EdgeRows& rows = this->rows();
  // Code of the classes of labels may run meanwhile, and must not add edges.
  struct Closed {
    bool& closed;
    bool after;
    ~Closed() { closed = after; }
  } closing{closed_, closed_};
  closed_ = true;
  // Millions of new dictionaries, none of which is garbage, would have Python look for garbage again and again.
  struct Collecting {
    const bool before = PyGC_Disable() != 0;
    ~Collecting() {
      if (before) PyGC_Enable();
    }
  } collecting;
  std::vector<Object> data(size());
  const auto fill = [&](const EdgeRows& from) {
    Object adjacency = new_dictionary(labels_.size());
    for (int64_t v = 0; v < labels_.size(); ++v) {
      const Object row = row_of(v, from, data);
      checked(PyDict_SetItem(adjacency.get(), labels_.label(v), row.get()));
    }
    return adjacency;
  };
  const Object successors = fill(rows);
  const Object predecessors = directed_ ? fill(routines::networks::rows_of_edges(labels_.size(), to_, from_, false))
                                        : Object::borrowed(Py_None);
  const Object nodes = new_dictionary(labels_.size());
  for (int64_t v = 0; v < labels_.size(); ++v) {
    const Object none = owned(PyDict_New());
    checked(PyDict_SetItem(nodes.get(), labels_.label(v), none.get()));
  }
  Object result = owned(PyTuple_Pack(3, nodes.get(), successors.get(), predecessors.get()));
  closing.after |= close;
  return result;
}

}  // namespace tessera::bind::networks
