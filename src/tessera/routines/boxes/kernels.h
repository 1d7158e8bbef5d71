/// The kernel that copies and fills several boxes at once.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

inline constexpr int boxes_at_once = 12;
/// Parameters of move_boxes_kernel() for each box; positions are counted in elements.
struct BoxScalars {
  int64_t end;                   // end of its elements in the sequence of the elements of all boxes
  int64_t first;                 // its first position
  int64_t distance = 0;          // from there to the source of its first element
  int64_t width = 1;             // elements per row
  int64_t count = 1, pitch = 0;  // rows, and positions from one to the next
  int64_t outer_pitch = 0;       // the same for groups of rows
  int64_t fills = 0, value = 0;  // if not 0: the value of its elements
};
ir::Kernel move_boxes_kernel(DType dtype);

}  // namespace tessera::routines
