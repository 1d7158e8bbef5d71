/// Memory of a GPU shared with other libraries: by DLPack and by the CUDA array interface.
#pragma once

#include <Python.h>

#include <functional>
#include <optional>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The array over the memory of an object that has a __cuda_array_interface__; nothing for other objects.
std::optional<Array> share_cuda_array(PyObject* object);
/// ndarray.__cuda_array_interface__; AttributeError for arrays that no GPU has.
PyObject* cuda_array_interface(PyObject* self, void*);

/// An array over [data, data + what the view spans), whose element (0, ..., 0) is at `first`.
Array borrow_view(runtime::Device& device, char* first, View view, bool writable, std::function<void()> release);
/// Lets go of a Python object on whatever thread the last user of its memory is.
std::function<void()> dropping(PyObject* object);

/// Another library's stream as a number in the way of DLPack and the CUDA array interface; null for "do not wait".
/// Throws ValueError for 0, which could mean two streams.
void* to_stream(PyObject* stream, const char* what);

}  // namespace tessera::bind
