/// method_docs: the signatures that Python's inspect and help read from the methods that NumPy also has.
#pragma once

#include <Python.h>

#include <span>

namespace tessera::bind {

/// Prefixes each docstring with the signature of NumPy's method of the same name. The texts are never freed.
void add_signatures(std::span<PyMethodDef> methods, PyObject* numpys_type);

}  // namespace tessera::bind
