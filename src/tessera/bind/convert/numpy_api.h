/// NumPy's C API, imported once for the whole module.
#pragma once

#define PY_ARRAY_UNIQUE_SYMBOL tessera_numpy_api
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#ifndef TESSERA_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif

#include <Python.h>

#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

namespace tessera::bind {

/// Loads NumPy's function table; throws ErrorAlreadySet when NumPy is missing or too old.
void import_numpy();

}  // namespace tessera::bind
