#include "tessera/eager/small_call.h"

#include <array>
#include <memory>

#include "tessera/eager/convert_rows.h"
#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
#include "tessera/graph/form.h"
#include "tessera/layout/axis_order.h"
#include "tessera/layout/row_walk.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::eager {

namespace {

constexpr size_t max_pieces = graph::max_inputs + ops::max_results;
static_assert(max_pieces <= RowWalk::max_arrays);

/// The operands and results of the loop: their start, their strides, and converted copies.
struct Pieces {
  SmallVector<char*, 4> pointers;
  std::array<Dims, max_pieces> strides;
  std::array<std::unique_ptr<char[]>, max_pieces> copies;

  void add(char* pointer, Dims steps) {
    strides[pointers.size()] = std::move(steps);
    pointers.push_back(pointer);
  }
};

Dims packed_strides(std::span<const int64_t> shape, int64_t size) {
  Dims strides(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = size;
    size *= shape[i];
  }
  return strides;
}

/// Strides of `view` broadcast to `shape`: 0 along the broadcast axes.
Dims stretched_strides(const View& view, std::span<const int64_t> shape) {
  Dims strides(shape.size());
  size_t offset = shape.size() - view.shape.size();
  for (size_t i = 0; i < view.shape.size(); ++i) strides[offset + i] = view.shape[i] == 1 ? 0 : view.strides[i];
  return strides;
}

int64_t size_of(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape) n *= extent;
  return n;
}

bool is_ready(const Operand& operand, DType wanted) {
  if (operand.is_scalar()) return true;
  if (!readable(operand.array)) return false;
  return can_convert(operand.dtype(), wanted);
}

/// An output may equal an operand exactly when none of its elements overlap.
bool is_ready(const Array& output, DType wanted, std::span<const Operand> operands, bool may_be_operand) {
  if (!writable(output) || output.dtype() != wanted) return false;
  for (const Operand& o : operands) {
    if (o.is_scalar() || o.array.storage != output.storage) continue;
    if (!may_be_operand || !(o.array.view == output.view) || !output.view.is_injective()) return false;
  }
  return true;
}

/// Floating-point events are found from the operands after the run, so an overwritten operand must be copied.
bool is_overwritten(const Operand& operand, std::span<const Array> outputs) {
  return outputs[0] && !operand.is_scalar() && operand.array.storage == outputs[0].storage;
}

/// Adds a converted or plain copy when the loop needs one, else the array itself.
void add_operand(Pieces& pieces, const Operand& operand, DType wanted, std::span<const int64_t> shape,
                 bool needs_copy) {
  if (operand.is_scalar()) {
    return pieces.add(const_cast<char*>(reinterpret_cast<const char*>(operand.scalar.bytes)), Dims(shape.size()));
  }
  char* data = const_cast<char*>(readable(operand.array)) + operand.array.view.offset;
  Dims strides = stretched_strides(operand.array.view, shape);
  if (operand.dtype() == wanted && !needs_copy) return pieces.add(data, strides);
  auto& copy = pieces.copies[pieces.pointers.size()];
  copy = std::make_unique_for_overwrite<char[]>(size_of(shape) * itemsize(wanted));
  Dims packed = packed_strides(shape, itemsize(wanted));
  convert_rows(shape, {operand.dtype(), data, strides}, {wanted, copy.get(), packed});
  pieces.add(copy.get(), packed);
}

/// A new result in the common memory order of the operands.
Array make_result(std::span<const Operand> operands, std::span<const int64_t> shape, DType dtype) {
  SmallVector<const View*, 4> views;
  bool falling = true;
  for (const Operand& o : operands) {
    if (o.is_scalar()) continue;
    views.push_back(&o.array.view);
    falling = falling && has_falling_strides(o.array.view);
  }
  if (falling) return make_array(View::contiguous(shape, dtype));
  const View layout = common_layout(Dims(shape), dtype, {views.data(), views.size()});
  return make_array(layout_like(layout.shape, dtype, layout));
}

/// Floating-point events other than underflow leave infinities or NaNs in float results.
bool surely_uneventful(std::span<const Array> outputs, const ops::Signature& signature, int64_t n) {
  if (outputs.size() != 1 || is_integer(signature.in[0]) || !outputs[0].view.is_c_contiguous()) return false;
  return all_finite(signature.out[0], readable(outputs[0]) + outputs[0].view.offset, n);
}

}  // namespace

std::optional<uint32_t> try_call(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                                 std::span<const int64_t> shape, std::span<Array> outputs, bool underflow) {
  int64_t n = size_of(shape);
  if ((n > small_limit && !underflow) || n == 0) return {};
  const ops::EagerLoop& loop = ops::EagerLoop::of(op, signature);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!is_ready(operands[i], signature.in[i])) return {};
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k] && !is_ready(outputs[k], signature.out[k], operands, outputs.size() == 1)) return {};
    if (k && outputs[k] && outputs[k].storage == outputs[k - 1].storage) return {};
  }

  Pieces pieces;
  bool watched = loop.errors() != ir::ErrorRule::none;
  for (size_t i = 0; i < operands.size(); ++i) {
    add_operand(pieces, operands[i], signature.in[i], shape, watched && is_overwritten(operands[i], outputs));
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k]) outputs[k] = make_result(operands, shape, signature.out[k]);
    pieces.add(first_element(outputs[k]), outputs[k].view.strides);
  }
  RowWalk rows(shape, std::span<const Dims>(pieces.strides.data(), pieces.pointers.size()));
  loop.run_unwatched(rows, pieces.pointers.data());
  const bool shows = loop.errors() != ir::ErrorRule::inside;  // in the results
  if (!watched || (!underflow && shows && surely_uneventful(outputs, signature, n))) return 0;
  return loop.find_events(rows, pieces.pointers.data(), underflow);
}

uint32_t run_scalars(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                     std::span<Scalar> results, bool underflow) {
  const ops::EagerLoop& loop = ops::EagerLoop::of(op, signature);
  SmallVector<char*, 4> pointers;
  SmallVector<int64_t, 4> strides(operands.size() + results.size());
  for (const Operand& o : operands)
    pointers.push_back(const_cast<char*>(reinterpret_cast<const char*>(o.scalar.bytes)));
  for (size_t k = 0; k < results.size(); ++k) {
    results[k].dtype = signature.out[k];
    pointers.push_back(reinterpret_cast<char*>(results[k].bytes));
  }
  loop.run(pointers.data(), strides.data(), 1);
  return loop.events(pointers.data(), strides.data(), 1, underflow);
}

}  // namespace tessera::eager
