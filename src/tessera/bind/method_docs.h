/// method_docs: what Python's inspect and help read of methods that NumPy has too.
#pragma once

#include <Python.h>

#include <span>

namespace tessera::bind {

/// Puts the signature that NumPy's method of the same name has before each documentation. The texts live for ever.
void add_signatures(std::span<PyMethodDef> methods, PyObject* numpys_type);

}  // namespace tessera::bind
