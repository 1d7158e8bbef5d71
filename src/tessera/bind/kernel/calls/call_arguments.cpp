#include "tessera/bind/kernel/calls/call_arguments.h"

#include <algorithm>
#include <optional>
#include <string>

#include "tessera/base/format.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dates.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/memory/container_memory.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/bind/kernel/objects/object_box.h"
#include "tessera/bind/kernel/type_words.h"
#include "tessera/kernel/values/characters/character_type.h"

namespace tessera::bind {

namespace {

constexpr Py_ssize_t longest_name = 64;  // tessera.functions.signatures has the same

struct Records {
  PyObject* object;
  char* data;
  Dims shape;
  Dims strides;
  std::vector<RecordPart> within;
};

/// The same with the axes that elements of a field have.
Records with_axes(Records records, PyArray_Descr*& descriptor) {
  while (PyDataType_HASSUBARRAY(descriptor)) {
    PyArray_ArrayDescr* inner = PyDataType_SUBARRAY(descriptor);
    std::vector<int64_t> extents;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(inner->shape); ++k)
      extents.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(inner->shape, k)));
    int64_t step = PyDataType_ELSIZE(inner->base);
    std::vector<int64_t> steps(extents.size());
    for (size_t k = extents.size(); k-- > 0; step *= extents[k]) steps[k] = step;
    for (size_t k = 0; k < extents.size(); ++k) {
      records.shape.push_back(extents[k]);
      records.strides.push_back(steps[k]);
    }
    descriptor = inner->base;
  }
  return records;
}

void add_memory(CallArguments& to, const View& view, char* data, CallArguments::Given given) {
  to.arrays.push_back(std::move(given));
  to.views.push_back(view);
  to.memory.push_back(data);
}

void add_fields(CallArguments& to, const Records& records, PyArray_Descr* descriptor);

void add_field(CallArguments& to, Records field, PyArray_Descr* descriptor) {
  field = with_axes(std::move(field), descriptor);
  if (PyDataType_HASFIELDS(descriptor)) return add_fields(to, field, descriptor);
  auto* object = reinterpret_cast<PyObject*>(descriptor);
  const std::optional<DType> dtype = dtype_of_descriptor(object);
  View view;
  const kernel::Unit unit = dtype ? kernel::Unit{0} : unit_of_descriptor(object);
  view.dtype = unit ? DType::int64 : dtype && is_native(object) ? *dtype : DType::uint8;
  view.shape = field.shape;
  view.strides = field.strides;
  if (unit) {
    to.types.push_back(date_word(unit, static_cast<size_t>(view.ndim()) + 1));
  } else if (dtype && is_native(object)) {
    to.types.push_back(type_word(ArgumentKind::array, *dtype, static_cast<size_t>(view.ndim())));
  } else {
    view.shape.push_back(PyDataType_ELSIZE(descriptor));
    view.strides.push_back(1);
    // Its bytes are copied, which would take references without counting them.
    require<TypeError>(!PyDataType_REFCHK(descriptor), "a field of records holds objects: pass an array without it");
    Object text = owned(PyObject_GetAttrString(object, "str"));
    to.types.push_back(type_word(ArgumentKind::bytes, DType::uint8, static_cast<size_t>(view.ndim())));
    to.types.push_back(static_cast<uint32_t>(kernel::intern_text(utf8_of(text.get()))));
  }
  add_memory(to, view, field.data, {.array = field.object, .within = std::move(field.within)});
}

void add_fields(CallArguments& to, const Records& records, PyArray_Descr* descriptor) {
  PyObject* names = PyDataType_NAMES(descriptor);
  std::string all;
  // Records that lie otherwise in memory are of another type.
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
    PyObject* known = PyDict_GetItemWithError(PyDataType_FIELDS(descriptor), PyTuple_GET_ITEM(names, k));
    const int64_t offset = PyLong_AsLongLong(PyTuple_GET_ITEM(known, 1));
    all.append(utf8_of(PyTuple_GET_ITEM(names, k))).append(format("@{},", offset));
  }
  all.append(format("{}", static_cast<int64_t>(PyDataType_ELSIZE(descriptor))));
  require<TypeError>(PyTuple_GET_SIZE(names) > 0, "records without fields are passed");
  to.types.push_back(type_word(ArgumentKind::record, DType::boolean, static_cast<size_t>(records.shape.size())));
  to.types.push_back(static_cast<uint32_t>(kernel::intern_text(all)));
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
    PyObject* known = PyDict_GetItemWithError(PyDataType_FIELDS(descriptor), PyTuple_GET_ITEM(names, k));
    const int64_t offset = PyLong_AsLongLong(PyTuple_GET_ITEM(known, 1));
    Records field = records;
    field.data += offset;
    field.within.push_back({reinterpret_cast<PyObject*>(descriptor), offset});
    add_field(to, std::move(field), reinterpret_cast<PyArray_Descr*>(PyTuple_GET_ITEM(known, 0)));
  }
}

/// Adds a NumPy array of texts or bytes, which is as records of one field.
bool add_characters(CallArguments& to, PyObject* object) {
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  const View view = view_of_numpy(object, DType::uint8);
  to.types.push_back(type_word(ArgumentKind::record, DType::boolean, view.shape.size()));
  to.types.push_back(static_cast<uint32_t>(kernel::intern_text(std::string(kernel::characters_field) + ",")));
  add_field(to, {object, static_cast<char*>(PyArray_DATA(array)), view.shape, view.strides, {}}, PyArray_DESCR(array));
  return true;
}

/// Adds the fields of a NumPy array of records or of a record, numpy.void, which stay where they are; whether the
/// object is one of these.
bool add_records(CallArguments& to, PyObject* object) {
  if (PyArray_Check(object)) {
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    PyArray_Descr* descriptor = PyArray_DESCR(array);
    if (PyDataType_ISSTRING(descriptor) && PyDataType_ELSIZE(descriptor) > 0) return add_characters(to, object);
    if (!PyDataType_HASFIELDS(descriptor)) return false;
    const View view = view_of_numpy(object, DType::uint8);
    add_fields(to, {object, static_cast<char*>(PyArray_DATA(array)), view.shape, view.strides, {}}, descriptor);
    return true;
  }
  if (!PyArray_IsScalar(object, Void)) return false;
  auto* record = reinterpret_cast<PyVoidScalarObject*>(object);
  if (!PyDataType_HASFIELDS(record->descr)) return false;
  add_fields(to, {object, static_cast<char*>(record->obval), {}, {}, {}}, record->descr);
  return true;
}

/// Adds a member of an enumeration of numbers; whether the object is one.
bool add_member(CallArguments& to, PyObject* object) {
  static constinit Imported meta("enum", "EnumMeta"), number_of("tessera.functions.enums", "number_of");
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (Py_TYPE(type) == &PyType_Type || !PyObject_TypeCheck(type, reinterpret_cast<PyTypeObject*>(meta.get())))
    return false;
  const Object number = owned(PyObject_CallOneArg(number_of, type));
  if (number.get() == Py_None) return false;
  const Object value = owned(PyObject_GetAttrString(object, "value"));
  const Scalar scalar = *python_scalar(value.get());
  to.types.push_back(type_word(ArgumentKind::member, scalar.dtype, PyLong_AsUnsignedLong(number.get())));
  to.scalars.push_back(scalar);
  return true;
}

/// Whether a function is compiled for this text itself: a short one of characters that UTF-8 has.
bool is_name(PyObject* text) {
  const Py_ssize_t count = PyUnicode_GET_LENGTH(text);
  if (count > longest_name) return false;
  bool has_surrogates = false;
  for (Py_ssize_t k = 0; k < count && PyUnicode_KIND(text) != PyUnicode_1BYTE_KIND; ++k)
    has_surrogates |= Py_UNICODE_IS_SURROGATE(PyUnicode_READ_CHAR(text, k)) != 0;
  return !has_surrogates;
}

/// Adds a text of which the function knows nothing while it is compiled, or bytes; whether the object is one. It is
/// compiled for a short text, which often says what it does.
bool add_text(CallArguments& to, PyObject* object) {
  const bool is_bytes = PyBytes_Check(object) != 0;
  if (!is_bytes && (!PyUnicode_CheckExact(object) || is_name(object))) return false;
  TextMemory& texts = to.into ? to.into->texts : to.texts;
  WordMemory* const words = to.into ? &to.into->words : nullptr;
  to.types.push_back(type_word(ArgumentKind::text, DType::boolean, is_bytes ? 3 : 2));
  to.scalars.push_back(
      Scalar::of_int(DType::int64, is_bytes ? texts.add_bytes(object, words) : texts.add(object, words)));
  return true;
}

}  // namespace

bool CallArguments::add(PyObject* object) {
  if (PyFloat_CheckExact(object)) {
    types.push_back(type_word(ArgumentKind::scalar, DType::float64, 0));
    scalars.push_back(Scalar::of_float(DType::float64, PyFloat_AS_DOUBLE(object)));
    return true;
  }
  if (is_ndarray(object)) {
    const View& view = as_ndarray(object)->array.view;
    types.push_back(type_word(ArgumentKind::array, view.dtype, static_cast<size_t>(view.ndim())));
    add_memory(*this, view, nullptr, {.array = object, .is_tessera = true});
    views.back().offset = 0;
    return true;
  }
  if (PyArray_CheckExact(object)) {
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    auto* descriptor = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
    const std::optional<DType> dtype = dtype_of_descriptor(descriptor);
    const kernel::Unit unit = dtype ? kernel::Unit{0} : unit_of_descriptor(descriptor);
    if (!dtype && !unit) return add_records(*this, object);
    if (!is_native(descriptor) || !PyArray_ISALIGNED(array)) return false;
    const auto axes = static_cast<size_t>(PyArray_NDIM(array));
    types.push_back(unit ? date_word(unit, axes + 1) : type_word(ArgumentKind::array, *dtype, axes));
    View& view = views.emplace_back();
    view.dtype = unit ? DType::int64 : *dtype;
    view.shape.resize_for_overwrite(axes);
    view.strides.resize_for_overwrite(axes);
    std::copy_n(PyArray_DIMS(array), axes, view.shape.begin());
    std::copy_n(PyArray_STRIDES(array), axes, view.strides.begin());
    memory.push_back(static_cast<char*>(PyArray_DATA(array)));
    arrays.push_back({.array = object});
    return true;
  }
  if (add_member(*this, object)) return true;
  if (const ObjectBox* const box = as_object_box(object)) {
    types.push_back(type_word(ArgumentKind::object, DType::boolean, box->number));
    scalars.push_back(Scalar::of_int(DType::int64, box->address));
    return has_objects = true;
  }
  if (add_records(*this, object)) return true;
  if (is_table(object) || is_typed(object)) {
    scalars.push_back(Scalar::of_int(DType::int64, add_container(object, types, lists, into)));
    return true;
  }
  if (is_list(object)) {
    scalars.push_back(Scalar::of_int(DType::int64, add_list(object, types, lists, into)));
    return true;
  }
  if (add_text(*this, object)) return true;
  return add_without_array(*this, object);
}

bool CallArguments::add_literal(PyObject* object) {
  if (PySlice_Check(object)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(object);
    types.push_back(type_word(ArgumentKind::slice, DType::boolean, 3));
    return add_literal(slice->start) && add_literal(slice->stop) && add_literal(slice->step);
  }
  const std::optional<Scalar> value = python_scalar(object);
  if (!value || (!is_integer(value->dtype) && !is_boolean(value->dtype))) return add(object);
  const auto bits = static_cast<uint64_t>(value->as_int());
  types.push_back(type_word(ArgumentKind::literal, is_boolean(value->dtype) ? DType::boolean : DType::int64, 0));
  types.push_back(static_cast<uint32_t>(bits));
  types.push_back(static_cast<uint32_t>(bits >> 32));
  return true;
}

void CallArguments::move_to_fields(PyObject* const* objects, Py_ssize_t count, uint64_t literals) {
  if (lists.empty() && texts.kept().empty()) return;
  const ObjectsInUse building;
  lists.clear();  // which so are in no use
  CallArguments again;
  again.into = &memory_of_fields();
  for (Py_ssize_t k = 0; k < count; ++k)
    k < 64 && (literals >> k & 1) ? again.add_literal(objects[k]) : again.add(objects[k]);
  require<RuntimeError>(again.types == types, "the arguments of a call have changed while it began");
  scalars = std::move(again.scalars);
  lists = std::move(again.lists);
}

void CallArguments::clear() {
  types.clear();
  arrays.clear();
  views.clear();
  memory.clear();
  scalars.clear();
  words.clear();
  lists.clear();
  has_objects = false;
  texts.clear();
}

bool is_writeable(PyObject* object) {
  if (PyArray_Check(object)) return PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(object));
  return (reinterpret_cast<PyVoidScalarObject*>(object)->flags & NPY_ARRAY_WRITEABLE) != 0;
}

PyObject* records_over(const CallArguments::Given& field, size_t depth, char* data, const View& view, int axes) {
  const size_t outer = field.within.size() - depth;
  for (size_t k = outer; k < field.within.size(); ++k) data -= field.within[k].offset;
  PyObject* descriptor = Py_NewRef(field.within[outer].descriptor);
  PyTypeObject* type = PyArray_Check(field.array) ? Py_TYPE(field.array) : &PyArray_Type;
  Object array = owned(PyArray_NewFromDescr(type, reinterpret_cast<PyArray_Descr*>(descriptor), axes, view.shape.data(),
                                            view.strides.data(), data,
                                            is_writeable(field.array) ? NPY_ARRAY_WRITEABLE : 0, nullptr));
  if (axes == 0) {
    static constinit Imported copy_of("tessera.functions.records", "copy_of");
    return checked(PyObject_CallOneArg(copy_of, array.get()));
  }
  checked(PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array.get()), Py_NewRef(field.array)));
  PyArray_UpdateFlags(reinterpret_cast<PyArrayObject*>(array.get()), NPY_ARRAY_UPDATE_ALL);
  return array.release();
}

}  // namespace tessera::bind
