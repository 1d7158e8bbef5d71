/// Default layouts: what a request's text means where it leaves out strides, offsets and loops.
#pragma once

#include <optional>

#include "tessera/graph/form.h"
#include "tessera/layout/view.h"

namespace tessera::plan {

/// The strides of the array broadcast to the shape; empty where it does not broadcast.
std::optional<Dims> strides_over(const View& array, const Dims& shape);
/// Dense strides in C order; 0 along the axes that a reduction removes.
Dims dense_strides(const Dims& shape, DType dtype, uint64_t reduced_axes = 0);
/// The array that a map or a reduction makes.
View made_array(const graph::Form& form, int64_t offset);
/// The first loop of the form's op that takes its array operands as they are, or null.
const ops::Signature* first_loop(const graph::Form& form);

}  // namespace tessera::plan
