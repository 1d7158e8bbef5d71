/// CapturedNames: the global and closure variables that a compiled function has read, and whether they have changed.
#pragma once

#include <Python.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tessera/bind/array/object.h"

namespace tessera::bind {

/// A function is compiled with the values that these names had. A launch or call asks whether they are the same, and
/// compiles anew if not, as Python would see the new values.
class CapturedNames {
 public:
  CapturedNames() = default;
  CapturedNames(const CapturedNames&) = delete;
  CapturedNames& operator=(const CapturedNames&) = delete;

  /// What `name` is in a dict of globals, a closure's cell, an attribute of an object, the elements of an array or
  /// list.
  void add_global(PyObject* dict, PyObject* name, PyObject* value);
  void add_cell(PyObject* cell, PyObject* value);
  void add_attribute(PyObject* object, PyObject* name, PyObject* value);
  void add_array(PyObject* array);
  void add_list(PyObject* list);
  /// Those of a function that this one calls, and the Python object that owns them.
  void add_function(PyObject* owner, CapturedNames& called);

  /// A number that grows when a value has changed since the last call.
  uint64_t refresh();

  // For Python's collector.
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  enum class Kind : uint8_t { global, cell, attribute, array, list };
  struct Entry {
    Kind kind;
    Object owner, name, value;
    std::string bytes;  // of an array
  };
  struct Called {
    Object owner;
    CapturedNames* names;
    uint64_t version;
  };
  void add(Kind kind, PyObject* owner, PyObject* name, PyObject* value);
  static bool has_changed(Entry& entry);

  std::deque<Entry> entries_;  // entries stay in place where one is added while another is compared
  std::vector<Called> called_;
  uint64_t version_ = 0;
  bool is_refreshing_ = false;  // functions may call each other
};

}  // namespace tessera::bind
