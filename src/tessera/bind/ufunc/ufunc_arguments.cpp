#include "tessera/bind/ufunc/ufunc_arguments.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/convert.h"

namespace tessera::bind {

namespace {

void check_count(const ops::Op& op, Py_ssize_t nargs) {
  if (nargs >= op.nin && nargs <= op.nin + op.nout) return;
  throw TypeError(format("{}() takes from {} to {} positional arguments but {} {} given", op.name, int{op.nin},
                         op.nin + op.nout, nargs, nargs == 1 ? "was" : "were"));
}

PyObject* one_output(PyObject* out) { return out == Py_None ? nullptr : out; }

PyObject* positional_output(PyObject* out) {
  require<TypeError>(out != Py_Ellipsis, "out=... is only allowed as a keyword argument.");
  return one_output(out);
}

void read_out_keyword(UfuncCall& call, PyObject* out) {
  require<TypeError>(call.outputs.empty(), "cannot specify 'out' as both a positional and keyword argument");
  size_t nout = call.op.nout;
  if (out == Py_Ellipsis) {
    call.always_array = true;
  } else if (PyTuple_Check(out)) {
    require<ValueError>(PyTuple_GET_SIZE(out) == static_cast<Py_ssize_t>(nout),
                        "The 'out' tuple must have exactly one entry per ufunc output");
    for (size_t k = 0; k < nout; ++k)
      call.outputs.push_back(one_output(PyTuple_GET_ITEM(out, static_cast<Py_ssize_t>(k))));
  } else {
    require<TypeError>(nout == 1 || out == Py_None, "'out' must be a tuple of arrays");
    for (size_t k = 0; k < nout; ++k) call.outputs.push_back(one_output(out));
  }
}

Order to_ufunc_order(PyObject* object) {
  std::string_view text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : "";
  if (object == Py_None || text == "K" || text == "k") return Order::k;
  if (text == "C" || text == "c") return Order::c;
  if (text == "F" || text == "f") return Order::f;
  require<ValueError>(text == "A" || text == "a", "order must be one of 'C', 'F', 'A', or 'K' (got '{}')", text);
  return Order::a;
}

[[noreturn]] void fail_type_string(const ops::Op& op) {
  throw ValueError(format("a type-string for {}, {} typecode(s) before and {} after the -> sign", op.name, int{op.nin},
                          int{op.nout}));
}

std::vector<std::optional<DType>> from_type_string(const ops::Op& op, std::string_view text) {
  std::vector<std::optional<DType>> fixed;
  size_t arrow = text.find("->");
  require<TypeError>(text.size() != 1, "The signature '{}' names one type of {}. Use `dtype` instead.", text,
                     op.nin + op.nout);
  if (arrow != op.nin || text.size() != size_t{2} + op.nin + op.nout) fail_type_string(op);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == arrow)
      ++i;
    else {
      char code = text[i] == 'q' ? 'l' : text[i] == 'Q' ? 'L' : text[i];
      auto dtype = dtype_from_code(code);
      if (!dtype) throw Foreign{format("the signature '{}' names a type that stays NumPy's", text)};
      fixed.push_back(dtype);
    }
  }
  return fixed;
}

}  // namespace

void refuse_unknown_keywords(std::string_view function, PyObject* names, std::initializer_list<const char*> known) {
  if (!names) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(names, i);
    bool found = std::any_of(known.begin(), known.end(),
                             [&](const char* k) { return PyUnicode_CompareWithASCIIString(keyword, k) == 0; });
    require<TypeError>(found, "{}() got an unexpected keyword argument '{}'", function, PyUnicode_AsUTF8(keyword));
  }
}

void check_call(const ops::Op& op, Py_ssize_t nargs, PyObject* names) {
  check_count(op, nargs);
  refuse_unknown_keywords(op.name, names, {"out", "where", "casting", "order", "dtype", "subok", "signature", "sig"});
}

UfuncCall read_call(const ops::Op& op, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  check_call(op, nargs, names);
  UfuncCall call{.op = op};
  for (Py_ssize_t i = 0; i < op.nin; ++i) call.inputs.push_back(args[i]);
  for (Py_ssize_t i = op.nin; i < nargs; ++i) call.outputs.push_back(positional_output(args[i]));
  if (!call.outputs.empty()) call.outputs.resize(op.nout, nullptr);
  if (!names) return call;
  const std::string function(op.name);
  Arguments keywords(function.c_str(), args, nargs, names);
  if (PyObject* out = keywords.take("out")) read_out_keyword(call, out);
  call.where = keywords.take("where");
  call.casting = to_casting(keywords.take("casting"));
  if (PyObject* order = keywords.take("order")) call.order = to_ufunc_order(order);
  if (PyObject* subok = keywords.take("subok")) {
    require<TypeError>(PyBool_Check(subok), "'subok' must be a boolean");
    call.keeps_class = subok == Py_True;
  }
  PyObject* dtype = keywords.take("dtype");
  PyObject* sig = keywords.take("sig");
  PyObject* signature = keywords.take("signature");
  require<TypeError>(!sig || !signature, "cannot specify both 'sig' and 'signature'");
  if (!signature) signature = sig;
  require<TypeError>(is_none(signature) || is_none(dtype), "cannot specify both 'signature' and 'dtype'");
  if (!is_none(signature)) {
    call.fixed = to_fixed(op, signature);
  } else if (auto wanted = to_native_dtype(dtype)) {
    call.fixed.resize(op.nin + op.nout);
    std::fill(call.fixed.begin() + op.nin, call.fixed.end(), wanted);
  }
  return call;
}

Casting to_casting(PyObject* object) {
  if (!object) return Casting::same_kind;
  std::string_view text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : "";
  static constexpr std::string_view rules[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  auto found = std::find(std::begin(rules), std::end(rules), text);
  require<TypeError>(PyUnicode_Check(object), "casting must be str, not {}", Py_TYPE(object)->tp_name);
  require<ValueError>(found != std::end(rules),
                      "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '{}')", text);
  return static_cast<Casting>(found - std::begin(rules));
}

std::optional<DType> to_native_dtype(PyObject* object) {
  if (is_none(object)) return std::nullopt;
  auto dtype = to_dtype(object);
  if (dtype) return dtype;
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  Object text = owned(PyObject_Str(object));
  throw Foreign{format("dtype {} stays NumPy's", PyUnicode_AsUTF8(text.get()))};
}

std::vector<std::optional<DType>> to_fixed(const ops::Op& op, PyObject* signature) {
  if (PyBytes_Check(signature)) {
    Object text = owned(PyUnicode_FromEncodedObject(signature, nullptr, nullptr));
    return to_fixed(op, text.get());
  }
  if (PyUnicode_Check(signature)) return from_type_string(op, PyUnicode_AsUTF8(signature));
  require<TypeError>(PyTuple_Check(signature), "the signature object to ufunc must be a string or a tuple.");
  Py_ssize_t size = PyTuple_GET_SIZE(signature);
  require<TypeError>(
      size != 1 || op.nin + op.nout == 1,
      "The use of a length 1 tuple for the ufunc `signature` is not allowed. Use `dtype` or  fill the tuple with "
      "`None`s.");
  require<ValueError>(size == op.nin + op.nout, "a type-tuple must be specified of length {} for ufunc '{}'",
                      op.nin + op.nout, op.name);
  std::vector<std::optional<DType>> fixed;
  for (Py_ssize_t i = 0; i < size; ++i) fixed.push_back(to_native_dtype(PyTuple_GET_ITEM(signature, i)));
  return fixed;
}

PyObject* to_single_out(PyObject* out) {
  if (is_none(out) || out == Py_Ellipsis) return nullptr;
  if (!PyTuple_Check(out)) return out;
  require<ValueError>(PyTuple_GET_SIZE(out) == 1, "The 'out' tuple must have exactly one entry");
  return one_output(PyTuple_GET_ITEM(out, 0));
}

int to_axis(PyObject* axis, int ndim) {
  int64_t value = axis ? to_int(axis) : 0;
  if (ndim == 0 && (value == 0 || value == -1)) return 0;
  return normalize_axis(value, ndim);
}

std::vector<int> to_axes(PyObject* axis, int ndim) {
  std::vector<int> axes;
  if (axis == Py_None) {
    for (int i = 0; i < ndim; ++i) axes.push_back(i);
  } else if (axis && PyTuple_Check(axis)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axis); ++i) {
      int one = normalize_axis(to_int(PyTuple_GET_ITEM(axis, i)), ndim);
      require<ValueError>(std::find(axes.begin(), axes.end(), one) == axes.end(), "duplicate value in 'axis'");
      axes.push_back(one);
    }
    std::sort(axes.begin(), axes.end());
  } else {
    int one = to_axis(axis, ndim);
    if (ndim > 0) axes.push_back(one);
  }
  return axes;
}

}  // namespace tessera::bind
