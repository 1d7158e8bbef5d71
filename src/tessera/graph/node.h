/// Node: one recorded request. Says what was asked, never how it will be done.
#pragma once

#include <cstdint>

#include "tessera/graph/form.h"
#include "tessera/graph/storage.h"

namespace tessera::graph {

/// The part of an operand that changes from turn to turn: where its elements lie in which version, or, without a
/// version, a scalar of the form's type.
struct Input {
  Ref<Version> version;
  union {
    int64_t offset;
    unsigned char scalar[16] = {};
  };
};

struct Node {
  Ref<const Form> form;
  Input inputs[max_inputs];
  Ref<Version> out;
  Ref<Version> old;    // write: the version before
  int64_t offset = 0;  // where the elements go in `out`
  bool starts_iteration =
      false;          // of a loop whose turns run several at once: nothing of it joins what earlier turns compute
  uint64_t key = 0;   // of the form, and of how its versions and offsets relate to those of earlier nodes
  uint64_t site = 0;  // whatever token names the place in the program that asked
};

}  // namespace tessera::graph
