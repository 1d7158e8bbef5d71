// Kernels over a grid, users' and mapped ones: one thread a lane, whose coordinates are those of the launch.
#include "tessera/codegen/emit/emitter.h"

#include "tessera/base/error.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

void Emitter::emit_exact_grid() {
  using llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
      llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
      llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z;
  constexpr unsigned registers[] = {nvvm_read_ptx_sreg_ctaid_z, nvvm_read_ptx_sreg_ctaid_y, nvvm_read_ptx_sreg_ctaid_x,
                                    nvvm_read_ptx_sreg_tid_z,   nvvm_read_ptx_sreg_tid_y,   nvvm_read_ptx_sreg_tid_x};
  invariant(kernel_.ndim == 6 && kernel_.block_axes == 3 && mapping_.threads > 0,
            "codegen: kernel {} has {} axes and no exact grid", kernel_.name, int{kernel_.ndim});
  for (int axis = 0; axis < kernel_.ndim; ++axis) axis_index_[axis] = special_register(registers[axis]);
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
