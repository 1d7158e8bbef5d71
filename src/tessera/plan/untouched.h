/// untouched_boxes: the bytes of a storage that a strided write leaves alone.
#pragma once

#include <vector>

#include "tessera/layout/view.h"
#include "tessera/plan/plan.h"

namespace tessera::plan {

/// Boxes that together with `written` cover [0, nbytes). Boxes may cover written bytes too when the view's axes
/// interleave: they must be copied before the write happens.
std::vector<ByteBox> untouched_boxes(const View& written, int64_t nbytes);

}  // namespace tessera::plan
