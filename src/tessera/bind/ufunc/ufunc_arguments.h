/// Parsing of a ufunc's arguments: keywords, out=, dtype=, signature=, casting=, axis=.
#pragma once

#include <Python.h>

#include <initializer_list>
#include <string_view>
#include <vector>

#include "tessera/bind/ufunc/ufunc_apply.h"

namespace tessera::bind {

/// Throws TypeError for keywords that are not in the list, naming the first, as Python does.
void refuse_unknown_keywords(std::string_view function, PyObject* names, std::initializer_list<const char*> known);
/// Throws TypeError for a wrong number of positional arguments and for keywords that no ufunc call has.
void check_call(const ops::Op& op, Py_ssize_t nargs, PyObject* names);
/// Parses the arguments of ufunc(...) into a call; throws NumPy's TypeError or ValueError, and Foreign for dtypes the
/// engine does not compute with.
UfuncCall read_call(const ops::Op& op, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// A casting= argument (null: same_kind).
Casting to_casting(PyObject* object);
/// A dtype= argument; nothing for null and None, Foreign for dtypes the engine does not compute with.
std::optional<DType> to_native_dtype(PyObject* object);
/// A signature= argument: a tuple of dtypes or text such as "dd->d", with one entry for each operand and result.
std::vector<std::optional<DType>> to_fixed(const ops::Op& op, PyObject* signature);
/// A reduction's out= argument: an ndarray or a tuple of one; null when absent or None.
PyObject* to_single_out(PyObject* out);
/// axis=: None (all axes), an int, or a tuple of distinct ints. Scalars accept 0 and -1.
std::vector<int> to_axes(PyObject* axis, int ndim);
/// One axis of accumulate or reduceat.
int to_axis(PyObject* axis, int ndim);

}  // namespace tessera::bind
