#include "tessera/bind/convert/python_call.h"

#include <string_view>
#include <unordered_map>

#include "tessera/base/small_vector.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

namespace {

using Cache = std::unordered_map<std::string_view, PyObject*>;

PyObject* look_up(Cache& cache, const char* module, const char* name) {
  auto found = cache.find(name);
  if (found != cache.end()) return found->second;
  PyObject* function = import_attribute(module, name);
  cache.emplace(name, function);
  return function;
}

}  // namespace

PyObject* numpy_function(const char* name) {
  static Cache cache;
  return look_up(cache, "tessera.numpy", name);
}

PyObject* core_function(const char* name, const char* attribute) {
  static Cache functions, attributes;
  if (!attribute) return look_up(functions, "tessera._core", name);
  auto found = attributes.find(name);
  if (found != attributes.end()) return found->second;
  PyObject* value = checked(PyObject_GetAttrString(look_up(functions, "tessera._core", name), attribute));
  attributes.emplace(name, value);
  return value;
}

PyObject* call_with_self(PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  size_t total = static_cast<size_t>(nargs) + (names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0);
  SmallVector<PyObject*, 8> all;
  all.push_back(self);
  for (size_t i = 0; i < total; ++i) all.push_back(args[i]);
  return PyObject_Vectorcall(function, all.data(), static_cast<size_t>(nargs) + 1, names);
}

PyObject* forward_method(PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  called_by_method = true;
  PyObject* result = call_with_self(function, self, args, nargs, names);
  called_by_method = false;
  return result;
}

PyObject* forward_method(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] { return forward_method(numpy_function(name), self, args, nargs, names); });
}

}  // namespace tessera::bind
