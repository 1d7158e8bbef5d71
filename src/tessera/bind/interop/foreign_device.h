/// GPU memory shared with other libraries through DLPack and the CUDA array interface.
#pragma once

#include <Python.h>

#include <functional>
#include <optional>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// An array over the memory of an object that has a __cuda_array_interface__; nothing for other objects.
std::optional<Array> share_cuda_array(PyObject* object);
/// ndarray.__cuda_array_interface__; AttributeError for arrays that are not on a GPU.
PyObject* cuda_array_interface(PyObject* self, void*);

/// An array over the memory that the view spans from `data`, whose element (0, ..., 0) is at `first`.
Array borrow_view(runtime::Device& device, char* first, View view, bool writable, std::function<void()> release);
/// A function that drops a reference to a Python object on whichever thread releases the memory last.
std::function<void()> dropping(PyObject* object);

/// Another library's stream from the number that DLPack and the CUDA array interface use; null for "do not wait".
/// Throws ValueError for 0, which is ambiguous between two streams.
void* to_stream(PyObject* stream, const char* what);

}  // namespace tessera::bind
