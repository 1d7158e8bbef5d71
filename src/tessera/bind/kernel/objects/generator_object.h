/// The Python object of a generator: each `next` goes on with a compiled function whose variables lie in a frame.
#pragma once

#include <Python.h>

#include <nanobind/nanobind.h>

#include <memory>

#include "tessera/bind/kernel/calls/call_arguments.h"
#include "tessera/bind/kernel/calls/compiled_function.h"

namespace tessera::bind {

/// A new one, of a function that yields; `arguments` are those that `given` refers to.
PyObject* make_generator(std::shared_ptr<const CompiledFunction> function, CallArguments given, Object arguments,
                         uint64_t literals);
/// Adds the type to the module of kernels.
void bind_generator_type(nanobind::module_& kernels);

}  // namespace tessera::bind
