#include "tessera/bind/networks/walked_components.h"

#include <utility>
#include <vector>

#include "tessera/bind/networks/plain_labels.h"

namespace tessera::bind::networks {

using routines::networks::Forest;
using routines::networks::Node;

namespace {

/// Joins nodes with the labels in their rows, many together, so that the objects are fetched before they are read.
class RowJoiner {
 public:
  RowJoiner(const PlainLabels& labels, Forest& forest) : labels_(labels), forest_(forest) {}

  void add(int64_t node, PyObject* label) {
    __builtin_prefetch(label);
    __builtin_prefetch(reinterpret_cast<const char*>(label) + 24);
    pairs_.emplace_back(static_cast<Node>(node), label);
  }

  /// Joins what was added, if that is enough. False where a label is not plain.
  bool join(size_t enough) {
    if (pairs_.size() < enough) return true;
    for (const auto& [node, label] : pairs_) {
      const Node other = labels_.find(label);
      if (other < 0) return false;
      forest_.join(node, other);
    }
    pairs_.clear();
    return true;
  }

 private:
  const PlainLabels& labels_;
  Forest& forest_;
  std::vector<std::pair<Node, PyObject*>> pairs_;
};

void fetch_keys(PyObject* row) { __builtin_prefetch(reinterpret_cast<PyDictObject*>(row)->ma_keys); }

bool join_first_arcs(const std::vector<PyObject*>& rows, RowJoiner& joiner) {
  constexpr size_t ahead = 16;
  for (size_t v = 0; v < rows.size(); ++v) {
    if (v + ahead < rows.size()) fetch_keys(rows[v + ahead]);
    Py_ssize_t at = 0;
    PyObject* label;
    for (int64_t k = 0; k < Forest::first_arcs && PyDict_Next(rows[v], &at, &label, nullptr); ++k)
      joiner.add(static_cast<int64_t>(v), label);
    if (!joiner.join(512)) return false;
  }
  return joiner.join(0);
}

bool join_other_rows(const std::vector<PyObject*>& rows, RowJoiner& joiner, Forest& forest) {
  const Node largest = rows.empty() ? 0 : forest.likely_largest();
  for (size_t v = 0; v < rows.size(); ++v) {
    if (PyDict_GET_SIZE(rows[v]) <= Forest::first_arcs || forest.are_joined(static_cast<Node>(v), largest)) continue;
    Py_ssize_t at = 0;
    PyObject* label;
    while (PyDict_Next(rows[v], &at, &label, nullptr)) joiner.add(static_cast<int64_t>(v), label);
    if (!joiner.join(512)) return false;
  }
  return joiner.join(0);
}

}  // namespace

std::optional<WalkedComponents> walk_components(PyObject* adjacency) {
  if (!PyDict_CheckExact(adjacency)) return std::nullopt;
  WalkedComponents result{.labels = owned(PySequence_List(adjacency)), .components = {}};
  std::vector<PyObject*> rows;
  Py_ssize_t position = 0;
  PyObject *label, *row;
  bool counts = true;
  for (int64_t v = 0; PyDict_Next(adjacency, &position, &label, &row); ++v) {
    if (!PyDict_CheckExact(row)) return std::nullopt;
    counts = counts && plain_integer(label) == v;
    rows.push_back(row);
  }
  PlainLabels labels;
  if (!labels.fill(result.labels.get(), counts)) return std::nullopt;
  Forest forest(static_cast<int64_t>(rows.size()));
  RowJoiner joiner(labels, forest);
  if (!join_first_arcs(rows, joiner) || !join_other_rows(rows, joiner, forest)) return std::nullopt;
  result.components = routines::networks::components_by_label(forest.labels());
  return result;
}

}  // namespace tessera::bind::networks
