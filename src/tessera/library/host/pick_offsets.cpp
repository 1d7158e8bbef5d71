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

void require_range(const IndexAxis& axis, int64_t bad) {
  require<IndexError>(bad == none, "index {} is out of bounds for axis {} with size {}",
                      bad == none ? 0 : axis.indices[bad], axis.axis, axis.extent);
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
    require_range(axis, first_bad);
  }
  return offsets;
}

void pick_offsets(std::span<const IndexAxis> axes, int64_t first, IndexMode mode, std::span<int64_t> offsets) {
  std::fill(offsets.begin(), offsets.end(), 0);
  const auto count = static_cast<int64_t>(offsets.size());
  for (IndexAxis axis : axes) {
    axis.indices += first;
    require_range(axis, add_axis(axis, mode, 0, count, offsets.data()));
  }
}

void check_indices(std::span<const IndexAxis> axes, int64_t count) {
  for (const IndexAxis& axis : axes) {
    int64_t bad = none;
    for (int64_t k = count; k-- > 0;) {
      const int64_t i = axis.indices[k];
      if (static_cast<uint64_t>(i < 0 ? i + axis.extent : i) >= static_cast<uint64_t>(axis.extent)) bad = k;
    }
    require_range(axis, bad);
  }
}

std::vector<int64_t> flat_offsets(const View& view, const int64_t* numbers, int64_t count, IndexMode mode) {
  const IndexAxis flat{numbers, view.size(), 1, 0};
  std::vector<int64_t> offsets = pick_offsets(std::span(&flat, 1), count, mode);
  for (int64_t& offset : offsets) {
    int64_t rest = offset;
    offset = 0;
    for (int axis = view.ndim() - 1; axis >= 0; --axis) {
      offset += rest % view.shape[axis] * view.strides[axis];
      rest /= view.shape[axis];
    }
  }
  return offsets;
}

std::vector<int64_t> along_offsets(const View& view, const int64_t* indices, int64_t count, int axis) {
  const int last = view.ndim() - 1;
  const IndexAxis one{indices, view.shape[last], view.strides[last], axis};
  const int64_t rows = without_axes(view, std::span(&last, 1)).size();
  std::vector<int64_t> offsets = pick_offsets(std::span(&one, 1), rows * count);
  SmallVector<int64_t, 4> at(last, 0);
  int64_t row_offset = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = 0; k < count; ++k) offsets[row * count + k] += row_offset;
    for (int k = last - 1; k >= 0; --k) {
      row_offset += view.strides[k];
      if (++at[k] < view.shape[k]) break;
      row_offset -= at[k] * view.strides[k];
      at[k] = 0;
    }
  }
  return offsets;
}

}  // namespace tessera::library
