#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"

namespace tessera::bind {

namespace {

/// An operand with the axis last, and its number of rows.
struct Rows {
  int axis;
  Array moved;
  int64_t n, rows;
  Rows(const Array& array, PyObject* axis_object) {
    axis = normalize_axis(is_none(axis_object) ? -1 : to_int(axis_object), array.ndim());
    moved = array.with_view(axis_last(array.view, axis));
    n = array.shape()[axis];
    rows = n ? array.size() / n : 0;
  }
};

/// The routine's result for rows along the axis, with the axis back in its position.
PyObject* call_on_rows(std::string_view routine, const Rows& rows, const ops::Arguments& arguments = {}) {
  return wrap(restore_axis(Engine::instance().call(routine, {rows.moved}, arguments, current_context()), rows.axis));
}

PyObject* sort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("sort", args, nargs, names, [](Arguments& arguments) {
    const Rows rows(needed_array(arguments.needed(0, "a")), arguments.at(1, "axis"));
    arguments.at(2, "kind");
    arguments.finish(3);
    return call_on_rows("sort", rows);
  });
}

PyObject* argsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("argsort", args, nargs, names, [](Arguments& arguments) {
    const Array array = needed_array(arguments.needed(0, "a"));
    PyObject* axis = arguments.at(1, "axis");
    arguments.at(2, "kind");
    arguments.finish(3);
    if (array.ndim() == 0 && (is_none(axis) || to_int(axis) == -1 || to_int(axis) == 0)) {
      Fresh zero = fresh({}, DType::int64);
      *zero.as<int64_t>() = 0;
      return wrap(zero.array);
    }
    return call_on_rows("argsort", Rows(array, axis));
  });
}

/// kth: an int or a sequence of ints, negative ones counting from the end; returned sorted and distinct. Arrays without
/// elements accept any value.
std::vector<int64_t> to_places(PyObject* kth, int64_t n, bool empty) {
  Array array = needed_array(kth);
  require<TypeError>(is_integer(array.dtype()), "Partition index must be integer");
  require<ValueError>(array.ndim() <= 1, "kth array must have dimension <= 1");
  Packed packed(array, DType::int64);
  std::vector<int64_t> places(packed.as<int64_t>(), packed.as<int64_t>() + packed.size());
  if (empty) return {};
  for (int64_t& place : places) {
    int64_t given = place;
    if (place < 0) place += n;
    require<ValueError>(place >= 0 && place < n, "kth(={}) out of bounds ({})", given < 0 ? place : given, n);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

PyObject* partition_by(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call(name, args, nargs, names, [&](Arguments& arguments) {
    const Array array = needed_array(arguments.needed(0, "a"));
    PyObject* kth = arguments.needed(1, "kth");
    const Rows rows(array, arguments.at(2, "axis"));
    arguments.finish(3);
    ops::Arguments places;
    for (int64_t place : to_places(kth, rows.n, array.size() == 0)) places.add(place);
    return call_on_rows(name, rows, places);
  });
}

PyObject* partition(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return partition_by("partition", args, nargs, names);
}

PyObject* argpartition(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return partition_by("argpartition", args, nargs, names);
}

PyObject* order_places(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return partition_by("order_places", args, nargs, names);
}

/// The keys of lexsort: the rows of an array, or a sequence of arrays of one shape.
std::vector<Array> to_keys(PyObject* object) {
  std::vector<Array> keys;
  if (is_ndarray(object)) {
    const Array& array = as_ndarray(object)->array;
    require<TypeError>(array.ndim() > 0, "need sequence of keys with len > 0 in lexsort");
    for (int64_t k = 0; k < array.shape()[0]; ++k) keys.push_back(array.with_view(array.view.select(0, k)));
  } else {
    Object items = owned(PySequence_Fast(object, "need sequence of keys with len > 0 in lexsort"));
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.get()); ++k)
      keys.push_back(needed_array(PySequence_Fast_GET_ITEM(items.get(), k)));
  }
  require<TypeError>(!keys.empty(), "need sequence of keys with len > 0 in lexsort");
  for (const Array& key : keys)
    require<ValueError>(key.shape() == keys[0].shape(), "all keys need to be the same shape");
  return keys;
}

PyObject* lexsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("lexsort", args, nargs, names, [](Arguments& arguments) {
    std::vector<Array> keys = to_keys(arguments.needed(0, "keys"));
    PyObject* axis = arguments.at(1, "axis");
    arguments.finish(2);
    if (keys[0].ndim() == 0) return PyLong_FromLong(0);
    Rows rows(keys[0], axis);
    for (Array& key : keys) key = key.with_view(axis_last(key.view, rows.axis));
    const auto& routine = Engine::routine("lexsort");
    return wrap(restore_axis(Engine::instance().call_for_one(routine, keys, {}, current_context()), rows.axis));
  });
}

}  // namespace

std::vector<PyMethodDef> sorting_methods() {
  return {host_method("sort", sort, "A copy sorted along an axis."),
          host_method("argsort", argsort, "The indices that sort along an axis; equal elements keep their order."),
          host_method("partition", partition, "A copy with the kth elements where sorting would put them."),
          host_method("order_places", order_places, "The same, with the other elements anywhere."),
          host_method("argpartition", argpartition, "The indices that partition along an axis."),
          host_method("lexsort", lexsort, "The indices that sort by several keys, the last one first.")};
}

}  // namespace tessera::bind
