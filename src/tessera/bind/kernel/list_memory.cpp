#include "tessera/bind/kernel/list_memory.h"

#include <algorithm>
#include <bit>

#include "tessera/base/error.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/object_box.h"
#include "tessera/bind/kernel/type_words.h"

namespace tessera::bind {

namespace {

constexpr int64_t header_words = 3, least_room = 4;
enum { data_word, length_word, room_word };

int64_t address_of(const int64_t* words) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(words) / sizeof(int64_t));
}

int64_t to_word(double value) { return std::bit_cast<int64_t>(value); }

/// Adds where an array is: the number of its first element, counted from address 0, its steps and its extents.
bool add_array(PyObject* object, std::vector<uint32_t>& types, ListMemory& memory) {
  if (!PyArray_CheckExact(object)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  auto* descriptor = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
  const std::optional<DType> dtype = dtype_of_descriptor(descriptor);
  const int axes = PyArray_NDIM(array);
  if (!dtype || !is_native(descriptor)) return false;
  const auto size = static_cast<uintptr_t>(itemsize(*dtype)), data = reinterpret_cast<uintptr_t>(PyArray_DATA(array));
  bool is_even = data % size == 0;
  for (int axis = 0; axis < axes; ++axis) is_even &= PyArray_STRIDE(array, axis) % static_cast<npy_intp>(size) == 0;
  require<TypeError>(is_even, "a list with an array that is not aligned is passed: pass a copy of the array");
  require<ValueError>(PyArray_ISWRITEABLE(array),
                      "a list with a read-only array is passed: pass a copy of the array, or a tuple of arrays");
  types.push_back(type_word(ArgumentKind::array, *dtype, static_cast<size_t>(axes)));
  memory.words.push_back(static_cast<int64_t>(data / size));
  for (int axis = 0; axis < axes; ++axis)
    memory.words.push_back(PyArray_STRIDE(array, axis) / static_cast<npy_intp>(size));
  for (int axis = 0; axis < axes; ++axis) memory.words.push_back(PyArray_DIM(array, axis));
  memory.arrays.push_back(object);
  return true;
}

/// Adds the words of an element and what tells its type.
void add_element(PyObject* object, std::vector<uint32_t>& types, ListMemory& memory, std::vector<ListMemory>& lists) {
  std::vector<int64_t>& words = memory.words;
  if (is_list(object)) return words.push_back(add_list(object, types, lists));
  if (PyTuple_CheckExact(object)) {
    const Py_ssize_t size = PyTuple_GET_SIZE(object);
    types.push_back(type_word(ArgumentKind::tuple, DType::boolean, static_cast<size_t>(size)));
    for (Py_ssize_t k = 0; k < size; ++k) add_element(PyTuple_GET_ITEM(object, k), types, memory, lists);
    return;
  }
  if (add_array(object, types, memory)) return;
  if (const ObjectBox* const box = as_object_box(object)) {
    types.push_back(type_word(ArgumentKind::object, DType::boolean, box->number));
    return words.push_back(box->address);
  }
  const std::optional<Scalar> value = python_scalar(object);
  require<TypeError>(
      value.has_value(),
      "a list of elements of type {} is passed: compiled functions take lists of numbers, NumPy's arrays, and "
      "tuples and lists of them",
      Py_TYPE(object)->tp_name);
  types.push_back(type_word(ArgumentKind::scalar, value->dtype, 0));
  if (is_complex(value->dtype)) {
    words.push_back(to_word(value->as_complex().real()));
    words.push_back(to_word(value->as_complex().imag()));
  } else if (is_floating(value->dtype)) {
    words.push_back(to_word(value->as_complex().real()));
  } else {
    words.push_back(value->as_int());
  }
}

}  // namespace

int64_t ListMemory::header() const { return address_of(words.data()); }

ListElements::ListElements(int64_t header) {
  const int64_t* words = reinterpret_cast<const int64_t*>(static_cast<uintptr_t>(header) * sizeof(int64_t));
  count = words[length_word];
  data_ = reinterpret_cast<const int64_t*>(static_cast<uintptr_t>(words[data_word]) * sizeof(int64_t));
}

void ListElements::read(int64_t k, std::span<const DType> scalars, std::vector<int64_t>& words) const {
  const auto each = std::ranges::count_if(scalars, is_complex) + static_cast<int64_t>(scalars.size());
  const int64_t* from = data_ + k * each;
  words.clear();
  for (DType scalar : scalars) {
    words.push_back(*from++);
    words.push_back(is_complex(scalar) ? *from++ : 0);
  }
}

int64_t add_list(PyObject* list, std::vector<uint32_t>& types, std::vector<ListMemory>& lists) {
  const RecursionGuard guard(" in a list that is passed to a compiled function");
  if (const auto known = std::ranges::find(lists, list, &ListMemory::list); known != lists.end()) {
    types.push_back(type_word(ArgumentKind::list, DType::boolean, 0));
    types.insert(types.end(), known->types.begin(), known->types.end());
    return known->header();
  }
  const Py_ssize_t count = PyList_GET_SIZE(list);
  require<ValueError>(count > 0,
                      "an empty list is passed, whose elements have no type: pass an empty array, or make the "
                      "list in the function");
  ListMemory memory{.list = list, .words = std::vector<int64_t>(header_words)};
  std::vector<uint32_t> others;
  for (Py_ssize_t k = 0; k < count; ++k) {
    std::vector<uint32_t>& kinds = k == 0 ? memory.types : others;
    kinds.clear();
    add_element(PyList_GET_ITEM(list, k), kinds, memory, lists);
    require<TypeError>(k == 0 || others == memory.types,
                       "a list of elements of several types is passed, {} and {}: convert them to one",
                       Py_TYPE(PyList_GET_ITEM(list, 0))->tp_name, Py_TYPE(PyList_GET_ITEM(list, k))->tp_name);
  }
  const auto used = static_cast<int64_t>(memory.words.size()) - header_words;
  const int64_t each = used / count, room = std::max<int64_t>(count, least_room);
  memory.words.resize(static_cast<size_t>(header_words + room * std::max<int64_t>(1, each)));
  memory.words[length_word] = count;
  memory.words[room_word] = room;
  types.push_back(type_word(ArgumentKind::list, DType::boolean, 0));
  types.insert(types.end(), memory.types.begin(), memory.types.end());
  lists.push_back(std::move(memory));
  std::vector<int64_t>& words = lists.back().words;
  words[data_word] = address_of(words.data() + header_words);
  return address_of(words.data());
}

bool is_list(PyObject* object) {
  if (PyList_CheckExact(object)) return true;
  static constinit Interned mark("_compiled_as");
  return PyList_Check(object) && PyDict_Contains(Py_TYPE(object)->tp_dict, mark.get()) == 1;
}

}  // namespace tessera::bind
