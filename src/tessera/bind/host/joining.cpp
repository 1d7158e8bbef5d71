#include <algorithm>
#include <numeric>

#include "tessera/base/error.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/ufunc/ufunc_apply.h"
#include "tessera/library/host/copy.h"

namespace tessera::bind {

namespace {

Casting joining_casting(PyObject* object) {
  if (is_none(object)) return Casting::same_kind;
  require<TypeError>(PyUnicode_Check(object), "casting must be a string, not {}", Py_TYPE(object)->tp_name);
  constexpr std::pair<std::string_view, Casting> table[] = {{"no", Casting::no},
                                                            {"equiv", Casting::equiv},
                                                            {"safe", Casting::safe},
                                                            {"same_kind", Casting::same_kind},
                                                            {"unsafe", Casting::unsafe}};
  std::string_view text = PyUnicode_AsUTF8(object);
  for (const auto& [name, casting] : table)
    if (name == text) return casting;
  throw ValueError(format("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{}')", text));
}

std::vector<Array> to_arrays(PyObject* sequence) {
  Object items = owned(PySequence_Fast(sequence, "The first input argument needs to be a sequence"));
  std::vector<Array> arrays;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.get()); ++k)
    arrays.push_back(needed_array(PySequence_Fast_GET_ITEM(items.get(), k)));
  require<ValueError>(!arrays.empty(), "need at least one array to concatenate");
  return arrays;
}

DType common_dtype(const std::vector<Array>& arrays) {
  DType dtype = arrays[0].dtype();
  for (const Array& array : arrays) dtype = promote(dtype, array.dtype());
  return dtype;
}

/// The same for a list that may hold Python numbers, which do not change the arrays' dtype.
DType flat_dtype(PyObject* sequence, const std::vector<Array>& arrays) {
  Object items = owned(PySequence_Fast(sequence, "The first input argument needs to be a sequence"));
  auto is_number = [&](size_t k) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(k));
    return PyFloat_CheckExact(item) || PyLong_CheckExact(item) || PyComplex_CheckExact(item);
  };
  std::optional<DType> strong;
  for (size_t k = 0; k < arrays.size(); ++k) {
    if (!is_number(k)) strong = strong ? promote(*strong, arrays[k].dtype()) : arrays[k].dtype();
  }
  if (!strong) return common_dtype(arrays);
  DType dtype = *strong;
  for (size_t k = 0; k < arrays.size(); ++k) {
    if (is_number(k)) dtype = promote_weak(dtype, info(arrays[k].dtype()).kind);
  }
  return dtype;
}

/// The shape of the concatenated arrays; throws where they do not fit.
Dims joined_shape(const std::vector<Array>& arrays, int axis) {
  Dims shape = arrays[0].shape();
  for (size_t k = 1; k < arrays.size(); ++k) {
    const Dims& other = arrays[k].shape();
    require<ValueError>(
        other.size() == shape.size(),
        "all the input arrays must have same number of dimensions, but the array at index 0 has {} dimension(s) "
        "and the array at index {} has {} dimension(s)",
        shape.size(), k, other.size());
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
      if (d == axis) continue;
      require<ValueError>(
          other[d] == shape[d],
          "all the input array dimensions except for the concatenation axis must match exactly, but along "
          "dimension {}, the array at index 0 has size {} and the array at index {} has size {}",
          d, shape[d], k, other[d]);
    }
    shape[axis] += other[axis];
  }
  return shape;
}

Array join(const std::vector<Array>& arrays, int axis, const Dims& shape, DType dtype) {
  checked_size(shape, itemsize(dtype));
  std::vector<const View*> views;
  for (const Array& array : arrays) views.push_back(&array.view);
  return Engine::instance().join(arrays, axis, common_layout(shape, dtype, views));
}

PyObject* concatenate(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("concatenate", args, nargs, names, [](Arguments& arguments) {
    PyObject* sequence = arguments.needed(0, "arrays");
    PyObject* axis_object = arguments.at(1, "axis");
    PyObject* out = arguments.at(2, "out");
    PyObject* dtype_object = arguments.at(3, "dtype");
    Casting casting = joining_casting(arguments.at(4, "casting"));
    arguments.finish(5);
    std::vector<Array> arrays = to_arrays(sequence);
    if (axis_object == Py_None) {
      for (Array& array : arrays) array = flattened(array);
    }
    require<ValueError>(arrays[0].ndim() > 0, "zero-dimensional arrays cannot be concatenated");
    int axis = axis_object == Py_None ? 0 : normalize_axis(axis_object ? to_int(axis_object) : 0, arrays[0].ndim());
    Dims shape = joined_shape(arrays, axis);
    DType dtype = axis_object == Py_None ? flat_dtype(sequence, arrays) : common_dtype(arrays);
    if (!is_none(dtype_object)) {
      require<TypeError>(is_none(out),
                         "concatenate() only takes `out` or `dtype` as an argument, but both were provided.");
      auto wanted = to_dtype(dtype_object);
      if (!wanted) throw ForeignArgument{};
      dtype = *wanted;
    } else if (!is_none(out) && is_ndarray(out)) {
      dtype = as_ndarray(out)->array.dtype();
      require<ValueError>(as_ndarray(out)->array.shape() == shape, "Output array is the wrong shape");
    }
    for (const Array& array : arrays) {
      require<TypeError>(can_cast(array.dtype(), dtype, casting),
                         "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule 'same_kind'",
                         array.dtype(), dtype);
      warn_when_complex_is_cut(array.dtype(), dtype);
    }
    return deliver("concatenate", join(arrays, axis, shape, dtype), out);
  });
}

PyObject* repeat(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("repeat", args, nargs, names, [](Arguments& arguments) {
    Array array = needed_array(arguments.needed(0, "a"));
    Array repeats = index_array(arguments.needed(1, "repeats"), Casting::safe);
    PyObject* axis_object = arguments.at(2, "axis");
    arguments.finish(3);
    if (is_none(axis_object) || array.ndim() == 0) array = flattened(array);
    int axis = to_axis(axis_object, array.ndim(), 0);
    require<ValueError>(repeats.ndim() <= 1, "object too deep for desired array");
    int64_t n = array.shape()[axis];
    bool one = repeats.size() == 1;
    require<ValueError>(one || repeats.size() == n, "operands could not be broadcast together with shape ({},) ({},)",
                        n, repeats.size());
    Engine& engine = Engine::instance();
    if (one) {
      const int64_t count = *Packed(repeats, DType::int64).as<int64_t>();
      return wrap(engine.call("repeat_each", {array}, {axis, count}, current_context()));
    }
    return wrap(engine.call("repeat", {array, in_dtype(repeats, DType::int64)}, {axis}, current_context()));
  });
}

/// Python integers take the other operand's dtype and must fit it.
void check_weak_integer(const Operand& operand, DType dtype) {
  if (!operand.is_scalar() || !operand.weak || !is_integer(operand.dtype()) || !is_integer(dtype)) return;
  bool fits = operand.scalar.cast_to(dtype).cast_to(operand.dtype()) == operand.scalar;
  if (operand.scalar.as_int() < 0) fits = fits && is_signed_integer(dtype);
  if (!fits) {
    std::string text = operand.dtype() == DType::uint64 ? std::to_string(static_cast<uint64_t>(operand.scalar.as_int()))
                                                        : std::to_string(operand.scalar.as_int());
    throw OverflowError(format("Python integer {} out of bounds for {}", text, dtype));
  }
}

DType where_dtype(const Operand& x, const Operand& y) {
  if (x.weak == y.weak) return promote(x.dtype(), y.dtype());
  const Operand& weak = x.weak ? x : y;
  return promote_weak((x.weak ? y : x).dtype(), info(weak.dtype()).kind);
}

PyObject* where(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return host_call("where", args, nargs, names, [](Arguments& arguments) {
    PyObject* objects[] = {arguments.needed(0, "condition"), arguments.needed(1, "x"), arguments.needed(2, "y")};
    arguments.finish(3);
    std::optional<Operand> operands[3];
    for (int k = 0; k < 3; ++k)
      if (to_operand(objects[k], operands[k]) == Conversion::foreign) throw ForeignArgument{};
    DType dtype = where_dtype(*operands[1], *operands[2]);
    static const ops::Op* select = ops::OpTable::standard().find("select");
    auto signature = std::find_if(select->signatures.begin(), select->signatures.end(),
                                  [&](const ops::Signature& s) { return s.out[0] == dtype; });
    for (int k = 1; k < 3; ++k) {
      check_weak_integer(*operands[k], dtype);
      if (operands[k]->is_scalar()) operands[k] = Operand(cast_watched(operands[k]->scalar, dtype));
    }
    if (operands[0]->is_scalar()) operands[0] = Operand(operands[0]->scalar.cast_to(DType::boolean));
    const Operand all[] = {*operands[0], *operands[1], *operands[2]};
    Array result;
    Engine::instance().map(*select, *signature, all, std::span(&result, 1), nullptr, Context{});
    return wrap(std::move(result));
  });
}

}  // namespace

std::vector<PyMethodDef> joining_methods() {
  return {host_method("concatenate", concatenate, "Arrays put end to end along an axis."),
          host_method("repeat", repeat, "Each element several times over."),
          host_method("where", where, "Elements of x where the condition holds, else of y.")};
}

}  // namespace tessera::bind
