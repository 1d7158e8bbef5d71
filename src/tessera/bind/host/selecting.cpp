#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/library/host/select.h"

namespace tessera::bind {

namespace {

PyObject* count_nonzero(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("count_nonzero", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    arguments.finish(1);
    return deliver("count_nonzero", Engine::instance().call("count_nonzero", {array}, {}, current_context()), nullptr);
  });
}

PyObject* nonzero(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("nonzero", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    arguments.finish(1);
    require<ValueError>(array.ndim() > 0,
                        "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.");
    static const ops::Routine& routine = Engine::routine("nonzero");
    std::vector<Array> found = Engine::instance().call(routine, std::span(&array, 1), {}, current_context());
    Object result = owned(PyTuple_New(array.ndim()));
    for (int axis = 0; axis < array.ndim(); ++axis)
      PyTuple_SET_ITEM(result.get(), axis, checked(wrap(std::move(found[axis]))));
    return result.release();
  });
}

/// The mask's shape must equal the array's leading extents.
void check_mask(const Array& array, const Array& mask) {
  require<IndexError>(is_boolean(mask.dtype()), "arrays used as masks must be of boolean type, not {}", mask.dtype());
  require<IndexError>(mask.ndim() <= array.ndim(),
                      "too many indices for array: array is {}-dimensional, but {} were indexed", array.ndim(),
                      mask.ndim());
  for (int axis = 0; axis < mask.ndim(); ++axis) {
    require<IndexError>(
        mask.shape()[axis] == array.shape()[axis],
        "boolean index did not match indexed array along axis {}; size of axis is {} but size of corresponding "
        "boolean axis is {}",
        axis, array.shape()[axis], mask.shape()[axis]);
  }
}

/// The result's shape: the number of selected elements, then the axes that the mask does not have.
Dims chosen_shape(const Array& array, const Array& mask, int64_t count) {
  Dims shape{count};
  for (int axis = mask.ndim(); axis < array.ndim(); ++axis) shape.push_back(array.shape()[axis]);
  return shape;
}

PyObject* mask_select(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("mask_select", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a")), mask = needed_array(arguments.needed(1, "mask"));
    arguments.finish(2);
    return wrap(Engine::instance().call("mask_select", {array, mask}, {}, current_context()));
  });
}

PyObject* mask_assign(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("mask_assign", args, nargs, names, [](Arguments& arguments) {
    PyObject* target = arguments.needed(0, "a");
    require<TypeError>(is_ndarray(target), "mask_assign: expected a tessera array, got '{}'", Py_TYPE(target)->tp_name);
    require_writeable(as_ndarray(target), "assignment destination is read-only");
    const Array& array = as_ndarray(target)->array;
    Array mask = needed_array(arguments.needed(1, "mask"));
    Array values = needed_array(arguments.needed(2, "values"));
    arguments.finish(3);
    check_mask(array, mask);
    Packed chooser(mask);
    int64_t count = library::count_nonzero(chooser.data(), DType::boolean, chooser.size());
    bool one = values.size() == 1;
    Dims shape = chosen_shape(array, mask, count);
    Packed packed(one ? values : values.with_view(values.view.broadcast_to(shape)), array.dtype());
    char* to = Engine::instance().write(array);
    View mask_view = View::contiguous(mask.shape(), DType::boolean);
    library::mask_assign(to, array.view, chooser.data(), mask_view, packed.data(), one);
    return Py_NewRef(Py_None);
  });
}

}  // namespace

std::vector<PyMethodDef> selecting_methods() {
  return {host_method("count_nonzero", count_nonzero, "How many elements are not zero."),
          host_method("nonzero", nonzero, "The coordinates of the elements that are not zero, one array an axis."),
          host_method("mask_select", mask_select, "The elements (or blocks) that a boolean mask chooses, in C order."),
          host_method("mask_assign", mask_assign, "Writes values where a boolean mask is true.")};
}

}  // namespace tessera::bind
