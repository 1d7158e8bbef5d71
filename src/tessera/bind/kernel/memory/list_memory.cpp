#include "tessera/bind/kernel/memory/list_memory.h"

#include <algorithm>
#include <bit>

#include "tessera/base/error.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/type_words.h"

namespace tessera::bind {

namespace {

enum { data_word, length_word, room_word };

}  // namespace

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

int64_t ListMemory::header() const { return shared != 0 ? shared : address_of(words.data()); }

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

bool is_list(PyObject* object) { return PyList_CheckExact(object); }

bool is_table(PyObject* object) { return PyDict_CheckExact(object) || PyAnySet_CheckExact(object); }

bool is_typed(PyObject* object) {
  if (!(PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HEAPTYPE)) return false;
  static constinit Interned mark("_compiled_as");
  return PyDict_Contains(Py_TYPE(object)->tp_dict, mark.get()) == 1;
}

}  // namespace tessera::bind
