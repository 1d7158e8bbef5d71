#include <limits>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/networks/column_reader.h"
#include "tessera/bind/networks/network.h"
#include "tessera/bind/networks/plain_labels.h"
#include "tessera/bind/networks/plain_rows.h"

namespace tessera::bind::networks {

namespace {

/// Node numbers by the address of the label object: most keys of inner dictionaries are the very objects of the outer
/// one.
class AddressTable {
 public:
  explicit AddressTable(int64_t nodes) {
    size_t size = 64;
    while (size < 4 * static_cast<size_t>(nodes)) size *= 2;
    entries_.resize(size);
  }

  /// The number of an address, or -1.
  Node find(PyObject* object) const {
    for (size_t at = place(object);; at = (at + 1) & (entries_.size() - 1)) {
      if (entries_[at].object == object) return entries_[at].node;
      if (!entries_[at].object) return -1;
    }
  }

  void add(PyObject* object, Node node) {
    if (2 * ++count_ > entries_.size()) return;  // further addresses are looked up as labels
    size_t at = place(object);
    while (entries_[at].object) at = (at + 1) & (entries_.size() - 1);
    entries_[at] = {object, node};
  }

 private:
  struct Entry {
    PyObject* object = nullptr;
    Node node = -1;
  };

  size_t place(PyObject* object) const {
    return (reinterpret_cast<uintptr_t>(object) * 0x9E3779B97F4A7C15ULL >> 24) & (entries_.size() - 1);
  }

  std::vector<Entry> entries_;
  size_t count_ = 0;
};

}  // namespace

/// Walks the dictionaries once for the sizes of rows and once for their entries.
class Converter {
 public:
  Converter(PyObject* adjacency, bool directed, bool multigraph, PyObject* attributes) : adjacency_(adjacency) {
    require<TypeError>(PyDict_Check(adjacency), "the adjacency of a graph must be a dictionary");
    network_ = std::make_unique<Network>(owned(PySequence_List(adjacency)), directed, multigraph);
    require<NotImplementedError>(network_->nodes() < std::numeric_limits<Node>::max(),
                                 "graphs have fewer than 2**31 nodes");
    number_labels();
    size_rows();
    if (attributes == Py_None) return;
    Py_ssize_t position = 0;
    PyObject *name, *missing;
    while (PyDict_Next(attributes, &position, &name, &missing))
      readers_.emplace_back(name, missing, static_cast<int64_t>(network_->graph_.targets.size()), multigraph);
  }

  std::unique_ptr<Network> run() {
    Network& network = *network_;
    if (!read_plain()) {
      AddressTable table(network.index_ ? network.nodes() : 0);
      if (network.index_)
        for (int64_t v = 0; v < network.nodes(); ++v) table.add(network.label(v), static_cast<Node>(v));
      if (network.multigraph_) network.multiplicity_.resize(network.graph_.targets.size());
      read_rows(table);
      for (ColumnReader& reader : readers_) network.columns_.push_back(reader.finish());
    }
    if (!network.directed_) network.edges_ = (network.edges_ - network.loops_) / 2 + network.loops_;
    return std::move(network_);
  }

 private:
  void number_labels() {
    const int64_t nodes = network_->nodes();
    int64_t v = 0;
    for (; v < nodes; ++v) {
      PyObject* label = network_->label(v);
      if (!PyLong_CheckExact(label)) break;
      int overflow = 0;
      if (PyLong_AsLongLongAndOverflow(label, &overflow) != v || overflow) break;
    }
    if (v == nodes) return;
    network_->index_ = owned(PyDict_New());
    for (v = 0; v < nodes; ++v) {
      const Object number = owned(PyLong_FromLongLong(v));
      checked(PyDict_SetItem(network_->index_.get(), network_->label(v), number.get()));
    }
  }

  void size_rows() {
    auto& [offsets, targets] = network_->graph_;
    offsets.reserve(network_->nodes() + 1);
    Py_ssize_t position = 0;
    PyObject *label, *row;
    rows_.reserve(network_->nodes());
    while (PyDict_Next(adjacency_, &position, &label, &row)) {
      __builtin_prefetch(row);
      rows_.push_back(row);
    }
    for (PyObject* each : rows_) {
      require<NotImplementedError>(PyDict_Check(each), "the neighbours of a node are not in a dictionary");
      offsets.push_back(offsets.back() + PyDict_GET_SIZE(each));
    }
    require<RuntimeError>(offsets.size() == static_cast<size_t>(network_->nodes()) + 1,
                          "the graph changed while it was converted");
    targets.resize(offsets.back());
  }

  Node number_of(PyObject* label, AddressTable& table) {
    if (!network_->index_) {
      if (PyLong_CheckExact(label)) {
        int overflow = 0;
        const int64_t value = PyLong_AsLongLongAndOverflow(label, &overflow);
        if (overflow == 0 && value >= 0 && value < network_->nodes()) return static_cast<Node>(value);
      }
    } else if (const Node node = table.find(label); node >= 0) {
      return node;
    }
    const int64_t node = network_->index_of(label);
    require<ValueError>(node >= 0, "the graph has a neighbour that is none of its nodes");
    if (network_->index_) table.add(label, static_cast<Node>(node));
    return static_cast<Node>(node);
  }

  /// An entry of an inner dictionary, and the node it belongs to. It owns both: looking labels up may run code of their
  /// classes, which may change the graph.
  struct Entry {
    int64_t node;
    Object label, data;
  };

  /// On all threads, where all objects are Python's own.
  bool read_plain() {
    Network& network = *network_;
    PlainLabels labels;
    if (network.multigraph_ || !labels.fill(network.labels(), !network.index_)) return false;
    if (!read_plain_rows(rows_, labels, network.graph_, readers_, network.columns_)) return false;
    const CsrView graph = network.graph();
    network.edges_ = graph.arcs();
    for (int64_t v = 0; v < graph.nodes(); ++v)
      for (const Node target : graph.row(v)) network.loops_ += target == v;
    return true;
  }

  /// Collects entries of many rows before it looks into their objects, which are anywhere in memory: by then they have
  /// been fetched.
  void read_rows(AddressTable& table) {
    constexpr size_t together = 256;
    const bool looks = network_->multigraph_ || !readers_.empty();
    std::vector<Entry> entries;
    Py_ssize_t position = 0;
    PyObject *label, *row;
    for (int64_t v = 0; PyDict_Next(adjacency_, &position, &label, &row); ++v) {
      Py_ssize_t at = 0;
      PyObject *other, *data;
      while (PyDict_Next(row, &at, &other, &data)) {
        if (!network_->index_) __builtin_prefetch(reinterpret_cast<const char*>(other) + sizeof(PyObject));
        if (looks) __builtin_prefetch(reinterpret_cast<const char*>(data) + sizeof(PyObject));
        entries.push_back({v, Object::borrowed(other), Object::borrowed(data)});
      }
      if (entries.size() < together) continue;
      for (const Entry& entry : entries) read_entry(entry, table);
      entries.clear();
    }
    for (const Entry& entry : entries) read_entry(entry, table);
  }

  void read_entry(const Entry& entry, AddressTable& table) {
    Network& network = *network_;
    const int64_t node = entry.node;
    PyObject *label = entry.label.get(), *data = entry.data.get();
    const int64_t arc = next_++;
    require<RuntimeError>(arc < static_cast<int64_t>(network.graph_.targets.size()),
                          "the graph changed while it was converted");
    const Node target = number_of(label, table);
    network.graph_.targets[arc] = target;
    int64_t parallel = 1;
    if (network.multigraph_ || !readers_.empty())
      require<NotImplementedError>(PyDict_Check(data), "the attributes of an edge are not in a dictionary");
    if (network.multigraph_) parallel = network.multiplicity_[arc] = PyDict_GET_SIZE(data);
    network.edges_ += parallel;
    if (target == node) network.loops_ += parallel;
    for (ColumnReader& reader : readers_)
      network.multigraph_ ? read_parallel(reader, arc, data) : reader.set(arc, reader.value_in(data));
  }

  static void read_parallel(ColumnReader& reader, int64_t arc, PyObject* edges) {
    Py_ssize_t position = 0;
    PyObject *key, *data;
    for (bool first = true; PyDict_Next(edges, &position, &key, &data); first = false)
      reader.add(arc, reader.value_in(data), first);
  }

  PyObject* adjacency_;
  std::vector<PyObject*> rows_;  ///< borrowed; not used any more once code of classes may have run
  int64_t next_ = 0;             ///< arcs read so far
  std::unique_ptr<Network> network_;
  std::vector<ColumnReader> readers_;
};

void Network::read_predecessors(PyObject* adjacency) {
  Csr rows;
  AddressTable table(index_ ? nodes() : 0);
  if (index_)
    for (int64_t v = 0; v < nodes(); ++v) table.add(label(v), static_cast<Node>(v));
  Py_ssize_t position = 0;
  PyObject *key, *row;
  while (PyDict_Next(adjacency, &position, &key, &row)) {
    require<NotImplementedError>(PyDict_Check(row), "the predecessors of a node are not in a dictionary");
    Py_ssize_t at = 0;
    PyObject *source, *data;
    while (PyDict_Next(row, &at, &source, &data)) {
      Node node = index_ ? table.find(source) : -1;
      if (node < 0) node = static_cast<Node>(index_of(source));
      require<ValueError>(node >= 0, "the graph has a predecessor that is none of its nodes");
      rows.targets.push_back(node);
    }
    rows.offsets.push_back(static_cast<int64_t>(rows.targets.size()));
  }
  require<RuntimeError>(rows.view().nodes() == nodes() && rows.targets.size() == graph_.targets.size(),
                        "the predecessors of a graph do not match its successors");
  predecessors_ = std::move(rows);
}

std::unique_ptr<Network> convert(PyObject* adjacency, bool directed, bool multigraph, PyObject* attributes) {
  return Converter(adjacency, directed, multigraph, attributes).run();
}

}  // namespace tessera::bind::networks
