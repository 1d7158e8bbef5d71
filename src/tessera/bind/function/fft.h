/// Fourier transforms for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind {

/// Adds the submodule `fft`.
void bind_fft(nanobind::module_& module);

}  // namespace tessera::bind
