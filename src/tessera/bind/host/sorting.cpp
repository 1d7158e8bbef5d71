#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/library/host/copy.h"
#include "tessera/library/host/sort.h"

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

PyObject* sort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("sort", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    Rows rows(array, arguments.at(1, "axis"));
    arguments.at(2, "kind");
    arguments.finish(3);
    if (auto sorted = device_sort(Engine::instance(), rows.moved, false)) return wrap(restore_axis(*sorted, rows.axis));
    Fresh copy = fresh(rows.moved.shape(), array.dtype());
    library::copy_view(Engine::instance().read(array), rows.moved.view, copy.data, copy.array.view);
    without_gil(array.size(), [&] { library::sort_rows(copy.data, array.dtype(), rows.rows, rows.n); });
    return wrap(restore_axis(copy.array, rows.axis));
  });
}

PyObject* argsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("argsort", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    PyObject* axis = arguments.at(1, "axis");
    arguments.at(2, "kind");
    arguments.finish(3);
    if (array.ndim() == 0 && (is_none(axis) || to_int(axis) == -1 || to_int(axis) == 0)) {
      Fresh zero = fresh({}, DType::int64);
      *zero.as<int64_t>() = 0;
      return wrap(zero.array);
    }
    Rows rows(array, axis);
    if (auto order = device_sort(Engine::instance(), rows.moved, true)) return wrap(restore_axis(*order, rows.axis));
    Packed packed(rows.moved);
    Fresh order = fresh(rows.moved.shape(), DType::int64);
    without_gil(array.size(),
                [&] { library::argsort_rows(packed.data(), array.dtype(), rows.rows, rows.n, order.as<int64_t>()); });
    return wrap(restore_axis(order.array, rows.axis));
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

enum class Partition : uint8_t { elements, indices, places };

/// A device sorts where the host partitions by sorting; otherwise it partitions to the same order as the host.
std::optional<Array> part_on_device(const Array& moved, std::span<const int64_t> places, bool indices) {
  if (places.empty()) return {};
  Engine& engine = Engine::instance();
  if (library::parts_by_sort(moved.dtype(), moved.shape().back(), places)) return device_sort(engine, moved, indices);
  return device_partition(engine, moved, places, indices);
}

PyObject* partition_by(const char* name, Partition what, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call(name, args, nargs, names, [&](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    PyObject* kth = arguments.needed(1, "kth");
    Rows rows(array, arguments.at(2, "axis"));
    arguments.finish(3);
    std::vector<int64_t> places = to_places(kth, rows.n, array.size() == 0);
    // A device sorts as fast as it partitions.
    if (what == Partition::places) {
      if (auto sorted = device_sort(Engine::instance(), rows.moved, false))
        return wrap(restore_axis(*sorted, rows.axis));
    }
    const bool indices = what == Partition::indices;
    if (auto parted = part_on_device(rows.moved, places, indices)) return wrap(restore_axis(*parted, rows.axis));
    Packed packed(rows.moved);
    Fresh out = fresh(rows.moved.shape(), indices ? DType::int64 : array.dtype());
    without_gil(array.size(), [&] {
      if (indices)
        library::argpartition_rows(packed.data(), array.dtype(), rows.rows, rows.n, places, out.as<int64_t>());
      else
        library::partition_rows(packed.data(), array.dtype(), rows.rows, rows.n, places, out.data);
    });
    return wrap(restore_axis(out.array, rows.axis));
  });
}

PyObject* partition(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return partition_by("partition", Partition::elements, args, nargs, names);
}

PyObject* argpartition(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return partition_by("argpartition", Partition::indices, args, nargs, names);
}

PyObject* order_places(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return partition_by("order_places", Partition::places, args, nargs, names);
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

/// Orders by the first key, then stably by each later key.
std::optional<Array> order_on_device(const std::vector<Array>& keys, const Rows& rows) {
  Engine& engine = Engine::instance();
  std::optional<Array> order = device_sort(engine, rows.moved, true);
  for (size_t k = 1; k < keys.size() && order; ++k)
    order = device_refine(engine, keys[k].with_view(axis_last(keys[k].view, rows.axis)), *order);
  return order;
}

PyObject* lexsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("lexsort", args, nargs, names, [](Arguments& arguments) {
    std::vector<Array> keys = to_keys(arguments.needed(0, "keys"));
    PyObject* axis = arguments.at(1, "axis");
    arguments.finish(2);
    if (keys[0].ndim() == 0) return PyLong_FromLong(0);
    Rows rows(keys[0], axis);
    if (auto order = order_on_device(keys, rows)) return wrap(restore_axis(*order, rows.axis));
    Fresh order = fresh(rows.moved.shape(), DType::int64);
    bool first = true;
    for (const Array& key : keys) {
      Packed packed(key.with_view(axis_last(key.view, rows.axis)));
      int64_t row_bytes = rows.n * itemsize(key.dtype());
      without_gil(key.size(), [&] {
        if (first) library::argsort_rows(packed.data(), key.dtype(), rows.rows, rows.n, order.as<int64_t>());
        for (int64_t r = 0; !first && r < rows.rows; ++r)
          library::refine_order(packed.data() + r * row_bytes, key.dtype(), rows.n, order.as<int64_t>() + r * rows.n);
      });
      first = false;
    }
    return wrap(restore_axis(order.array, rows.axis));
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
