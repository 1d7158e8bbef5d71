/// Stores of arrays and numbers into arrays, and new arrays made by them: at once in settled host memory when they are
/// small, without a node or a plan, else recorded.
#pragma once

#include <Python.h>

#include "tessera/eager/small_call.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// destination[...] = source, broadcast and cast. False, with nothing done, when an array is pending or has more than
/// `most` elements (eager/small_assign.h). The shapes must be compatible.
bool try_small_assign(const Array& destination, const Operand& source, int64_t most = eager::small_limit);

/// target[...] = source on the engine; floating-point events of the cast are handled as the errstate requires.
void record_assign(const Array& target, const Operand& source);
/// Emits NumPy's ComplexWarning where complex elements become real ones; throws when a filter turns it into an error.
void warn_when_complex_is_cut(DType from, DType to);

/// A new array with the elements of a small settled C-contiguous exact ndarray, cast; null for other objects.
PyObject* try_small_copy(PyObject* source, DType dtype);
/// A new array with the elements of source, cast: immediately when it is small and settled, else recorded.
Array copy_array(const Array& source, DType dtype, Order order);

}  // namespace tessera::bind
