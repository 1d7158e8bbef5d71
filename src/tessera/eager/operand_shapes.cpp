#include "tessera/eager/operand_shapes.h"

#include <string>

#include "tessera/base/error.h"

namespace tessera::eager {

namespace {

/// Broadcasts `shape` with `other`; false when an axis disagrees.
bool widen(Dims& shape, const Dims& other) {
  while (shape.size() < other.size()) shape.insert(0, 1);
  size_t offset = shape.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& extent = shape[offset + i];
    if (extent == other[i] || other[i] == 1) continue;
    if (extent != 1) return false;
    extent = other[i];
  }
  return true;
}

std::string text_of(const Dims& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? "," : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

[[noreturn]] void fail(std::span<const Operand> operands, const Operand* where, std::span<const Array> outputs) {
  std::string shapes;
  for (const Operand& o : operands) shapes += text_of(o.is_scalar() ? Dims{} : o.array.shape()) + " ";
  for (const Array& a : outputs) {
    if (a) shapes += text_of(a.shape()) + " ";
  }
  if (where && !where->is_scalar()) shapes += text_of(where->array.shape()) + " ";
  throw ShapeError("operands could not be broadcast together with shapes " + shapes);
}

}  // namespace

Dims meet_shapes(std::span<const Operand> operands, const Operand* where, std::span<const Array> outputs) {
  Dims shape;
  for (const Operand& o : operands) {
    if (!o.is_scalar() && !widen(shape, o.array.shape())) fail(operands, where, outputs);
  }
  if (where && !where->is_scalar() && !widen(shape, where->array.shape())) fail(operands, where, outputs);
  for (const Array& out : outputs) {
    if (out && !widen(shape, out.shape())) fail(operands, where, outputs);
  }
  for (const Array& out : outputs) {
    require<ShapeError>(!out || out.shape() == shape,
                        "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
                        out ? text_of(out.shape()) : "", text_of(shape));
  }
  return shape;
}

}  // namespace tessera::eager
