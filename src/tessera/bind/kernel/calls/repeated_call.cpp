#include "tessera/bind/kernel/calls/repeated_call.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "tessera/base/local_array.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/kernel/calls/report_text.h"
#include "tessera/bind/kernel/objects/object_box.h"
#include "tessera/kernel/report.h"

namespace tessera::bind {

using kernel::ReportLayout;
using kernel::TypeKind;

namespace {

constexpr size_t most_arguments = 16, most_result_numbers = 16;

PyObject* number_from(DType dtype, const int64_t* words) {
  if (is_boolean(dtype)) return PyBool_FromLong(words[0] != 0);
  if (is_unsigned_integer(dtype)) return PyLong_FromUnsignedLongLong(static_cast<uint64_t>(words[0]));
  if (is_integer(dtype)) return PyLong_FromLong(words[0]);
  if (is_complex(dtype)) return PyComplex_FromDoubles(std::bit_cast<double>(words[0]), std::bit_cast<double>(words[1]));
  return PyFloat_FromDouble(std::bit_cast<double>(words[0]));
}

bool is_contiguous_along_last(PyArrayObject* array, int axes, int64_t itemsize) {
  return axes > 0 && (PyArray_STRIDES(array)[axes - 1] == itemsize || PyArray_DIMS(array)[axes - 1] <= 1);
}

struct Bytes {
  const char *begin, *end;
};

}  // namespace

std::unique_ptr<RepeatedCall> RepeatedCall::after(const std::shared_ptr<const CompiledFunction>& function,
                                                  const CallArguments& given, PyObject* const* arguments) {
  const FunctionCode& code = function->code();
  const kernel::Compiled& compiled = function->compiled();
  const size_t count = given.types.size();
  if (!function->is_plain() || !code.code || code.layout.aliased != 0 || count > most_arguments ||
      !code.entry().load(std::memory_order_relaxed))
    return nullptr;
  std::unique_ptr<RepeatedCall> made(new RepeatedCall);
  made->function_ = function;
  made->entry_ = &code.entry();
  made->reports_ = compiled.reports;
  const std::span<const View> own = function->own_views();
  size_t axes = 0;
  for (size_t k = 0; k < given.arrays.size(); ++k) axes += given.views[k].shape.size();
  const size_t own_axes = own.size();  // of one axis each
  made->axes_.resize(2 * (axes + own_axes));
  made->scalars_.resize(2 * given.scalars.size());
  made->memory_.resize(given.arrays.size());
  made->arguments_.reserve(count);
  for (size_t k = 0; k < count; ++k)
    if (!made->add(arguments[k], given)) return nullptr;
  if (made->scalars_taken_ != given.scalars.size() || made->arrays_taken_ != given.arrays.size() ||
      !made->set_result(compiled.result))
    return nullptr;
  if (made->result_ == Result::argument) {
    const auto is_it = [&](const Argument& a) { return a.memory == &made->memory_[compiled.result->id]; };
    made->returned_ = static_cast<size_t>(std::ranges::find_if(made->arguments_, is_it) - made->arguments_.begin());
  }
  const size_t report_words = compiled.reports ? size_t{ReportLayout::size} : 0;
  made->words_.resize(report_words + 1 + 2 * std::max<size_t>(1, made->dtypes_.size()));
  made->results_ = made->words_.data() + report_words;
  if (compiled.reports) made->memory_.push_back(reinterpret_cast<char*>(made->words_.data()));
  made->memory_.push_back(reinterpret_cast<char*>(made->results_));
  made->memory_.insert(made->memory_.end(), compiled.heaps.size(), nullptr);
  invariant(made->memory_.size() == given.arrays.size() + own.size(), "call of {}: it has {} buffers, not {}",
            function->kernel().name, given.arrays.size() + own.size(), made->memory_.size());
  for (size_t k = 0; k < own.size(); ++k) {
    made->axes_[axes + k] = own[k].strides[0];
    made->axes_[2 * axes + own_axes + k] = own[k].shape[0];
  }
  // Growing has moved the memory of the addresses.
  for (size_t k = 0, array = 0; k < made->arguments_.size(); ++k) {
    Argument& argument = made->arguments_[k];
    if (argument.kind != Kind::array) continue;
    argument.memory = &made->memory_[array++];
    made->arrays_.push_back(&argument);
  }
  made->given_ = {.buffers = made->memory_.data(),
                  .strides = made->axes_.data(),
                  .dimensions = made->axes_.data() + axes + own_axes,
                  .scalars = reinterpret_cast<const char*>(made->scalars_.data()),
                  .extents = nullptr,
                  .flags = nullptr};
  return made;
}

bool RepeatedCall::add(PyObject* object, const CallArguments& given) {
  const ir::Kernel& kernel = function_->kernel();
  if (PyArray_CheckExact(object)) {
    const size_t number = arrays_taken_++;
    if (number >= given.arrays.size() || given.arrays[number].array != object || !given.arrays[number].within.empty())
      return false;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    // Their type number does not tell the unit.
    if (PyArray_TYPE(array) == NPY_DATETIME || PyArray_TYPE(array) == NPY_TIMEDELTA) return false;
    const ir::BufferParam& buffer = kernel.buffers[number];
    const int axes = PyArray_NDIM(array);
    const DType dtype = given.views[number].dtype;
    const bool is_contiguous = is_contiguous_along_last(array, axes, itemsize(dtype));
    if (buffer.dtype != dtype || buffer.ndim != axes ||
        is_contiguous != ((function_->code().layout.contiguous >> number & 1) != 0))
      return false;
    arguments_.push_back({.kind = Kind::array,
                          .is_contiguous = is_contiguous,
                          .axes = axes,
                          .flags = NPY_ARRAY_ALIGNED | (buffer.writable ? NPY_ARRAY_WRITEABLE : 0),
                          .type_number = PyArray_TYPE(array),
                          .strides = axes_.data() + axes_taken_,
                          .extents = axes_.data() + axes_.size() / 2 + axes_taken_,
                          .memory = &memory_[number],
                          .itemsize = itemsize(dtype),
                          .is_written = buffer.writable});
    writes_ |= buffer.writable;
    axes_taken_ += static_cast<size_t>(axes);
    return true;
  }
  const size_t number = scalars_taken_++;
  if (number >= given.scalars.size()) return false;
  Argument argument{.kind = Kind::floating, .word = &scalars_[2 * number]};
  DType dtype = DType::float64;
  if (as_object_box(object))
    argument.kind = Kind::object, argument.type = Py_TYPE(object), dtype = DType::int64;
  else if (PyLong_CheckExact(object))
    argument.kind = Kind::integer, dtype = DType::int64;
  else if (PyBool_Check(object))
    argument.kind = Kind::boolean, dtype = DType::boolean;
  else if (const auto numpy = dtype_of_scalar_type(Py_TYPE(object)); numpy && *numpy != DType::bfloat16)
    argument.kind = Kind::scalar, argument.type = Py_TYPE(object), dtype = *numpy;
  else if (!PyFloat_CheckExact(object))
    return false;
  arguments_.push_back(argument);
  return kernel.scalars[number] == dtype;
}

bool RepeatedCall::set_result(const kernel::Type& type) {
  const auto add_number = [&](const kernel::Type& number) {
    if (number->kind != TypeKind::scalar || number->unit || kernel::is_member(number)) return false;
    dtypes_.push_back(number->dtype);
    return true;
  };
  switch (type->kind) {
    case TypeKind::none: return true;
    case TypeKind::scalar: result_ = Result::number; return add_number(type);
    case TypeKind::object: result_ = Result::object; return true;
    case TypeKind::tuple:
      result_ = Result::tuple;
      return !type->is_list && type->names.empty() && type->elements.size() <= most_result_numbers &&
             std::ranges::all_of(type->elements, add_number);
    case TypeKind::buffer:
      result_ = Result::argument;
      return !type->is_view && !type->is_constant && !type->is_heap && type->names.empty() && type->id < memory_.size();
    default: return false;
  }
}

bool RepeatedCall::take(const Argument& argument, PyObject* object) {
  switch (argument.kind) {
    case Kind::floating:
      if (!PyFloat_CheckExact(object)) return false;
      *argument.word = std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(object));
      return true;
    case Kind::integer: {
      if (!PyLong_CheckExact(object)) return false;
      int overflow = 0;
      *argument.word = PyLong_AsLongLongAndOverflow(object, &overflow);
      return overflow == 0;
    }
    case Kind::boolean:
      if (!PyBool_Check(object)) return false;
      *argument.word = object == Py_True;
      return true;
    case Kind::scalar:
      if (Py_TYPE(object) != argument.type) return false;
      PyArray_ScalarAsCtype(object, argument.word);
      return true;
    case Kind::object:
      if (Py_TYPE(object) != argument.type) return false;
      *argument.word = reinterpret_cast<ObjectBox*>(object)->address;
      return true;
    case Kind::array: break;
  }
  if (!PyArray_CheckExact(object)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  const int axes = argument.axes;
  if (PyArray_TYPE(array) != argument.type_number || !PyArray_ISNOTSWAPPED(array) || PyArray_NDIM(array) != axes ||
      (PyArray_FLAGS(array) & argument.flags) != argument.flags ||
      is_contiguous_along_last(array, axes, argument.itemsize) != argument.is_contiguous)
    return false;
  *argument.memory = PyArray_BYTES(array);
  for (int axis = 0; axis < axes; ++axis) {
    argument.strides[axis] = PyArray_STRIDES(array)[axis];
    argument.extents[axis] = PyArray_DIMS(array)[axis];
  }
  return true;
}

/// Whether elements of the array may lie in each other's bytes; certain only where they do not.
bool RepeatedCall::may_overlap_itself(const Argument& array) {
  const auto nests = [&](int axis, int step) {
    int64_t covered = array.itemsize;
    for (int k = 0; k < array.axes; ++k, axis += step) {
      if (array.extents[axis] <= 1) continue;
      const int64_t stride = std::abs(array.strides[axis]);
      if (stride < covered) return false;
      covered += stride * (array.extents[axis] - 1);
    }
    return true;
  };
  return !nests(array.axes - 1, -1) && !nests(0, 1);
}

/// Whether an array that is written shares memory with another or with itself.
bool RepeatedCall::overlap() const {
  for (const Argument* array : arrays_)
    if (array->is_written && may_overlap_itself(*array)) return true;
  if (arrays_.size() < 2) return false;
  LocalArray<Bytes, most_arguments> bytes(arrays_.size());
  for (size_t k = 0; k < arrays_.size(); ++k) {
    const Argument& array = *arrays_[k];
    const char* const data = *array.memory;
    bytes[k] = {data, data + array.itemsize};
    for (int axis = 0; axis < array.axes; ++axis) {
      const int64_t reach = (array.extents[axis] - 1) * array.strides[axis];
      if (array.extents[axis] == 0)
        bytes[k].end = bytes[k].begin;
      else
        (reach < 0 ? bytes[k].begin : bytes[k].end) += reach;
    }
  }
  for (size_t k = 1; k < arrays_.size(); ++k)
    for (size_t other = 0; other < k; ++other)
      if ((arrays_[k]->is_written || arrays_[other]->is_written) && bytes[k].begin < bytes[other].end &&
          bytes[other].begin < bytes[k].end)
        return true;
  return false;
}

PyObject* RepeatedCall::call(PyObject* const* arguments, Py_ssize_t count) {
  if (static_cast<size_t>(count) != arguments_.size()) return nullptr;
  for (const Argument& argument : arguments_)
    if (!take(argument, *arguments++)) return nullptr;
  if (writes_ && overlap()) return nullptr;
  *results_ = 0;
  entry_->load(std::memory_order_acquire)(&given_, nullptr, nullptr);
  if (reports_ && words_[ReportLayout::site] > 0) [[unlikely]]
    fail();
  return result(arguments - arguments_.size());
}

/// Memory for a result may be what makes Python collect garbage, and what then runs may call this function again.
PyObject* RepeatedCall::result(PyObject* const* arguments) const {
  if (*results_ == 0) return Py_NewRef(Py_None);
  const int64_t* const words = results_ + 1;
  switch (result_) {
    case Result::none: return Py_NewRef(Py_None);
    case Result::number: return checked(number_from(dtypes_[0], words));
    case Result::object: return box_object(words[0]);
    case Result::argument: return Py_NewRef(arguments[returned_]);
    case Result::tuple: break;
  }
  const size_t count = dtypes_.size();
  LocalArray<int64_t, 2 * most_result_numbers> kept(2 * count);
  std::copy_n(words, 2 * count, kept.data());
  LocalArray<DType, most_result_numbers> dtypes(count);
  std::ranges::copy(dtypes_, dtypes.data());
  Object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t k = 0; k < count; ++k)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k), checked(number_from(dtypes[k], kept.data() + 2 * k)));
  return tuple.release();
}

void RepeatedCall::fail() {
  const std::shared_ptr<const CompiledFunction> function = function_;  // what Python runs may forget this call
  const std::vector<int64_t> report(words_.begin(), words_.begin() + ReportLayout::size);
  std::ranges::fill(words_, 0);
  throw_report(function->compiled().sites, report, false);
}

}  // namespace tessera::bind
