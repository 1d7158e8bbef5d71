/// untouched_boxes: the bytes of a storage that a strided write does not store to.
#pragma once

#include <vector>

#include "tessera/layout/view.h"
#include "tessera/plan/plan.h"

namespace tessera::plan {

/// Boxes that together with `written` cover [0, nbytes). When the view's axes interleave, boxes may also cover written
/// bytes: they must therefore be copied before the write.
std::vector<ByteBox> untouched_boxes(const View& written, int64_t nbytes);

}  // namespace tessera::plan
