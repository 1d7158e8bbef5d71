/// The functions that add each topic's bindings to the module `networks`; each is defined in a file of its own.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind::networks {

void bind_traversal(nanobind::module_& m);
void bind_components(nanobind::module_& m);
void bind_paths(nanobind::module_& m);
void bind_ranks(nanobind::module_& m);
void bind_structure(nanobind::module_& m);
void bind_communities(nanobind::module_& m);
void bind_derived(nanobind::module_& m);
void bind_labels(nanobind::module_& m);
void bind_edges(nanobind::module_& m);
void bind_asking(nanobind::module_& m);

}  // namespace tessera::bind::networks
