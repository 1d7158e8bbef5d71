/// A NetworkX graph as columns: labels, rows of neighbours, weights. Immutable once converted.
#pragma once

#include <Python.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/bind/array/object.h"
#include "tessera/graph/array.h"
#include "tessera/routines/networks/csr.h"

namespace tessera::bind::networks {

using routines::networks::Csr;
using routines::networks::CsrView;
using routines::networks::Node;

/// A number that was read from an attribute.
struct Value {
  double number = 0;
  int64_t integer = 0;
};

/// Leaves new elements as memory is, so that the threads that fill them touch it first.
template <class T>
struct Unset : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = Unset<Other>;
  };
  template <class Other>
  void construct(Other*) noexcept {}
  template <class Other, class First, class... More>
  void construct(Other* place, First&& first, More&&... more) {
    std::construct_at(place, std::forward<First>(first), std::forward<More>(more)...);
  }
};
template <class T>
using Elements = std::vector<T, Unset<T>>;

/// One edge attribute as numbers, one an arc. Of parallel edges there are the least and the sum.
struct Column {
  Object name;
  Elements<double> least, sum;
  Elements<int64_t> least_integers;  ///< where all values are whole numbers
  std::optional<Value> constant;     ///< of all arcs; then there are no elements before fill()
  bool floats = false;               ///< whether any value is no whole number's
  bool mixed = false;                ///< whether others are
  bool nan = false, negative = false;
  bool booleans = true;  ///< whether all values are True or False
  double largest = 0;    ///< of the absolute values
  std::string problem;   ///< why the values cannot be used, in words; empty where they can

  /// Makes the elements of a column of one constant.
  void fill(int64_t arcs);
};

class Network {
 public:
  Network(Object labels, bool directed, bool multigraph);

  int64_t nodes() const { return static_cast<int64_t>(PyList_GET_SIZE(labels_.get())); }
  bool directed() const { return directed_; }
  bool multigraph() const { return multigraph_; }
  /// Edges of undirected graphs count once, parallel ones each.
  int64_t edges() const { return edges_; }
  int64_t loops() const { return loops_; }
  PyObject* labels() const { return labels_.get(); }
  /// Borrowed.
  PyObject* label(int64_t node) const { return PyList_GET_ITEM(labels_.get(), node); }
  /// The number of a label, or -1; labels that cannot be hashed are in no graph.
  int64_t index_of(PyObject* label) const;

  /// Distinct neighbours in the order of the dictionaries.
  CsrView graph() const { return graph_.view(); }
  /// How many parallel edges each arc stands for; empty where there are none.
  std::span<const int64_t> multiplicity() const { return multiplicity_; }
  /// The arcs reversed, by increasing source, and the number of each in graph(). Undirected graphs have theirs, too.
  CsrView back() const;
  std::span<const int64_t> back_arcs() const;
  /// The arcs reversed, in the order of the dictionaries once read_predecessors was called. For undirected graphs
  /// graph().
  CsrView incoming() const;
  /// Reads the rows of `adjacency`, which is G._pred.
  void read_predecessors(PyObject* adjacency);
  bool has_predecessors() const { return !directed_ || predecessors_.offsets.size() > 1 || nodes() == 0; }
  /// Sorted rows without loops, of a directed graph with the arcs of both directions.
  CsrView simple() const;

  /// The values of an attribute that was converted; null where it was not.
  const Column* find_column(PyObject* name) const;
  /// The same, raising NotImplementedError where the values are no numbers or NaN.
  const Column& column(PyObject* name) const;
  /// What all arcs have, where that is known and the values can be used: then the column needs no elements.
  std::optional<double> constant(PyObject* name) const;

  /// An array of these elements, kept with the graph: elements that stay where they are, or that follow from them as
  /// `tag` says. `make` gives them when they are asked for first.
  template <class Make>
  Array kept_array(const void* elements, int tag, Make make) const {
    for (const KeptArray& kept : arrays_)
      if (kept.elements == elements && kept.tag == tag) return kept.array;
    Array made = make();
    arrays_.push_back({elements, tag, made});
    return made;
  }

  /// For Python's collector of garbage.
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  Column* search_column(PyObject* name) const;
  friend class Converter;
  friend class Edges;
  int64_t index_of_number(PyObject* label) const;

  Object labels_, index_;  ///< index_: label to number; null where labels are 0, 1, 2, ...
  bool directed_, multigraph_;
  int64_t edges_ = 0, loops_ = 0;
  Csr graph_, predecessors_;
  std::vector<int64_t> multiplicity_;
  mutable std::vector<Column> columns_;  // the interpreter's lock is held
  mutable Mutex mutex_;
  mutable std::unique_ptr<Csr> back_, simple_;
  mutable std::vector<int64_t> back_arcs_;
  struct KeptArray {
    const void* elements;
    int tag;
    Array array;
  };
  mutable std::vector<KeptArray> arrays_;  // the interpreter's lock is held
};

/// Reads `adjacency`, a dictionary of dictionaries as G._adj; `attributes` is a dictionary from names to defaults, or
/// None.
std::unique_ptr<Network> convert(PyObject* adjacency, bool directed, bool multigraph, PyObject* attributes);

}  // namespace tessera::bind::networks
