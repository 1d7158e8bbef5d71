#include "tessera/bind/kernel/host/host_calls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dates.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/host/host_call_counts.h"
#include "tessera/bind/kernel/host/host_object.h"
#include "tessera/bind/kernel/type_words.h"
#include "tessera/kernel/host_routines.h"

namespace tessera::bind {

using kernel::HostArgument;

namespace {

struct ExpectedResult {
  DType dtype;
  kernel::Unit unit;
  int axes;
  bool is_free;  // its strides are its own
};

/// Reads a call's arguments from their words.
class ArgumentReader {
 public:
  ArgumentReader(const HostCalls& calls, const int64_t* words) : calls_(calls), words_(words) {}

  int64_t next() { return *words_++; }

  /// Copies of arrays that the call changes, in order.
  std::vector<Object>& changed() { return changed_; }

  /// A new reference; null for one that was left out.
  Object read() {
    switch (static_cast<HostArgument>(next())) {
      case HostArgument::left_out: return {};
      case HostArgument::none: return Object(Py_NewRef(Py_None));
      case HostArgument::scalar: return read_scalar();
      case HostArgument::array: return read_array();
      case HostArgument::list: {
        const auto count = static_cast<Py_ssize_t>(next());
        Object list = owned(PyList_New(count));
        for (Py_ssize_t k = 0; k < count; ++k) PyList_SET_ITEM(list.get(), k, read().release());
        return list;
      }
      case HostArgument::changed: {
        const Object view = read_array();
        Object copy = owned(PyArray_NewCopy(reinterpret_cast<PyArrayObject*>(view.get()), NPY_KEEPORDER));
        changed_.emplace_back(Py_NewRef(copy.get()));
        return copy;
      }
      case HostArgument::slice: {
        const Object lower = read(), upper = read(), step = read();
        return owned(PySlice_New(lower.get(), upper.get(), step.get()));
      }
      case HostArgument::ellipsis: return Object(Py_NewRef(Py_Ellipsis));
      case HostArgument::dtype: {
        const int64_t word = next();
        const auto unit = static_cast<kernel::Unit>(word >> 8);
        return owned(unit ? descriptor_of(unit) : from_dtype(static_cast<DType>(word & 0xff)));
      }
      case HostArgument::dated: return read_dates();
      case HostArgument::text: return owned(from_utf8(kernel::interned_text(next())));
      case HostArgument::tuple: {
        const auto count = static_cast<Py_ssize_t>(next());
        Object tuple = owned(PyTuple_New(count));
        for (Py_ssize_t k = 0; k < count; ++k) PyTuple_SET_ITEM(tuple.get(), k, read().release());
        return tuple;
      }
    }
    return {};
  }

 private:
  Object read_dates() {
    const auto unit = static_cast<kernel::Unit>(next());
    if (static_cast<HostArgument>(*words_) != HostArgument::scalar) return owned(as_dates(unit, read().get()));
    const int64_t value = words_[2];
    words_ += 4;
    return owned(make_date(unit, value));
  }
  Object read_scalar() {
    const auto dtype = static_cast<DType>(next());
    const int64_t first = next(), second = next();
    const double real = std::bit_cast<double>(first);
    if (is_complex(dtype)) return number(Scalar::of_complex(dtype, {real, std::bit_cast<double>(second)}));
    if (is_floating(dtype)) return number(Scalar::of_float(dtype, real));
    return number(is_boolean(dtype) ? Scalar::of_bool(first != 0) : Scalar::of_int(dtype, first));
  }
  static Object number(const Scalar& value) { return owned(make_host_number(value)); }

  Object read_array() {
    const auto buffer = static_cast<size_t>(next());
    const View& base = calls_.views[buffer];
    int64_t offset = 0;
    const auto base_axes = static_cast<int>(next());
    for (int axis = 0; axis < base_axes; ++axis) offset += next() * base.strides[axis];
    std::vector<int64_t> shape, strides;
    const int64_t axes = next();
    for (int64_t k = 0; k < axes; ++k) {
      const int64_t kept = next(), step = next();
      strides.push_back(kept < 0 ? 0 : step * base.strides[static_cast<int>(kept)]);
      shape.push_back(next());
    }
    View view = base;
    view.offset = 0;
    view.shape = Dims(std::span<const int64_t>(shape));
    view.strides = Dims(std::span<const int64_t>(strides));
    // New arrays lie in a buffer that begins at address 0.
    char* const data = reinterpret_cast<char*>(reinterpret_cast<intptr_t>(calls_.memory[buffer]) + offset);
    return owned(numpy_over(data, view, true, Py_NewRef(Py_None)));
  }

  const HostCalls& calls_;
  const int64_t* words_;
  std::vector<Object> changed_;
};

/// numpy.linalg.solve, for example.
Object find_function(std::string_view path) {
  static constinit Kept kept;
  PyObject* known = kept.get(PyDict_New);
  Object key = owned(PyUnicode_FromStringAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
  if (PyObject* found = PyDict_GetItemWithError(known, key.get())) return Object(Py_NewRef(found));
  Object value = owned(PyImport_ImportModule("numpy"));
  for (size_t at = path.find('.'); at != std::string_view::npos;) {
    const size_t end = path.find('.', at + 1);
    const std::string attribute(path.substr(at + 1, end == std::string_view::npos ? end : end - at - 1));
    value = owned(PyObject_GetAttrString(value.get(), attribute.c_str()));
    at = end;
  }
  if (PyDict_SetItem(known, key.get(), value.get()) < 0) throw ErrorAlreadySet();
  return value;
}

/// The name of parameter k of "a axis=".
std::string parameter_name(std::string_view parameters, size_t k) {
  for (; k > 0; --k) parameters.remove_prefix(parameters.find(' ') + 1);
  std::string_view name = parameters.substr(0, parameters.find(' '));
  if (name.ends_with('=')) name.remove_suffix(1);
  return std::string(name);
}

/// Calls it with the arguments, the last ones by these names.
Object call(PyObject* function, std::span<const Object> arguments, std::span<const std::string> names) {
  std::vector<PyObject*> given{nullptr};
  for (const Object& argument : arguments) given.push_back(argument.get());
  Object keywords = owned(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
  for (size_t k = 0; k < names.size(); ++k)
    PyTuple_SET_ITEM(keywords.get(), static_cast<Py_ssize_t>(k), checked(PyUnicode_FromString(names[k].c_str())));
  const size_t by_place = arguments.size() - names.size();
  return owned(
      PyObject_Vectorcall(function, given.data() + 1, by_place | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords.get()));
}

/// The names of arguments behind one that was left out; takes away those that were.
std::vector<std::string> name_arguments(const kernel::HostRoutine& routine, std::vector<Object>& arguments) {
  std::vector<std::string> names;
  const auto first = std::ranges::find_if(arguments, [](const Object& argument) { return !argument; });
  for (auto k = first; k != arguments.end(); ++k)
    if (*k) names.push_back(parameter_name(routine.parameters, static_cast<size_t>(k - arguments.begin())));
  arguments.erase(std::remove_if(first, arguments.end(), [](const Object& argument) { return !argument; }),
                  arguments.end());
  return names;
}

void append_scalar(HostCalls& calls, DType dtype, const char* data) {
  Scalar value{.dtype = dtype};
  std::memcpy(value.bytes, data, static_cast<size_t>(itemsize(dtype)));
  if (is_complex(dtype) || is_floating(dtype)) {
    const std::complex<double> number = value.as_complex();
    calls.results.push_back(std::bit_cast<int64_t>(number.real()));
    calls.results.push_back(std::bit_cast<int64_t>(number.imag()));
    return;
  }
  calls.results.push_back(value.as_int());
  calls.results.push_back(0);
}

/// Whether the array lies at a multiple of its elements' size, and its strides are such multiples.
bool is_in_steps(PyArrayObject* array) {
  const npy_intp size = PyArray_ITEMSIZE(array);
  bool is_sound = reinterpret_cast<uintptr_t>(PyArray_DATA(array)) % static_cast<uintptr_t>(size) == 0;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis)
    is_sound &= PyArray_DIM(array, axis) <= 1 || PyArray_STRIDE(array, axis) % size == 0;
  return is_sound;
}

/// An array that stays where NumPy has it, so that a view is one.
void append_in_place(HostCalls& calls, std::string_view name, ExpectedResult expected, Object array) {
  if (!is_in_steps(reinterpret_cast<PyArrayObject*>(array.get()))) {
    const bool is_view = PyArray_BASE(reinterpret_cast<PyArrayObject*>(array.get())) != nullptr;
    require<ValueError>(!is_view, "{}: elements of the view are not at multiples of their size: copy it first", name);
    array = owned(PyArray_NewCopy(reinterpret_cast<PyArrayObject*>(array.get()), NPY_KEEPORDER));
  }
  auto* from = reinterpret_cast<PyArrayObject*>(array.get());
  const int64_t size = itemsize(expected.dtype);
  calls.results.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(PyArray_DATA(from))) / size);
  for (int axis = 0; axis < expected.axes; ++axis) calls.results.push_back(PyArray_DIM(from, axis));
  for (int axis = 0; axis < expected.axes; ++axis) calls.results.push_back(PyArray_STRIDE(from, axis) / size);
  calls.heap().kept.push_back(std::move(array));
}

void append_result(HostCalls& calls, std::string_view name, ExpectedResult expected, PyObject* value) {
  const int flags = expected.is_free ? NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED : NPY_ARRAY_DEFAULT;
  Object array = owned(PyArray_FromAny(value, nullptr, 0, 0, flags, nullptr));
  const bool was_complex = PyArray_ISCOMPLEX(reinterpret_cast<PyArrayObject*>(array.get()));
  require<ValueError>(!was_complex || is_complex(expected.dtype),
                      "{}: the result of real numbers is complex; pass a complex array", name);
  Object descriptor = owned(expected.unit ? descriptor_of(expected.unit) : from_dtype(expected.dtype));
  array = owned(PyArray_FromAny(array.get(), reinterpret_cast<PyArray_Descr*>(descriptor.release()), 0, 0,
                                flags | NPY_ARRAY_FORCECAST, nullptr));
  auto* from = reinterpret_cast<PyArrayObject*>(array.get());
  require<ValueError>(PyArray_NDIM(from) == expected.axes, "{}: a result has {} axes, not {}", name, PyArray_NDIM(from),
                      expected.axes);
  const auto* data = static_cast<const char*>(PyArray_DATA(from));
  if (expected.axes == 0) return append_scalar(calls, expected.dtype, data);
  if (expected.is_free) return append_in_place(calls, name, expected, std::move(array));
  char* to = calls.allocate(PyArray_SIZE(from), expected.dtype);
  std::memcpy(to, data, static_cast<size_t>(PyArray_NBYTES(from)));
  calls.results.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(to)) / itemsize(expected.dtype));
  for (int axis = 0; axis < expected.axes; ++axis) calls.results.push_back(PyArray_DIM(from, axis));
}

}  // namespace

char* HostCalls::allocate(int64_t elements, DType dtype) {
  Engine& engine = Engine::instance();
  CallMemory& memory = heap();
  memory.arrays.push_back(engine.empty(std::array{std::max<int64_t>(1, elements)}, dtype));
  const Array& made = memory.arrays.back();
  memory.array_bytes += array_overhead + static_cast<size_t>(made.view.size() * itemsize(dtype));
  return engine.write(made);
}

int64_t HostCalls::position(uintptr_t address) const {
  for (const Array& array : heap().arrays) {
    const auto begin = reinterpret_cast<uintptr_t>(Engine::instance().read(array));
    const auto size = static_cast<uintptr_t>(array.view.itemsize());
    if (address >= begin && address - begin < static_cast<uintptr_t>(array.view.size()) * size)
      return static_cast<int64_t>((address - begin) / size);
  }
  return 0;
}

void HostCalls::check_access(bool writes, const int64_t* operands) {
  const auto site = static_cast<size_t>(operands[0]), buffer = static_cast<size_t>(operands[1]);
  const bool is_made = memory[buffer] == nullptr;
  const std::span index(operands + 3, static_cast<size_t>(operands[2]));
  auto address = reinterpret_cast<uintptr_t>(memory[buffer]);
  for (size_t axis = 0; axis < index.size(); ++axis)
    address += static_cast<uintptr_t>(index[axis] * views[buffer].strides[static_cast<int>(axis)]);
  if (writes)
    races->write(address, operands[3 + index.size()], site, is_made ? std::span<const int64_t>() : index);
  else
    races->read(address, site, is_made ? std::span<const int64_t>() : index);
}

void HostCalls::call_numpy(const int64_t* operands) { call_numpy(operands, nullptr); }

bool HostCalls::call_numpy_caught(const int64_t* operands) {
  bool has_raised = false;
  call_numpy(operands, &has_raised);
  return has_raised;
}

bool HostCalls::is_caught(int64_t number) const {
  if (!raised) return false;  // all handlers ask, also for what the function itself has raised
  static constinit Imported is_of("tessera.functions.exceptions", "is_of");
  const Object found = owned(PyObject_CallFunction(is_of, "OL", raised.get(), static_cast<long long>(number)));
  return found.get() == Py_True;
}

/// What the function raises is thrown, or kept where `has_raised` is there; results are empty then.
void HostCalls::call_numpy(const int64_t* operands, bool* has_raised) {
  ArgumentReader reader(*this, operands);
  const int64_t number = reader.next(), line = reader.next(), file = reader.next();
  const kernel::HostRoutine* routine = number < 0 ? nullptr : &kernel::host_routines()[static_cast<size_t>(number)];
  const PythonFunction* object =
      routine ? nullptr : static_cast<const PythonFunction*>(objects[static_cast<size_t>(-1 - number)].get());
  std::vector<ExpectedResult> expected(static_cast<size_t>(reader.next()));
  for (ExpectedResult& one : expected) {
    const int64_t word = reader.next();
    one.dtype = static_cast<DType>(word & 0xff);
    one.unit = static_cast<kernel::Unit>(word >> 8);
    const int64_t axes = reader.next();
    one.axes = static_cast<int>(axes < 0 ? -axes : axes);
    one.is_free = axes < 0;
  }
  std::vector<Object> arguments(static_cast<size_t>(reader.next()));
  for (Object& argument : arguments) argument = reader.read();
  std::vector<std::string> names(static_cast<size_t>(reader.next()));
  for (std::string& named : names) named = kernel::interned_text(reader.next());
  if (routine) names = name_arguments(*routine, arguments);
  const std::string name = routine ? std::string(routine->name) : object->name();
  const Object function = routine ? find_function(name) : Object(Py_NewRef(object->function()));
  const HostCallTimer timer(file, line, name);
  const bool draws = stream && (!routine || routine->name.starts_with("numpy.random."));
  if (draws) stream->finish();
  python_stream.finish();
  Object value;
  try {
    value = call(function.get(), arguments, names);
  } catch (const ErrorAlreadySet&) {
    if (!has_raised) throw;
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    PyErr_NormalizeException(&kind, &error, &trace);
    if (trace) PyException_SetTraceback(error, trace);
    Py_XDECREF(kind);
    Py_XDECREF(trace);
    raised = Object(error);
    *has_raised = true;
  }
  if (draws) stream->begin();
  results.clear();
  const size_t values = expected.size() - reader.changed().size();
  for (size_t k = 0; k < expected.size(); ++k) {
    Object part;
    if (!value && k < values) {
      const int words = expected[k].axes == 0 ? 2 : 1 + expected[k].axes;
      results.insert(results.end(), static_cast<size_t>(words), 0);
      continue;
    }
    if (k >= values)
      part = Object(Py_NewRef(reader.changed()[k - values].get()));
    else if (values == 1 && !PyTuple_Check(value.get()) && !PyList_Check(value.get()))
      part = Object(Py_NewRef(value.get()));
    else
      part = owned(PySequence_GetItem(value.get(), static_cast<Py_ssize_t>(k)));
    append_result(*this, name, expected[k], part.get());
  }
}

}  // namespace tessera::bind
