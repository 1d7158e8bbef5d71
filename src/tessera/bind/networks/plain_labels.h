/// Numbers of labels that are Python's own texts and whole numbers, looked up without running Python's code.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::bind::networks {

/// The value of one of Python's own integers; nothing where it is none or does not fit.
inline std::optional<int64_t> plain_integer(PyObject* object) {
  if (!PyLong_CheckExact(object)) return std::nullopt;
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return std::nullopt;
  return value;
}

/// Whether two of Python's own texts are equal; nothing where they are none.
std::optional<bool> same_text(PyObject* left, PyObject* right);

/// Looked up by any thread while one holds the interpreter's lock: objects are looked at, not owned.
class PlainLabels {
 public:
  /// False where a label is of another kind: then nothing may be looked up. Labels 0, 1, 2, ... need no table.
  bool fill(PyObject* labels, bool count);
  /// -1 where the label is of another kind, or none of those.
  routines::networks::Node find(PyObject* label) const;

 private:
  struct Entry {
    PyObject* label = nullptr;
    routines::networks::Node node = routines::networks::no_node;
  };

  size_t place(uint64_t hash) const { return hash * 0x9E3779B97F4A7C15ULL >> shift_; }

  int64_t nodes_ = 0;
  bool count_ = false;
  int shift_ = 58;
  std::vector<Entry> entries_;
};

}  // namespace tessera::bind::networks
