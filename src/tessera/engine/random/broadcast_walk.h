/// BroadcastWalk: visits every index of a shape with the offsets of several operands broadcast to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tessera/layout/view.h"

namespace tessera {

/// `size`, or the operands' broadcast shape; throws ShapeError with NumPy's message when they do not fit.
Dims draw_shape(const std::optional<Dims>& size, std::span<const View> operands);

class BroadcastWalk {
 public:
  BroadcastWalk(const Dims& shape, std::span<const View> operands);
  /// Calls visit(linear index, offsets) in C order; offsets[k] is the byte offset of operand k's element.
  template <class Visit>
  void run(Visit&& visit) {
    int64_t total = 1;
    for (int64_t extent : shape_) total *= extent;
    std::vector<int64_t> index(shape_.size(), 0);
    for (int64_t i = 0; i < total; ++i) {
      visit(i, std::span<const int64_t>(offsets_));
      step(index);
    }
  }

 private:
  void step(std::vector<int64_t>& index);

  Dims shape_;
  std::vector<Dims> strides_;
  std::vector<int64_t> offsets_;
};

}  // namespace tessera
