/// The functions that add each topic's bindings to the module; each is defined in a file of its own.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind {

void bind_routine_functions(nanobind::module_& m);
void bind_flags(nanobind::module_& m);
void bind_flat_iterator(nanobind::module_& m);
void bind_creation(nanobind::module_& m);
void bind_array_functions(nanobind::module_& m);
void bind_dlpack(nanobind::module_& m);
void bind_engine(nanobind::module_& m);
void bind_devices(nanobind::module_& m);
void bind_ranks(nanobind::module_& m);
void bind_types(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_frames(nanobind::module_& m);
void bind_networks(nanobind::module_& m);
void bind_quick(nanobind::module_& m);
void bind_sources(nanobind::module_& m);
void bind_trace(nanobind::module_& m);
void bind_ufuncs(nanobind::module_& m);
void bind_user_ufuncs(nanobind::module_& kernels);

}  // namespace tessera::bind
