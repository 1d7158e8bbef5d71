/// ListMemory: a list, a dict or a set of Python's as compiled functions take it (kernel/lower_list.cpp).
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tessera/bind/kernel/memory/text_memory.h"
#include "tessera/layout/dtype.h"

namespace tessera::bind {

struct ContainerImage;

/// A list that was passed: its header and its elements.
struct ListMemory {
  PyObject* list;  // borrowed
  std::vector<int64_t> words;
  std::vector<uint32_t> types;              // of an element
  std::vector<PyObject*> arrays{};          // of NumPy, in its elements; borrowed
  TextMemory texts{};                       // in its elements
  std::vector<int64_t> index{};             // of a dict or a set
  bool is_typed = false;                    // the types are the container's own, which the object says
  PyObject* owner = nullptr;                // the typed container whose items the list is; borrowed
  std::shared_ptr<ContainerImage> image{};  // its memory, where calls share it
  int64_t shared = 0;                       // the address of its header where that is not in `words`
  std::vector<int64_t> before{};            // the words of that header when the call began
  std::shared_ptr<void> use{};              // says so to the image while it is held

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

/// Adds where an array is: the number of its first element, counted from address 0, its steps and its extents; false
/// for what is no array of numbers.
bool add_array(PyObject* object, std::vector<uint32_t>& types, ListMemory& memory);

/// Whether functions take the object as a list. Classes that derive from it may have methods of their own.
bool is_list(PyObject* object);

/// Whether functions take the object as a dict or a set.
bool is_table(PyObject* object);
/// Whether it is a list or a dict of numba.typed's.
bool is_typed(PyObject* object);

}  // namespace tessera::bind
