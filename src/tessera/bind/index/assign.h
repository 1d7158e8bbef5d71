/// Assignment of Python values to views.
#pragma once

#include <Python.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/index/store.h"

namespace tessera::bind {

/// view[...] = value as NumPy assigns: any dtype is cast, sequences are converted to the view's dtype, shapes
/// broadcast. Throws ValueError "assignment destination is read-only" for a read-only array.
void assign_value(NdArray* self, View view, PyObject* value);
/// The same for an array already known to be writeable.
void assign_value(const Array& target, PyObject* value);
/// Assigns value to the element at byte `offset` of the storage, after pending work on the array has run.
void assign_element(const Array& array, int64_t offset, PyObject* value);
/// Throws NumPy's error for an array with axes that is to become one element of `dtype`, unless it is one element that
/// becomes a boolean.
void require_no_axes(const View& value, DType dtype);
/// The operand that an assignment into `dtype` reads; a sequence is converted directly to dtype and may have at most
/// `most_axes` axes unless that is 0.
Operand assignment_operand(PyObject* value, DType dtype, int most_axes = 0);
/// Whether the object is a plain Python number or a NumPy scalar.
bool is_number(PyObject* value);
/// Such a number as an element, with the errors and warnings of NumPy's store.
Scalar stored_scalar(PyObject* value, DType dtype);
/// The operand for one element; throws for sequences and for arrays with axes.
Operand single_operand(PyObject* value, DType dtype);
/// Drops the operand's leading axes of 1 that `destination` lacks; throws when the operand cannot be broadcast to it.
void fit(Operand& source, const View& destination);
/// destination[where] = source for a boolean `where` of the destination's shape or broadcast to it; recorded without
/// reading the mask.
void assign_where(const Array& destination, const Operand& source, const Operand& where);

}  // namespace tessera::bind
