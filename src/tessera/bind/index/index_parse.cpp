#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/index.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/scalar/elements.h"

namespace tessera::bind {

namespace {

constexpr const char* not_integers = "arrays used as indices must be of integer (or boolean) type";
constexpr const char* invalid_index =
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
    "indices";

class Parser {
 public:
  explicit Parser(ParsedIndex& index) : index_(index) {}

  void add(PyObject* item) {
    if (PyLong_CheckExact(item)) return add_integer(index_value(item));
    if (PySlice_Check(item)) return add_simple(IndexItem::slice, 1, item);
    if (item == Py_Ellipsis) return add_ellipsis();
    if (item == Py_None) return add_simple(IndexItem::new_axis, 0, nullptr);
    if (PyBool_Check(item)) return add_mask_0d(item == Py_True);
    if (PyArray_IsScalar(item, Bool)) return add_mask_0d(PyArrayScalar_VAL(item, Bool));
    if (PyArray_IsScalar(item, Integer)) return add_integer(index_value(item));
    if (is_ndarray(item)) return add_array(as_ndarray(item)->array);
    if (!PyArray_Check(item) && !PySequence_Check(item)) return add_other(item);
    add_sequence(item);
  }

 private:
  void add_simple(IndexItem::Kind kind, int axes, PyObject* object) {
    index_.items.push_back({kind, 0, object});
    index_.consumed += axes;
    index_.all_integers = false;
  }

  void add_integer(int64_t value) {
    index_.items.push_back({IndexItem::integer, value, nullptr});
    ++index_.consumed;
  }

  void add_ellipsis() {
    require<IndexError>(!index_.has_ellipsis, "an index can only have a single ellipsis ('...')");
    index_.has_ellipsis = true;
    add_simple(IndexItem::ellipsis, 0, nullptr);
  }

  void add_mask_0d(bool value) { add_fancy(Engine::instance().full({}, Scalar::of_bool(value)), true, 0); }

  void add_fancy(Array array, bool is_mask, int axes) {
    index_.items.push_back({IndexItem::fancy, static_cast<int64_t>(index_.arrays.size()), nullptr});
    index_.arrays.push_back({std::move(array), is_mask});
    index_.consumed += axes;
    index_.all_integers = false;
  }

  void add_array(const Array& array) {
    if (is_boolean(array.dtype())) return add_fancy(array, true, array.ndim());
    require<IndexError>(is_integer(array.dtype()), not_integers);
    if (array.ndim() > 0) return add_fancy(array, false, 1);
    Scalar value;
    value.dtype = array.dtype();
    std::memcpy(value.bytes, synchronise(array), static_cast<size_t>(itemsize(array.dtype())));
    index_.copies = true;
    add_integer(value.as_int());
  }

  /// An object with __index__ or __array__; floats, strings and other objects are rejected.
  void add_other(PyObject* item) {
    if (PyIndex_Check(item)) {
      if (Object number(PyNumber_Index(item)); number) return add_integer(index_value(number.get()));
      PyErr_Clear();
    } else if (PyObject_HasAttrString(item, "__array__") && !PyArray_IsScalar(item, Generic)) {
      return add_sequence(item);
    }
    throw IndexError(invalid_index);
  }

  static int64_t index_value(PyObject* item) {
    Py_ssize_t value = PyNumber_AsSsize_t(item, PyExc_IndexError);
    if (value == -1 && PyErr_Occurred()) throw ErrorAlreadySet();
    return value;
  }

  void add_sequence(PyObject* item) {
    if (PyUnicode_Check(item) || PyBytes_Check(item)) throw IndexError(invalid_index);
    Array array;
    Conversion conversion = to_array(item, {}, array);
    // An empty list has no element type, but is a valid index array.
    if (conversion == Conversion::foreign && !PyArray_Check(item) && PySequence_Check(item) &&
        PySequence_Size(item) == 0) {
      array = Engine::instance().empty(Dims{0}, DType::int64);
      conversion = Conversion::done;
    } else if (conversion == Conversion::done && array.size() == 0 && !PyArray_Check(item) &&
               is_floating(array.dtype())) {
      array = copy_array(array, DType::int64, Order::c);
    }
    require<IndexError>(conversion == Conversion::done, PyArray_Check(item) ? not_integers : invalid_index);
    add_array(array);
  }

  ParsedIndex& index_;
};

}  // namespace

ParsedIndex parse_index(PyObject* key, int ndim) {
  ParsedIndex index;
  Parser parser(index);
  if (PyTuple_Check(key)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) parser.add(PyTuple_GET_ITEM(key, i));
  } else {
    parser.add(key);
  }
  require<IndexError>(index.consumed <= ndim,
                      "too many indices for array: array is {}-dimensional, but {} were indexed", ndim, index.consumed);
  require<IndexError>(index.arrays.size() < static_cast<size_t>(max_ndim),
                      "too many advanced indices: {}, the most is {}", index.arrays.size(), max_ndim - 1);
  if (index.consumed < ndim && !index.has_ellipsis) index.all_integers = false;
  return index;
}

}  // namespace tessera::bind
