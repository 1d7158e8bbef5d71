/// CallArguments: what a function that the host calls is given.
#pragma once

#include <Python.h>

#include <vector>

#include "tessera/bind/kernel/memory/list_memory.h"
#include "tessera/layout/dtype.h"
#include "tessera/layout/view.h"

namespace tessera::bind {

struct CallMemory;

/// Records that a field is of, itself a field perhaps.
struct RecordPart {
  PyObject* descriptor;  // borrowed from the array's
  int64_t offset;        // of the field within it, in bytes
};

/// The arguments of a call, tuples flattened.
struct CallArguments {
  struct Given {
    PyObject* array = nullptr;  // borrowed
    bool is_tessera = false;
    std::vector<RecordPart> within{};  // of a field: the records that it is of, from the array's inwards
  };
  std::vector<uint32_t> types;  // one word for each argument, tuple and element
  std::vector<Given> arrays;
  std::vector<View> views;    // of each array, offset 0 at its memory; then of what a call adds
  std::vector<char*> memory;  // of NumPy's arrays; tessera's are settled when it is known how they are used
  std::vector<Scalar> scalars;
  std::vector<int64_t> words;  // of a call: its report, lines and results
  std::vector<ListMemory> lists;
  bool has_objects = false;    // of users' classes
  CallMemory* into = nullptr;  // where containers and texts are put that outlive the call
  TextMemory texts;            // that are no part of a list

  /// Puts containers and texts where fields of objects may hold them; the arguments are those that it was given, a bit
  /// for each of which the function is compiled for the value.
  void move_to_fields(PyObject* const* objects, Py_ssize_t count, uint64_t literals);
  /// Whether the object is one that functions take as it is.
  bool add(PyObject* object);
  /// The same of an integer or bool whose value the function is compiled for.
  bool add_literal(PyObject* object);
  void clear();
};

/// Whether functions may write a NumPy array or a record.
bool is_writeable(PyObject* object);
/// A new reference to the records `depth` levels above a field, which lies as in `view` at `data`: an array that shares
/// the memory or, without axes, a copy of the record.
PyObject* records_over(const CallArguments::Given& field, size_t depth, char* data, const View& view, int axes);

}  // namespace tessera::bind
