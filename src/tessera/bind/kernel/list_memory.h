/// ListMemory: a list of Python's as compiled functions take it (kernel/lower_list.cpp).
#pragma once

#include <Python.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/layout/dtype.h"

namespace tessera::bind {

/// A list that was passed: its header and its elements.
struct ListMemory {
  PyObject* list;  // borrowed
  std::vector<int64_t> words;
  std::vector<uint32_t> types;      // of an element
  std::vector<PyObject*> arrays{};  // of NumPy, in its elements; borrowed

  /// Its address, in words.
  int64_t header() const;
};

/// The elements of the list whose header is at this address, in words.
struct ListElements {
  explicit ListElements(int64_t header);
  /// The words of element k, two for each of its scalars.
  void read(int64_t k, std::span<const DType> scalars, std::vector<int64_t>& words) const;

  int64_t count;

 private:
  const int64_t* data_;
};

/// Whether functions take the object as a list: one of Python's, or a typed one. Other classes may have methods of
/// their own.
bool is_list(PyObject* object);

/// Adds the types of a list's elements, which are all the same, and its memory. Returns the address of its header, in
/// words; arrays stay where they are. Throws ValueError for an empty list and TypeError for elements that lists of
/// functions do not have.
int64_t add_list(PyObject* list, std::vector<uint32_t>& types, std::vector<ListMemory>& lists);

}  // namespace tessera::bind
