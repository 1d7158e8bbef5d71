#include <algorithm>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"

namespace tessera::bind {

namespace {

bool to_side(PyObject* side) {
  if (is_none(side)) return false;
  require<TypeError>(PyUnicode_Check(side), "search side must be a string, not {}", Py_TYPE(side)->tp_name);
  std::string_view text = PyUnicode_AsUTF8(side);
  require<ValueError>(text == "left" || text == "right", "search side must be one of 'left' or 'right' (got '{}')",
                      text);
  return text == "right";
}

PyObject* searchsorted(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("searchsorted", args, nargs, names, [](Arguments& arguments) {
    Array keys = needed_array(arguments.needed(0, "a")), values = needed_array(arguments.needed(1, "v"));
    bool right = to_side(arguments.at(2, "side"));
    PyObject* sorter_object = arguments.at(3, "sorter");
    arguments.finish(4);
    require<ValueError>(keys.ndim() == 1, keys.ndim() ? "object too deep for desired array"
                                                      : "object of too small depth for desired array");
    std::optional<Array> sorter;
    if (!is_none(sorter_object)) {
      sorter = needed_array(sorter_object);
      require<TypeError>(is_integer(sorter->dtype()) || is_boolean(sorter->dtype()),
                         "sorter must only contain integers");
      require<ValueError>(sorter->ndim() == 1, "object too deep for desired array");
      require<ValueError>(sorter->size() == keys.size(), "sorter.size must equal len(a)");
    }
    DType dtype = promote(keys.dtype(), values.dtype());
    std::vector<Array> operands{in_dtype(keys, dtype), in_dtype(values, dtype)};
    if (sorter) operands.push_back(in_dtype(*sorter, DType::int64));
    const auto& routine = Engine::routine(sorter ? "searchsorted_by" : "searchsorted");
    return deliver("searchsorted", Engine::instance().call_for_one(routine, operands, {right}, current_context()),
                   nullptr);
  });
}

/// NumPy still truncates the elements of a sequence, with a warning; arrays must hold integers.
Array bincount_values(PyObject* object) {
  if (is_ndarray(object) || PyArray_Check(object)) return index_array(object, Casting::safe);
  Array array = needed_array(object);
  if (array.size() > 0 && !is_integer(array.dtype()) && !is_boolean(array.dtype())) {
    checked(PyErr_WarnEx(PyExc_DeprecationWarning,
                         "Non-integer input passed to bincount. In a future version of NumPy, this will be an error. "
                         "(Deprecated NumPy 2.1)",
                         1));
  }
  return array;
}

PyObject* bincount(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("bincount", args, nargs, names, [](Arguments& arguments) {
    Array values = bincount_values(arguments.needed(0, "x"));
    PyObject* weights_object = arguments.at(1, "weights");
    PyObject* minlength_object = arguments.at(2, "minlength");
    arguments.finish(3);
    require<TypeError>(minlength_object != Py_None, "'NoneType' object cannot be interpreted as an integer");
    int64_t minlength = minlength_object ? to_int(minlength_object) : 0;
    require<ValueError>(minlength >= 0, "'minlength' must not be negative");
    require<ValueError>(values.ndim() == 1, values.ndim() ? "object too deep for desired array"
                                                          : "object of too small depth for desired array");
    std::optional<Array> weights;
    if (!is_none(weights_object)) {
      weights = needed_array(weights_object);
      require<TypeError>(can_cast(weights->dtype(), DType::float64, Casting::safe),
                         "Cannot cast array data from dtype('{}') to dtype('float64') according to the rule 'safe'",
                         weights->dtype());
      require<ValueError>(weights->ndim() == 1 && weights->size() == values.size(),
                          "The weights and list don't have the same length.");
    }
    Engine& engine = Engine::instance();
    std::vector<Array> operands{in_dtype(values, DType::int64)};
    if (weights) operands.push_back(in_dtype(*weights, DType::float64));
    return wrap(engine.call_for_one(Engine::routine("bincount"), operands, {minlength}, current_context()));
  });
}

PyObject* interp(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("interp", args, nargs, names, [](Arguments& arguments) {
    Array x = needed_array(arguments.needed(0, "x")), xp = needed_array(arguments.needed(1, "xp"));
    Array fp = needed_array(arguments.needed(2, "fp"));
    PyObject* ends[] = {arguments.at(3, "left"), arguments.at(4, "right")};
    arguments.finish(5);
    for (const Array* real : {&x, &xp}) {
      require<TypeError>(can_cast(real->dtype(), DType::float64, Casting::safe) || is_integer(real->dtype()),
                         "Cannot cast array data from dtype('{}') to dtype('float64') according to the rule 'safe'",
                         real->dtype());
    }
    require<ValueError>(xp.ndim() == 1 && fp.ndim() == 1, "object too deep for desired array");
    require<ValueError>(xp.size() > 0, "array of sample points is empty");
    require<ValueError>(xp.size() == fp.size(), "fp and xp are not of the same length.");
    const DType dtype = is_complex(fp.dtype()) ? DType::complex128 : DType::float64;
    ops::Arguments outside;
    for (PyObject* end : ends) {
      double parts[2] = {};
      if (!is_none(end))
        std::memcpy(parts, Packed(needed_array(end), dtype).data(), static_cast<size_t>(itemsize(dtype)));
      outside.add(!is_none(end));
      for (double part : parts) outside.add(part);
    }
    const std::vector<Array> operands{in_dtype(x, DType::float64), in_dtype(xp, DType::float64), in_dtype(fp, dtype)};
    static const ops::Routine& routine = Engine::routine("interp");
    return deliver("interp", Engine::instance().call_for_one(routine, operands, outside, current_context()), nullptr);
  });
}

}  // namespace

std::vector<PyMethodDef> searching_methods() {
  return {host_method("searchsorted", searchsorted, "Where values would be inserted to keep an array sorted."),
          host_method("bincount", bincount, "How often each non-negative integer occurs, or the sum of its weights."),
          host_method("interp", interp, "Piecewise linear interpolation.")};
}

}  // namespace tessera::bind
