/// ArrayView: what a kernel sees of an array: where it begins, and which of the array's axes its own axes run along.
#pragma once

#include <vector>

#include "tessera/kernel/type.h"

namespace tessera::kernel {

/// The element at index i along each axis is the array's at begins + steps * i. There are no strides in bytes: buffers
/// have them when a kernel is launched.
struct ArrayView {
  struct Axis {
    int of;  // the array's axis, -1 for none
    ir::Value step;
    ir::Value extent;
  };
  Type array;                     // the type of the array itself
  std::vector<ir::Value> begins;  // along each of the array's axes
  std::vector<Axis> axes;

  /// Of a type with is_view.
  Item item() const;
};

}  // namespace tessera::kernel
