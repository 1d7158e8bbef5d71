#include "tessera/bind/kernel/launch/launch_extents.h"

#include <nanobind/stl/string.h>

#include "tessera/base/error.h"

namespace tessera::bind {

namespace nb = nanobind;

std::string LaunchName::get() const { return text_ ? *text_ : nb::cast<std::string>(kernel_.attr("__name__")); }

int64_t extent_of(const LaunchName& kernel, nb::handle given, nb::handle axis, const char* what) {
  const nb::object number = nb::steal(PyNumber_Index(axis.ptr()));
  if (!number) {
    PyErr_Clear();
    throw TypeError(
        format("{}: the {} is {}, which are no integers", kernel.get(), what, nb::cast<std::string>(nb::repr(given))));
  }
  int overflow = 0;
  const int64_t extent = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow == 0 ? extent : overflow < 0 ? INT64_MIN : INT64_MAX;
}

std::array<int64_t, 3> extents_of(const LaunchName& kernel, nb::handle given, const char* what) {
  std::array<int64_t, 3> extents{1, 1, 1};
  if (!PyTuple_Check(given.ptr()) && !PyList_Check(given.ptr())) {
    extents[0] = extent_of(kernel, given, given, what);
    return extents;
  }
  const size_t axes = nb::len(given);
  if (axes < 1 || axes > 3)
    throw ValueError(format("{}: the {} has one to three axes, not {}", kernel.get(), what, axes));
  for (size_t axis = 0; axis < axes; ++axis) extents[axis] = extent_of(kernel, given, given[axis], what);
  return extents;
}

bool is_zero_or_none(nb::handle object) {
  if (object.is_none()) return true;
  return PyLong_Check(object.ptr()) && PyObject_Not(object.ptr()) == 1;
}

}  // namespace tessera::bind
