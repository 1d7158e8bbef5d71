/// Copies of byte boxes between two blocks of memory of equal layout.
#pragma once

#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::engine {

/// Copies one box on the calling thread.
void copy_box(const char* from, char* to, const plan::ByteBox& box);
/// Copies all boxes, on several threads where there are enough bytes to amortise their cost.
void copy_boxes(const char* from, char* to, const std::vector<plan::ByteBox>& boxes);

}  // namespace tessera::engine
