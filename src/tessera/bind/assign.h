/// Writes of Python values into views.
#pragma once

#include <Python.h>

#include "tessera/bind/ndarray.h"

namespace tessera::bind {

/// view[...] = value as NumPy assigns: any dtype is cast, sequences are read in the view's dtype, shapes broadcast.
/// Throws ValueError "assignment destination is read-only" for a read-only array.
void assign_value(NdArray* self, View view, PyObject* value);
/// The same for an array that was found writeable.
void assign_value(const Array& target, PyObject* value);
/// target[...] = source on the engine, reporting what the cast lost as the errstate says.
void record_assign(const Array& target, const Operand& source);
/// The element at that place in the storage = value, when what is pending has run.
void assign_element(const Array& array, int64_t offset, PyObject* value);
/// Throws what NumPy does where an array with axes is to become one element of `dtype`; but for a truth value none
/// does.
void require_no_axes(const View& value, DType dtype);
/// The operand that an assignment into `dtype` reads; a sequence is converted straight to dtype, and may have
/// `most_axes` unless 0.
Operand assignment_operand(PyObject* value, DType dtype, int most_axes = 0);
/// Whether the object is a plain Python number or a NumPy scalar.
bool is_number(PyObject* value);
/// Such a number as an element, by NumPy's rules for storing one: its errors and its warnings.
Scalar stored_scalar(PyObject* value, DType dtype);
/// The operand that becomes one element: no sequence, no array with axes.
Operand single_operand(PyObject* value, DType dtype);
/// Drops the operand's leading axes of 1 that `destination` lacks; throws when it can't be broadcast to it.
void fit(Operand& source, const View& destination);
/// destination[where] = source for a boolean `where` of the destination's shape or broadcast to it: recorded, not
/// looked at.
void assign_where(const Array& destination, const Operand& source, const Operand& where);
/// NumPy's ComplexWarning where complex elements become real ones; throws when it is turned into an error.
void warn_when_complex_is_cut(DType from, DType to);

}  // namespace tessera::bind
