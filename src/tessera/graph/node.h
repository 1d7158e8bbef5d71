/// Node: one recorded request. Says what was asked, never how it will be done.
#pragma once

#include <cstdint>

#include "tessera/graph/form.h"
#include "tessera/graph/storage.h"

namespace tessera::graph {

/// The part of an operand that changes from turn to turn. The version is null for scalars.
struct Input {
  Ref<Version> version;
  int64_t offset = 0;
  Scalar scalar;
};

struct Node {
  Ref<const Form> form;
  Input inputs[max_inputs];
  Ref<Version> out;
  Ref<Version> old;         // write: the version before
  int64_t offset = 0;       // where the elements go in `out`
  uint64_t key = 0;         // of the form, and of how its versions and offsets relate to those of earlier nodes
};

}  // namespace tessera::graph
