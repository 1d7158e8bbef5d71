/// ArrayView: what a kernel sees of an array: where it begins, and which of the array's axes its own axes run along.
#pragma once

#include <vector>

#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// The element at index i along each axis is the array's at begins + steps * i. There are no strides in bytes: buffers
/// have them when a kernel is launched.
struct ArrayView {
  /// One of the arrays that it may be a view of.
  struct Base {
    Type array;                     // the type of the array itself
    std::vector<ir::Value> begins;  // along each of the array's axes
    std::vector<int> kept;          // the array's axis along which each of the view's runs, -1 for none
  };
  struct Axis {
    ir::Value step;
    ir::Value extent;
  };
  std::vector<Base> bases;
  ir::Value which = ir::no_value;  // the number of the base where there are several
  std::vector<Axis> axes;

  /// The type of the view, also of one element, which has no axes.
  Type type() const;
  /// Of a type with is_view.
  Item item() const;
};

}  // namespace tessera::kernel
