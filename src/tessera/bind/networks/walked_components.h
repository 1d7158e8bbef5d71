/// Components of a graph's dictionaries, without a conversion: most rows are not read to their end.
#pragma once

#include <Python.h>

#include <optional>

#include "tessera/bind/array/object.h"
#include "tessera/routines/networks/components.h"

namespace tessera::bind::networks {

/// Components, and the labels of their nodes. `adjacency` is a dictionary of dictionaries as G._adj of an undirected
/// graph; nothing where an object in it is not Python's own.
struct WalkedComponents {
  Object labels;
  routines::networks::Components components;
};
std::optional<WalkedComponents> walk_components(PyObject* adjacency);

}  // namespace tessera::bind::networks
