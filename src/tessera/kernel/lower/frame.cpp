#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/types/conversion.h"

namespace tessera::kernel {

Frame::Frame(const Function& called, Frame* by, const Node* at)
    : function(called),
      caller(by),
      call(at),
      path(by ? format("{}{}/{}:{}-{}", by->path, by->turn, at->place.line, at->place.column, at->place.end_column)
              : ""),
      liveness(called.tree),
      values(liveness.count() + 2),
      types(liveness.count() + 2) {}

std::string Frame::key_of(int slot) const {
  if (slot == result_slot()) return path + ".return";
  const auto iteration = unrolled.find(slot);
  return path + (iteration == unrolled.end() ? "" : iteration->second) + "." + liveness.name(slot);
}

}  // namespace tessera::kernel
