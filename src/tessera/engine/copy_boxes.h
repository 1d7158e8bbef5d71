/// Copies of byte boxes between two memories of equal layout.
#pragma once

#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::engine {

/// On this thread.
void copy_box(const char* from, char* to, const plan::ByteBox& box);
/// On all threads where that pays.
void copy_boxes(const char* from, char* to, const std::vector<plan::ByteBox>& boxes);

}  // namespace tessera::engine
