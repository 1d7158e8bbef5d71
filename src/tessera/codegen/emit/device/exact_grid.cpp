// Kernels over a grid, users' and mapped ones: one thread a lane, whose coordinates are those of the launch.
#include "tessera/codegen/emit/emitter.h"

#include "tessera/base/error.h"

namespace tessera::codegen {

void Grid::emit_exact_grid() {
  invariant(kernel_.ndim == 6 && kernel_.block_axes == 3 && mapping_.threads > 0,
            "codegen: kernel {} has {} axes and no exact grid", kernel_.name, int{kernel_.ndim});
  for (int axis = 0; axis < kernel_.ndim; ++axis)
    w_.axis_index[axis] = e_.frame.special_register(static_cast<GridNumber>(axis));
  w_.in_lane = true;
  w_.strip.size = b_.getInt64(1);
  w_.strip.lane = w_.strip.begin = b_.getInt64(0);
  e_.arrays.make_arrays();
  e_.events.open_flags();
  e_.values.emit_region(0);
  if (e_.events.raises_events(0)) e_.events.close_flags();
  w_.in_lane = false;
}

}  // namespace tessera::codegen
