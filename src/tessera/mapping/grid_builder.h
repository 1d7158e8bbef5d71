/// GridBuilder: builds kernels over grids of blocks and threads, with the buffers of a kernel over elements.
#pragma once

#include <functional>

#include "tessera/ir/builder.h"
#include "tessera/mapping/mapped.h"
#include "tessera/mapping/operands.h"

namespace tessera::mapping {

/// Along which axis blocks and threads are counted.
enum class GridAxis : uint8_t { z, y, x };

class GridBuilder : public ir::Builder {
 public:
  /// Declares the buffers, scalars and flag slots of `kernel`.
  GridBuilder(const ir::Kernel& kernel, const Operands& operands, const char* mapping);

  /// Coordinates and numbers of threads and blocks, uint32.
  ir::Value block(GridAxis axis) { return word(index(static_cast<int>(axis))); }
  ir::Value thread(GridAxis axis) { return word(index(3 + static_cast<int>(axis))); }
  ir::Value blocks(GridAxis axis) { return word(extent(static_cast<int>(axis))); }
  /// Numbers of the box that the launch covers, int64.
  ir::Value box(BoxNumber::Kind kind, int axis = 0);
  /// The box's extent along an axis, uint32.
  ir::Value size(int axis) { return word(box(BoxNumber::Kind::size, axis)); }
  /// The lane's index along an axis: `offset`, a uint32 or an int64, from the box's beginning.
  ir::Value index_at(int axis, ir::Value offset);

  ir::Value number(int64_t n) { return constant(DType::uint32, static_cast<double>(n)); }
  ir::Value word(ir::Value x) { return cast(x, DType::uint32); }
  ir::Value wide(ir::Value x) { return cast(x, DType::int64); }
  ir::Value quotient(ir::Value x, ir::Value y) { return binary(ir::Opcode::div, x, y); }
  ir::Value remainder(ir::Value x, ir::Value y) { return binary(ir::Opcode::rem, x, y); }
  void when(ir::Value condition, const std::function<void()>& body);

  /// The block's number along y and z, which together count up to 2^32.
  ir::Value block_row() { return add(mul(block(GridAxis::z), blocks(GridAxis::y)), block(GridAxis::y)); }

  /// The kernel for blocks of these threads, of which `min_blocks` should fit a multiprocessor.
  Mapped finish(const LaunchShape& shape, int64_t min_blocks);

 private:
  Parameters parameters_;
  uint32_t own_scalars_;
  bool in_parts_;
};

/// Whether there are lanes, all of whose indices fit 31 bits, so that those of blocks and threads may be words.
bool fits_words(const Dims& extents);

}  // namespace tessera::mapping
