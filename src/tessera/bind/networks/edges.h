/// A graph that is columns alone: labels, edges in the order in which they were added, and their attributes.
#pragma once

#include <Python.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tessera/bind/networks/label_table.h"
#include "tessera/bind/networks/network.h"
#include "tessera/routines/networks/edge_rows.h"

namespace tessera::bind::networks {

using routines::networks::EdgeRows;

/// One attribute: a value an edge, kept as numbers while all are of one type of NumPy's.
class EdgeValues {
 public:
  enum class Kind { floats, integers, booleans, objects };

  EdgeValues(Object name, Kind kind) : name_(std::move(name)), kind_(kind) {}

  PyObject* name() const { return name_.get(); }
  Kind kind() const { return kind_; }
  /// Of edge `edge`; null where it has none. `kind()` says which of the three is filled.
  PyObject* object(int64_t edge) const {
    return edge < static_cast<int64_t>(objects_.size()) ? objects_[edge].get() : nullptr;
  }
  double number(int64_t edge) const { return floats_[edge]; }
  int64_t integer(int64_t edge) const { return integers_[edge]; }
  /// A new reference; null where there is none.
  Object value(int64_t edge) const;
  bool has(int64_t edge) const { return kind_ != Kind::objects || object(edge); }

  void put(int64_t edge, PyObject* value);  ///< of objects
  void append(std::span<const double> values) { floats_.insert(floats_.end(), values.begin(), values.end()); }
  void append(std::span<const int64_t> values) { integers_.insert(integers_.end(), values.begin(), values.end()); }
  /// Of objects, drops those from edge `edges` on.
  void cut(int64_t edges) { objects_.resize(std::min<size_t>(objects_.size(), edges)); }
  /// Makes objects of the numbers of the first `edges` edges.
  void become_objects(int64_t edges);

  int traverse(visitproc visit, void* arg) const;
  /// The values of these edges; -1 is an edge without a value.
  EdgeValues gather(std::span<const int64_t> edges) const;

 private:
  Object name_;
  Kind kind_;
  std::vector<double> floats_;
  std::vector<int64_t> integers_;
  std::vector<Object> objects_;
};

class Edges {
 public:
  Edges(bool directed, bool multigraph) : directed_(directed), multigraph_(multigraph) {}

  LabelTable& labels() { return labels_; }
  int64_t edges();                                                     ///< parallel edges each
  int64_t size() const { return static_cast<int64_t>(from_.size()); }  ///< edges that were added, repeated ones each
  bool directed() const { return directed_; }
  bool multigraph() const { return multigraph_; }
  /// Whether the dictionaries were made: nothing is added any more.
  bool closed() const { return closed_; }

  /// Adds nodes without attributes until one is met that only NetworkX can add, which is returned; null at the end.
  Object add_nodes(PyObject* iterator);
  /// The same of edges: pairs, or triples with a dictionary. `attributes` are of all edges that are added.
  Object add_edges(PyObject* iterator, PyObject* attributes);
  /// False where only NetworkX can add it.
  bool add_edge(PyObject* u, PyObject* v, PyObject* attributes);
  /// Adds edges between labels that are whole numbers; their attributes are put or appended after it.
  void add_pairs(std::span<const int64_t> from, std::span<const int64_t> to);
  /// The same of two lists; false, with nothing added, where some cannot be labels.
  bool add_pairs(PyObject* from, PyObject* to);
  /// Takes back all edges from this one on, which were added in one go and may lack attributes.
  void cut(int64_t edges);
  /// The attribute of this name; a new one has no values yet for the edges that are there, so only objects may be new
  /// where some are.
  EdgeValues& values(PyObject* name, EdgeValues::Kind kind);

  /// (nodes, successors, predecessors or None) as NetworkX has them; with `close` nothing is added after it.
  Object dictionaries(bool close);
  std::unique_ptr<Network> network(PyObject* attributes);
  void read_predecessors(Network& network);
  /// Numbers of the ends of each edge as `G.edges` lists them, and the edge itself.
  void list_edges(std::vector<Node>& from, std::vector<Node>& to, std::vector<int64_t>& edges);
  std::span<const EdgeValues> attributes() const { return values_; }
  /// The value that counts of an edge and those that were added over it; -1 where none has one.
  int64_t last_with(const EdgeValues& values, int64_t first);
  /// How many edges of the same pair of nodes were added before each.
  std::vector<int64_t> keys();
  /// The same graph with the edges in the order of `G.edges`, as `G.copy()` adds them.
  std::unique_ptr<Edges> copy();

  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  const EdgeRows& rows();
  void prepare(int64_t more);
  bool put_attributes(PyObject* attributes);
  Object data_of(int64_t first);
  Object row_of(int64_t v, const EdgeRows& rows, std::vector<Object>& data);
  Column column(PyObject* name, PyObject* missing, const EdgeRows& rows);

  bool directed_, multigraph_, closed_ = false;
  LabelTable labels_;
  std::vector<Node> from_, to_;
  std::vector<EdgeValues> values_;
  std::optional<EdgeRows> rows_;  ///< of the edges so far
};

}  // namespace tessera::bind::networks
