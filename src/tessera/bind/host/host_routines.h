/// The functions of _core that run library routines on host memory, grouped by topic.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

namespace tessera::bind {

std::vector<PyMethodDef> sorting_methods();
std::vector<PyMethodDef> selecting_methods();
std::vector<PyMethodDef> picking_methods();
std::vector<PyMethodDef> searching_methods();
std::vector<PyMethodDef> reducing_methods();
std::vector<PyMethodDef> joining_methods();
std::vector<PyMethodDef> sharing_methods();
std::vector<PyMethodDef> sliding_methods();

/// Adds all of them to the module.
void bind_host_routines(nanobind::module_& m);

}  // namespace tessera::bind
