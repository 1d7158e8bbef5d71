#include <atomic>

#include "tessera/base/error.h"
#include "tessera/library/host/gather.h"
#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

constexpr int64_t none = INT64_MAX;

/// Adds one axis to offsets[begin, end); returns the first out-of-range pick, or none.
int64_t add_axis(const IndexAxis& axis, IndexMode mode, int64_t begin, int64_t end, int64_t* offsets) {
  int64_t extent = axis.extent, stride = axis.stride, bad = none;
  switch (mode) {
    case IndexMode::raise:
      for (int64_t k = begin; k < end; ++k) {
        int64_t i = axis.indices[k];
        i += i < 0 ? extent : 0;
        if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(extent)) [[unlikely]] {
          bad = std::min(bad, k);
          i = 0;
        }
        offsets[k] += i * stride;
      }
      break;
    case IndexMode::wrap:
      for (int64_t k = begin; k < end; ++k) {
        int64_t i = axis.indices[k];
        if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(extent)) {
          i %= extent;
          i += i < 0 ? extent : 0;
        }
        offsets[k] += i * stride;
      }
      break;
    case IndexMode::clip:
      for (int64_t k = begin; k < end; ++k) offsets[k] += std::clamp<int64_t>(axis.indices[k], 0, extent - 1) * stride;
      break;
  }
  return bad;
}

}  // namespace

std::vector<int64_t> pick_offsets(std::span<const IndexAxis> axes, int64_t count, IndexMode mode) {
  std::vector<int64_t> offsets(count, 0);
  for (const IndexAxis& axis : axes) {
    if (count == 0) break;
    require<IndexError>(axis.extent > 0 || mode == IndexMode::raise, "cannot do a non-empty take from an empty axes.");
    std::atomic<int64_t> first_bad{none};
    auto piece = [&](int64_t begin, int64_t end) {
      int64_t bad = add_axis(axis, mode, begin, end, offsets.data());
      int64_t seen = first_bad;
      while (bad < seen && !first_bad.compare_exchange_weak(seen, bad)) {
      }
    };
    runtime::parallel_for(count, grain_for(16), piece);
    require<IndexError>(first_bad == none, "index {} is out of bounds for axis {} with size {}",
                        first_bad == none ? 0 : axis.indices[first_bad], axis.axis, axis.extent);
  }
  return offsets;
}

}  // namespace tessera::library
