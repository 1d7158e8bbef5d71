/// Random numbers for Python: bit generators, and streams of distributions over them.
#pragma once

#include <nanobind/nanobind.h>

#include "tessera/engine/random/random_stream.h"

namespace tessera::bind {

/// Adds the submodule `random`.
void bind_random(nanobind::module_& module);

/// `size=`: nothing for None, else the shape; throws ValueError for negative extents.
std::optional<Dims> to_size(nanobind::handle size);
/// A distribution's argument; nothing when only NumPy can read it.
std::optional<DrawParameter> to_draw_parameter(nanobind::handle object, const library::Parameter& parameter);
/// An argument as an array; throws TypeError for dtypes tessera does not compute with.
Array to_native_array(nanobind::handle object);

}  // namespace tessera::bind
