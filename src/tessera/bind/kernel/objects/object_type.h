/// Fields of objects of users' classes, as Python reads and sets them, and what makes their classes.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind {

/// Adds the types to the module of kernels.
void bind_object_types(nanobind::module_& kernels);

}  // namespace tessera::bind
