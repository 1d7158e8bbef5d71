#include "tessera/bind/networks/plain_labels.h"

#include <cstring>

namespace tessera::bind::networks {

using routines::networks::no_node;
using routines::networks::Node;

namespace {

/// Equal labels have equal hashes. Texts that are keys of a dictionary have kept theirs.
std::optional<uint64_t> plain_hash(PyObject* label) {
  if (const auto value = plain_integer(label)) return static_cast<uint64_t>(*value);
  if (!PyUnicode_CheckExact(label)) return std::nullopt;
  const Py_hash_t hash = reinterpret_cast<PyASCIIObject*>(label)->hash;
  if (hash == -1) return std::nullopt;
  return static_cast<uint64_t>(hash);
}

bool same(PyObject* left, PyObject* right) {
  if (left == right) return true;
  if (const auto value = plain_integer(left)) return plain_integer(right) == value;
  return same_text(left, right).value_or(false);
}

}  // namespace

std::optional<bool> same_text(PyObject* left, PyObject* right) {
  if (!PyUnicode_CheckExact(left) || !PyUnicode_CheckExact(right)) return std::nullopt;
  if (left == right) return true;
  const int kind = PyUnicode_KIND(left);
  const Py_ssize_t length = PyUnicode_GET_LENGTH(left);
  if (kind != static_cast<int>(PyUnicode_KIND(right)) || length != PyUnicode_GET_LENGTH(right)) return false;
  return std::memcmp(PyUnicode_DATA(left), PyUnicode_DATA(right), static_cast<size_t>(kind * length)) == 0;
}

bool PlainLabels::fill(PyObject* labels, bool count) {
  nodes_ = PyList_GET_SIZE(labels);
  count_ = count;
  if (count) return true;
  while (int64_t{1} << (64 - shift_) < 4 * nodes_) --shift_;
  entries_.resize(size_t{1} << (64 - shift_));
  for (int64_t v = 0; v < nodes_; ++v) {
    PyObject* label = PyList_GET_ITEM(labels, v);
    const auto hash = plain_hash(label);
    if (!hash) return false;
    size_t at = place(*hash);
    while (entries_[at].label) at = (at + 1) & (entries_.size() - 1);
    entries_[at] = {label, static_cast<Node>(v)};
  }
  return true;
}

Node PlainLabels::find(PyObject* label) const {
  if (count_) {
    const auto value = plain_integer(label);
    return value && *value >= 0 && *value < nodes_ ? static_cast<Node>(*value) : no_node;
  }
  const auto hash = plain_hash(label);
  if (!hash) return no_node;
  for (size_t at = place(*hash);; at = (at + 1) & (entries_.size() - 1)) {
    if (!entries_[at].label) return no_node;
    if (same(entries_[at].label, label)) return entries_[at].node;
  }
}

}  // namespace tessera::bind::networks
