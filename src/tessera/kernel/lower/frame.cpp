#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/types/conversion.h"

namespace tessera::kernel {

namespace {

/// Looked at once for each function.
const Liveness& liveness_of(Lowering& l, const Node& tree) {
  const auto known = l.known->names.liveness.find(&tree);
  if (known != l.known->names.liveness.end()) return *known->second;
  return *l.known.add().names.liveness.emplace(&tree, std::make_shared<const Liveness>(tree)).first->second;
}

}  // namespace

Frame::Frame(Lowering& l, const Function& called, const Node* at)
    : function(called),
      caller(l.frame),
      call(at),
      path(at ? l.known.path(l.frame->turn, at->place, intern_text(called.name())) : 0),
      liveness(liveness_of(l, called.tree)),
      turn(path),
      unpassed(liveness.count()),
      values(liveness.count() + 2),
      types(liveness.count() + 2) {}

Apart::Apart(Lowering& l, const Node& node, int64_t which)
    : frame_(*l.frame), turn_(std::exchange(frame_.turn, l.known.path(frame_.turn, node.place, which))) {}

typed::VariableKey Frame::key_of(int slot) const {
  const auto iteration = unrolled.find(slot);
  return {iteration == unrolled.end() ? path : iteration->second, slot};
}

}  // namespace tessera::kernel
