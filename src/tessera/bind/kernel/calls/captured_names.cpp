#include "tessera/bind/kernel/calls/captured_names.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tessera/bind/convert/numpy_api.h"

namespace tessera::bind {

namespace {

std::string bytes_of(PyObject* array) {
  Object bytes = owned(PyObject_CallMethod(array, "tobytes", nullptr));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

bool has_bytes(PyObject* array, const std::string& bytes) {
  if (PyArray_CheckExact(array) && PyArray_IS_C_CONTIGUOUS(reinterpret_cast<PyArrayObject*>(array))) {
    auto* numpy = reinterpret_cast<PyArrayObject*>(array);
    const auto size = static_cast<size_t>(PyArray_NBYTES(numpy));
    return size == bytes.size() &&
           std::equal(bytes.begin(), bytes.end(), static_cast<const char*>(PyArray_DATA(numpy)));
  }
  return bytes_of(array) == bytes;
}

/// Numbers that are made anew with the same value are the same.
bool same_value(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (!a || !b || Py_TYPE(a) != Py_TYPE(b) || !(PyLong_Check(a) || PyFloat_Check(a) || PyUnicode_Check(a)))
    return false;
  if (PyFloat_Check(a) && std::signbit(PyFloat_AS_DOUBLE(a)) != std::signbit(PyFloat_AS_DOUBLE(b))) return false;
  return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

bool has_elements(PyObject* list, PyObject* elements) {
  const Py_ssize_t count = PyList_GET_SIZE(list);
  if (count != PyTuple_GET_SIZE(elements)) return false;
  for (Py_ssize_t k = 0; k < count; ++k)
    if (!same_value(PyList_GET_ITEM(list, k), PyTuple_GET_ITEM(elements, k))) return false;
  return true;
}

}  // namespace

void CapturedNames::add(Kind kind, PyObject* owner, PyObject* name, PyObject* value) {
  for (Entry& entry : entries_) {
    if (entry.kind != kind || entry.owner.get() != owner || entry.name.get() != name) continue;
    entry.value = Object::borrowed(value);
    return;
  }
  entries_.push_back({kind, Object::borrowed(owner), Object::borrowed(name), Object::borrowed(value), {}});
}

void CapturedNames::add_global(PyObject* dict, PyObject* name, PyObject* value) {
  add(Kind::global, dict, name, value);
}
void CapturedNames::add_cell(PyObject* cell, PyObject* value) { add(Kind::cell, cell, nullptr, value); }
void CapturedNames::add_attribute(PyObject* object, PyObject* name, PyObject* value) {
  add(Kind::attribute, object, name, value);
}

void CapturedNames::add_array(PyObject* array) {
  add(Kind::array, array, nullptr, array);
  const auto entry = std::ranges::find_if(
      entries_, [&](const Entry& one) { return one.kind == Kind::array && one.owner.get() == array; });
  entry->bytes = bytes_of(array);
}

void CapturedNames::add_list(PyObject* list) {
  const Object elements = owned(PyList_AsTuple(list));
  add(Kind::list, list, nullptr, elements.get());
}

void CapturedNames::add_function(PyObject* owner, CapturedNames& called) {
  if (&called == this) return;
  const uint64_t version = called.refresh();
  for (Called& known : called_) {
    if (known.names != &called) continue;
    known.version = version;
    return;
  }
  called_.push_back({Object::borrowed(owner), &called, version});
}

bool CapturedNames::has_changed(Entry& entry) {
  Object now;
  switch (entry.kind) {
    case Kind::array:
      if (has_bytes(entry.owner.get(), entry.bytes)) return false;
      entry.bytes = bytes_of(entry.owner.get());
      return true;
    case Kind::list:
      if (has_elements(entry.owner.get(), entry.value.get())) return false;
      entry.value = owned(PyList_AsTuple(entry.owner.get()));
      return true;
    case Kind::global: now = Object::borrowed(PyDict_GetItemWithError(entry.owner.get(), entry.name.get())); break;
    case Kind::cell: now = Object::borrowed(PyCell_GET(entry.owner.get())); break;
    case Kind::attribute: now = Object(PyObject_GetAttr(entry.owner.get(), entry.name.get())); break;
  }
  if (!now) PyErr_Clear();
  if (same_value(now.get(), entry.value.get())) return false;
  entry.value = std::move(now);
  return true;
}

uint64_t CapturedNames::refresh() {
  if (std::exchange(is_refreshing_, true)) return version_;
  bool changed = false;
  for (size_t k = 0; k < entries_.size(); ++k) changed |= has_changed(entries_[k]);
  for (Called& called : called_) {
    const uint64_t version = called.names->refresh();
    changed |= version != std::exchange(called.version, version);
  }
  is_refreshing_ = false;
  return version_ += changed;
}

int CapturedNames::traverse(visitproc visit, void* arg) const {
  for (const Entry& entry : entries_) {
    Py_VISIT(entry.owner.get());
    Py_VISIT(entry.value.get());
  }
  for (const Called& called : called_) Py_VISIT(called.owner.get());
  return 0;
}

void CapturedNames::clear() {
  entries_.clear();
  called_.clear();
}

}  // namespace tessera::bind
