/// Node: one recorded request. States what to compute, never how.
#pragma once

#include <cstdint>

#include "tessera/graph/call.h"
#include "tessera/graph/form.h"
#include "tessera/graph/storage.h"

namespace tessera::graph {

/// The part of an operand that changes between iterations: the version and offset of its elements or, without a
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
  Ref<Call> call;  // null but for calls
  Ref<Version> out;
  Ref<Version> old;    // write: the version before the write
  int64_t offset = 0;  // of the elements in `out`
  bool starts_iteration =
      false;  // of a loop that runs several iterations as one plan: its nodes join no kernel of earlier iterations
  uint64_t key = 0;   // of the form, and of how its versions and offsets relate to those of earlier nodes
  uint64_t site = 0;  // token for the source line that recorded it
};

/// Runs body(version, offset) for every array that the node reads, but not for `old`.
template <class Body>
void each_input(const Node& node, Body&& body) {
  for (int k = 0; k < node.form->input_count; ++k)
    if (node.inputs[k].version) body(*node.inputs[k].version, node.inputs[k].offset);
  if (!node.call) return;
  for (const CallOperand& operand : node.call->operands) body(*operand.version, operand.view.offset);
}

}  // namespace tessera::graph
