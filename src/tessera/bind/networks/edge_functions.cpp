// Graphs that are columns alone, as Python's classes of graphs use them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "tessera/base/error.h"
#include "tessera/bind/networks/edges.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

namespace {

/// The memory of an array of 64-bit numbers.
class Numbers {
 public:
  explicit Numbers(nb::handle array) {
    checked(PyObject_GetBuffer(array.ptr(), &view_, PyBUF_CONTIG_RO));
    if (view_.itemsize != 8) {
      PyBuffer_Release(&view_);
      throw TypeError("expected an array of 64-bit numbers");
    }
  }
  ~Numbers() { PyBuffer_Release(&view_); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  template <class Number>
  std::span<const Number> as() const {
    return {static_cast<const Number*>(view_.buf), static_cast<size_t>(view_.len / 8)};
  }

 private:
  Py_buffer view_;
};

EdgeValues::Kind kind_of(const std::string& name) {
  using enum EdgeValues::Kind;
  return name == "f" ? floats : name == "b" ? booleans : name == "O" ? objects : integers;
}

/// Puts the values of the edges from `first` on; `kind` is the letter of NumPy's kind of type, or "O" for a list.
void add_values(Edges& edges, nb::handle name, const std::string& kind, nb::handle data, int64_t first) {
  EdgeValues& values = edges.values(name.ptr(), first == 0 ? kind_of(kind) : EdgeValues::Kind::objects);
  if (kind == "O") {
    values.become_objects(first);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(data.ptr()); ++i) values.put(first + i, PyList_GET_ITEM(data.ptr(), i));
    return;
  }
  const Numbers numbers(data);
  if (values.kind() == EdgeValues::Kind::objects) {
    EdgeValues fresh(Object::borrowed(name.ptr()), kind_of(kind));
    kind == "f" ? fresh.append(numbers.as<double>()) : fresh.append(numbers.as<int64_t>());
    const auto count = static_cast<int64_t>(numbers.as<double>().size());
    for (int64_t i = 0; i < count; ++i) values.put(first + i, fresh.value(i).get());
  } else if (kind == "f") {
    values.append(numbers.as<double>());
  } else {
    values.append(numbers.as<int64_t>());
  }
}

bool add_columns(Edges& edges, nb::handle from, nb::handle to, nb::list attributes, int64_t first) {
  if (PyList_Check(from.ptr())) {
    if (!edges.add_pairs(from.ptr(), to.ptr())) return false;
  } else {
    const Numbers sources(from), targets(to);
    edges.add_pairs(sources.as<int64_t>(), targets.as<int64_t>());
  }
  for (nb::handle each : attributes)
    add_values(edges, each[0], nb::cast<std::string>(nb::object(each[1])), nb::object(each[2]), first);
  return true;
}

/// Edges between two arrays or two lists of labels, with attributes as tuples (name, kind, data). False, with nothing
/// added, where some labels are none.
bool add_all_columns(Edges& edges, nb::handle from, nb::handle to, nb::list attributes) {
  require<ValueError>(!edges.closed(), "the graph has dictionaries");
  const int64_t first = edges.size();
  try {
    return add_columns(edges, from, to, attributes, first);
  } catch (...) {
    edges.cut(first);
    throw;
  }
}

nb::bytes bytes_of(const void* data, size_t size) { return nb::bytes(static_cast<const char*>(data), size); }

/// Ends of edges as lists of labels, or as bytes of numbers where labels are 0, 1, 2, ..., and attributes as tuples
/// (name, kind, bytes or list); a missing value is NaN.
nb::tuple list_columns(Edges& edges) {
  std::vector<Node> from, to;
  std::vector<int64_t> chosen;
  edges.list_edges(from, to, chosen);
  const auto ends = [&](const std::vector<Node>& nodes) -> nb::object {
    if (edges.labels().counts()) {
      const std::vector<int64_t> numbers(nodes.begin(), nodes.end());
      return bytes_of(numbers.data(), numbers.size() * sizeof(int64_t));
    }
    nb::list labels;
    for (const Node node : nodes) checked(PyList_Append(labels.ptr(), edges.labels().label(node)));
    return labels;
  };
  const Object nan = owned(PyFloat_FromDouble(Py_NAN));
  nb::list attributes;
  for (const EdgeValues& values : edges.attributes()) {
    using enum EdgeValues::Kind;
    if (values.kind() == floats) {
      std::vector<double> numbers;
      for (const int64_t edge : chosen) numbers.push_back(values.number(edges.last_with(values, edge)));
      attributes.append(nb::make_tuple(nb::borrow(values.name()), "f", bytes_of(numbers.data(), numbers.size() * 8)));
      continue;
    }
    if (values.kind() == integers) {
      std::vector<int64_t> numbers;
      for (const int64_t edge : chosen) numbers.push_back(values.integer(edges.last_with(values, edge)));
      attributes.append(nb::make_tuple(nb::borrow(values.name()), "i", bytes_of(numbers.data(), numbers.size() * 8)));
      continue;
    }
    nb::list column;
    bool some = false;
    for (const int64_t edge : chosen) {
      const int64_t last = edges.last_with(values, edge);
      some |= last >= 0;
      const Object value = last < 0 ? Object::borrowed(nan.get()) : values.value(last);
      checked(PyList_Append(column.ptr(), value.get()));
    }
    if (some) attributes.append(nb::make_tuple(nb::borrow(values.name()), "O", column));
  }
  return nb::make_tuple(ends(from), ends(to), attributes);
}

int visit_edges(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Edges>(self)->traverse(visit, arg) : 0;
}

int clear_edges(PyObject* self) {
  nb::inst_ptr<Edges>(self)->clear();
  return 0;
}

PyType_Slot slots_of_edges[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_edges)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear_edges)},
                                {0, nullptr}};

/// A tuple with the element that was not added, if any.
nb::object rest(const Object& element) {
  return element ? nb::object(nb::make_tuple(nb::borrow(element.get()))) : nb::object(nb::make_tuple());
}

/// The key of each edge among the parallel ones.
nb::list keys(Edges& edges) {
  const std::vector<int64_t> numbers = edges.keys();
  nb::list result;
  for (const int64_t number : numbers) result.append(number);
  return result;
}

}  // namespace

void bind_edges(nb::module_& m) {
  nb::class_<Edges>(m, "Edges", nb::type_slots(slots_of_edges))
      .def(nb::init<bool, bool>(), nb::arg("directed"), nb::arg("multigraph"))
      .def("__len__", [](Edges& edges) { return edges.labels().size(); })
      .def(
          "__contains__", [](Edges& edges, nb::handle label) { return edges.labels().find(label.ptr()) >= 0; },
          nb::arg().none())
      .def_prop_ro("labels", [](Edges& edges) { return nb::borrow(edges.labels().labels()); })
      .def_prop_ro("edges", &Edges::edges, "How many edges, parallel ones each.")
      .def_prop_ro("size", &Edges::size, "How many edges were added, repeated ones each.")
      .def(
          "add_nodes", [](Edges& edges, nb::handle iterator) { return rest(edges.add_nodes(iterator.ptr())); },
          "Adds nodes up to one that only NetworkX can add, which is returned in a tuple.")
      .def(
          "add_edges",
          [](Edges& edges, nb::handle iterator, nb::dict attributes) {
            return rest(edges.add_edges(iterator.ptr(), attributes.ptr()));
          },
          "The same of edges; the dictionary has attributes of all.")
      .def(
          "add_edge",
          [](Edges& edges, nb::handle u, nb::handle v, nb::dict attributes) {
            return edges.add_edge(u.ptr(), v.ptr(), attributes.ptr());
          },
          nb::arg().none(), nb::arg().none(), nb::arg(), "False where only NetworkX can add it.")
      .def("keys", &keys, "Of each edge that was added, its key among the parallel ones.")
      .def("add_columns", &add_all_columns)
      .def("list_columns", &list_columns)
      .def(
          "dictionaries", [](Edges& edges, bool close) { return nb::steal(edges.dictionaries(close).release()); },
          "Nodes, successors and predecessors (None in undirected graphs), as NetworkX has them.")
      .def(
          "network", [](Edges& edges, nb::handle attributes) { return edges.network(attributes.ptr()); },
          nb::arg("attributes").none())
      .def("read_predecessors", &Edges::read_predecessors)
      .def("copy", &Edges::copy);
}

}  // namespace tessera::bind::networks
