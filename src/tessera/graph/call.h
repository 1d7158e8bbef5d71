/// Call: what a node that calls a routine needs beside its form: any number of operands and results.
#pragma once

#include <vector>

#include "tessera/graph/freelist.h"
#include "tessera/graph/storage.h"
#include "tessera/layout/view.h"
#include "tessera/ops/routine.h"

namespace tessera::graph {

struct CallOperand {
  Ref<Version> version;
  View view;
};

struct Call : RefCounted<Call, uint32_t> {
  const ops::Routine* routine = nullptr;
  ops::Arguments arguments;
  std::vector<CallOperand> operands;
  std::vector<CallOperand> results;  // fresh versions; the first is the node's `out`

  /// Hash of the routine, its arguments and the layouts, offsets excluded.
  uint64_t hash() const;

  /// Freed calls keep their vectors' memory.
  static Call* make() { return freelist<Call>.take(); }
  static void destroy(Call* call);
};

}  // namespace tessera::graph
