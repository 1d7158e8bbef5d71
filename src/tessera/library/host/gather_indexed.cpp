#include <array>

#include "tessera/base/error.h"
#include "tessera/library/host/gather.h"
#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

/// Calls visit(first, offsets) for consecutive picks, a thousand at a time.
template <class Visit>
void for_each_offset(std::span<const IndexAxis> axes, int64_t begin, int64_t end, IndexMode mode, Visit&& visit) {
  constexpr int64_t chunk = 1024;
  std::array<int64_t, chunk> offsets;
  for (int64_t first = begin; first < end; first += chunk) {
    const std::span<int64_t> some(offsets.data(), static_cast<size_t>(std::min(chunk, end - first)));
    pick_offsets(axes, first, mode, some);
    visit(first, some);
  }
}

}  // namespace

void gather_indexed(const char* array, std::span<const IndexAxis> axes, int64_t count, const PickBlock& block,
                    char* picks) {
  constexpr int64_t bytes_a_thread = 1 << 18;
  const int64_t itemsize = block.view.itemsize();
  if (axes.size() == 1 && block.view.ndim() == 0 && axes[0].stride == itemsize)
    return gather_elements(array, itemsize, axes[0], count, picks);
  if (block.view.size() == 0) return check_indices(axes, count);
  auto piece = [&](int64_t begin, int64_t end) {
    for_each_offset(axes, begin, end, IndexMode::raise, [&](int64_t first, std::span<const int64_t> offsets) {
      gather(array, offsets, block, picks + first * block.step);
    });
  };
  try {
    runtime::parallel_for(count, std::max<int64_t>(1, bytes_a_thread / block.step), piece);
  } catch (const IndexError&) {
    check_indices(axes, count);  // throws for the first one, whatever the threads' pieces
    throw;
  }
}

void scatter_indexed(char* array, std::span<const IndexAxis> axes, int64_t count, IndexMode mode,
                     const PickBlock& block, const char* picks) {
  if (mode == IndexMode::raise) check_indices(axes, count);
  if (block.view.size() == 0) return;
  for_each_offset(axes, 0, count, mode, [&](int64_t first, std::span<const int64_t> offsets) {
    scatter(array, offsets, block, picks + first * block.step);
  });
}

}  // namespace tessera::library
