#include "tessera/engine/random/broadcast_walk.h"

#include "tessera/base/error.h"

namespace tessera {

namespace {

std::string tuple(const Dims& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// Broadcasts `shape` with `other`; false where they do not fit.
bool try_broadcast(Dims& shape, const Dims& other) {
  while (shape.size() < other.size()) shape.insert(0, 1);
  const size_t offset = shape.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& extent = shape[offset + i];
    if (extent != other[i] && extent != 1 && other[i] != 1) return false;
    if (extent == 1) extent = other[i];
  }
  return true;
}

}  // namespace

Dims draw_shape(const std::optional<Dims>& size, std::span<const View> operands) {
  Dims shape = size.value_or(Dims{});
  const Dims* previous = size ? &*size : nullptr;
  size_t previous_at = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    const size_t at = k + (size ? 1 : 0);
    const bool fits = try_broadcast(shape, operands[k].shape);
    require<ShapeError>(
        fits,
        "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg {} with "
        "shape {} and arg {} with shape {}.",
        previous_at, tuple(previous ? *previous : Dims{}), at, tuple(operands[k].shape));
    if (!previous || operands[k].shape.size() >= previous->size()) {
      previous = &operands[k].shape;
      previous_at = at;
    }
  }
  require<ShapeError>(!size || shape == *size,
                      "Output size {} is not compatible with broadcast dimensions of inputs {}.",
                      tuple(size.value_or(Dims{})), tuple(shape));
  return shape;
}

BroadcastWalk::BroadcastWalk(const Dims& shape, std::span<const View> operands)
    : shape_(shape), offsets_(operands.size(), 0) {
  for (const View& view : operands) {
    Dims strides(shape.size(), 0);
    const size_t lead = shape.size() - view.shape.size();
    for (size_t i = 0; i < view.shape.size(); ++i) {
      if (view.shape[i] != 1) strides[lead + i] = view.strides[i];
    }
    strides_.push_back(strides);
  }
}

void BroadcastWalk::step(std::vector<int64_t>& index) {
  for (size_t axis = shape_.size(); axis-- > 0;) {
    if (++index[axis] < shape_[axis]) {
      for (size_t k = 0; k < offsets_.size(); ++k) offsets_[k] += strides_[k][axis];
      return;
    }
    index[axis] = 0;
    for (size_t k = 0; k < offsets_.size(); ++k) offsets_[k] -= strides_[k][axis] * (shape_[axis] - 1);
  }
}

}  // namespace tessera
