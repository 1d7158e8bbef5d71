#include "tessera/bind/networks/plain_rows.h"

#include <algorithm>
#include <atomic>

#include "tessera/runtime/host/threads.h"

namespace tessera::bind::networks {

namespace {

/// Entries whose objects are fetched together before the first is looked into, and arcs of a piece of work.
constexpr size_t together = 512;
constexpr int64_t arcs_of_piece = 16384;
/// Dictionaries with more attributes are looked up, not gone through.
constexpr Py_ssize_t most_row_attributes = 16;

void fetch(const void* address) { __builtin_prefetch(address); }

/// Small objects lie across two lines as often as not.
void fetch_object(PyObject* object) {
  fetch(object);
  fetch(reinterpret_cast<const char*>(object) + 24);
}

void fetch_lines(const void* address, int lines) {
  for (int line = 0; line < lines; ++line) fetch(static_cast<const char*>(address) + 64 * line);
}

const void* keys_of(PyObject* dictionary) { return reinterpret_cast<PyDictObject*>(dictionary)->ma_keys; }

/// What a piece found out about one column. Its elements are there where it has values.
struct PieceOfColumn {
  ColumnFacts facts;
  bool has_values = false, lacks_values = false;
};

/// Reads some rows.
class RowsReader {
 public:
  RowsReader(std::span<PyObject* const> rows, const PlainLabels& labels, Csr& graph, std::span<ColumnReader> readers,
             std::span<PieceOfColumn> columns)
      : rows_(rows), labels_(labels), graph_(graph), readers_(readers), columns_(columns) {}

  bool read(int64_t first, int64_t last) {
    first_arc_ = arc_ = graph_.offsets[first];
    entries_.reserve(2 * together);
    for (int64_t v = first; v < last; ++v) {
      if (v + 8 < last) fetch_lines(keys_of(rows_[v + 8]), 4);
      Py_ssize_t at = 0;
      PyObject *label, *data;
      while (PyDict_Next(rows_[v], &at, &label, &data)) {
        fetch_object(label);
        if (!readers_.empty()) fetch(reinterpret_cast<const char*>(data) + sizeof(PyObject));
        entries_.push_back({label, data});
      }
      if (entries_.size() >= together && !read_entries()) return false;
    }
    return read_entries();
  }

 private:
  struct Entry {
    PyObject *label, *data;
  };

  bool read_entries() {
    if (!readers_.empty())
      for (const Entry& entry : entries_) {
        if (!PyDict_CheckExact(entry.data)) return false;
        if (PyDict_GET_SIZE(entry.data) > 0) fetch_lines(keys_of(entry.data), 2);
      }
    for (size_t i = 0; i < entries_.size(); ++i) {
      const Node node = labels_.find(entries_[i].label);
      if (node < 0) return false;
      graph_.targets[arc_ + static_cast<int64_t>(i)] = node;
    }
    for (size_t column = 0; column < readers_.size(); ++column)
      if (!read_column(readers_[column], columns_[column])) return false;
    arc_ += static_cast<int64_t>(entries_.size());
    entries_.clear();
    return true;
  }

  bool read_column(ColumnReader& reader, PieceOfColumn& column) {
    values_.clear();
    bool some = false;
    for (const Entry& entry : entries_) {
      PyObject* value = nullptr;
      if (PyDict_GET_SIZE(entry.data) > 0 && !find_value(entry.data, reader.name(), value)) return false;
      if (value) fetch_object(value);
      column.lacks_values |= !value;
      some |= value != nullptr;
      values_.push_back(value);
    }
    if (!some && !column.has_values) return true;
    const Value missing = *reader.plain_default();
    if (!column.has_values)
      for (int64_t arc = first_arc_; arc < arc_; ++arc) reader.set(arc, missing);
    column.has_values = true;
    for (size_t i = 0; i < values_.size(); ++i) {
      PyObject* value = values_[i];
      const int64_t arc = arc_ + static_cast<int64_t>(i);
      if (!value) {
        reader.set(arc, missing);
      } else if (PyFloat_CheckExact(value)) {
        reader.set(arc, column.facts.note(PyFloat_AS_DOUBLE(value)));
      } else {
        const auto integer = plain_integer(value);
        if (!integer || *integer > exact_in_double || *integer < -exact_in_double) return false;
        reader.set(arc, column.facts.note(*integer));
      }
    }
    return true;
  }

  /// False where that would run code of a class.
  static bool find_value(PyObject* data, PyObject* name, PyObject*& value) {
    if (PyDict_GET_SIZE(data) > most_row_attributes) return false;
    Py_ssize_t at = 0;
    PyObject *key, *found;
    while (PyDict_Next(data, &at, &key, &found)) {
      const auto same = same_text(key, name);
      if (!same) return false;
      if (!*same) continue;
      value = found;
      return true;
    }
    return true;
  }

  std::span<PyObject* const> rows_;
  const PlainLabels& labels_;
  Csr& graph_;
  std::span<ColumnReader> readers_;
  std::span<PieceOfColumn> columns_;
  std::vector<Entry> entries_;
  std::vector<PyObject*> values_;
  int64_t first_arc_ = 0, arc_ = 0;
};

}  // namespace

bool read_plain_rows(std::span<PyObject* const> rows, const PlainLabels& labels, Csr& graph,
                     std::vector<ColumnReader>& readers, std::vector<Column>& columns) {
  for (ColumnReader& reader : readers)
    if (!PyUnicode_CheckExact(reader.name()) || !reader.plain_default()) return false;
  const int64_t arcs = graph.offsets.back(), pieces = arcs / arcs_of_piece + 1;
  const auto begin_of = [&](int64_t piece) {
    if (piece == pieces) return static_cast<int64_t>(rows.size());
    return static_cast<int64_t>(std::ranges::lower_bound(graph.offsets, piece * arcs / pieces) - graph.offsets.begin());
  };
  std::vector<PieceOfColumn> found(pieces * readers.size());
  std::atomic<bool> plain{true};
  auto body = [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last && plain; ++piece) {
      const auto own = std::span(found).subspan(piece * readers.size(), readers.size());
      if (!RowsReader(rows, labels, graph, readers, own).read(begin_of(piece), begin_of(piece + 1))) plain = false;
    }
  };
  runtime::parallel_for(pieces, 1, body);
  if (!plain) return false;
  for (size_t column = 0; column < readers.size(); ++column) {
    ColumnReader& reader = readers[column];
    const Value missing = *reader.plain_default();
    bool has_values = false, lacks_values = false;
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const PieceOfColumn& part = found[piece * readers.size() + column];
      reader.join(part.facts);
      has_values |= part.has_values;
      lacks_values |= part.lacks_values;
    }
    if (lacks_values) reader.value_of(static_cast<PyObject*>(nullptr));
    if (lacks_values && !has_values) {
      columns.push_back(reader.finish(missing));
      continue;
    }
    for (int64_t piece = 0; piece < pieces; ++piece)
      if (!found[piece * readers.size() + column].has_values)
        for (int64_t arc = graph.offsets[begin_of(piece)]; arc < graph.offsets[begin_of(piece + 1)]; ++arc)
          reader.set(arc, missing);
    columns.push_back(reader.finish());
  }
  return true;
}

}  // namespace tessera::bind::networks
