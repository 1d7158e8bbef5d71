// Kernels over a grid, users' and mapped ones: one thread a lane, whose coordinates are those of the launch.
#include "tessera/codegen/emit/emitter.h"

#include "tessera/base/error.h"

namespace tessera::codegen {

void Emitter::emit_exact_grid() {
  invariant(kernel_.ndim == 6 && kernel_.block_axes == 3 && mapping_.threads > 0,
            "codegen: kernel {} has {} axes and no exact grid", kernel_.name, int{kernel_.ndim});
  for (int axis = 0; axis < kernel_.ndim; ++axis) axis_index_[axis] = special_register(static_cast<GridNumber>(axis));
  in_lane_ = true;
  strip_size_ = b_.getInt64(1);
  lane_index_ = strip_begin_ = b_.getInt64(0);
  make_arrays();
  open_flags();
  emit_region(0);
  if (raises_events(0)) close_flags();
  in_lane_ = false;
}

}  // namespace tessera::codegen
