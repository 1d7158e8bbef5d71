#include "tessera/library/host/gather.h"

#include <cstring>

#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

/// The block's axes, split into those iterated outside the picks (stride larger than two picks) and the rest.
struct BlockPlan {
  std::array<View, 2> outer, inner;  // [0] in the array of picks, [1] in the indexed array
  int64_t inner_bytes = 0;           // size of the inner part if it is one contiguous run on both sides, else 0
};

View axes_of(const View& view, size_t first, size_t last) {
  View part;
  part.dtype = view.dtype;
  part.shape = Dims(std::span<const int64_t>(view.shape).subspan(first, last - first));
  part.strides = Dims(std::span<const int64_t>(view.strides).subspan(first, last - first));
  return part;
}

BlockPlan plan_block(const PickBlock& block) {
  std::array<View, 2> views{block.packed, block.view};
  sort_axes(views);
  collapse_axes(views);
  size_t ndim = views[0].ndim(), cut = 0;
  while (cut < ndim && std::abs(views[0].strides[cut]) > block.step) ++cut;
  BlockPlan plan;
  for (int k = 0; k < 2; ++k) {
    plan.outer[k] = axes_of(views[k], 0, cut).new_axis(static_cast<int>(cut));
    plan.inner[k] = axes_of(views[k], cut, ndim);
  }
  int64_t itemsize = block.view.itemsize();
  bool dense = plan.inner[0].ndim() <= 1;
  for (const View& view : plan.inner) dense = dense && (view.ndim() == 0 || view.strides[0] == itemsize);
  if (dense) plan.inner_bytes = itemsize * plan.inner[0].size();
  return plan;
}

/// Calls f(array element, pick element) for every element of the inner block.
template <class F>
void for_each_inner(const BlockPlan& plan, char* packed, char* at, F&& f) {
  if (plan.inner[0].ndim() == 0) return f(at, packed);
  int last = plan.inner[0].ndim() - 1;
  int64_t n = plan.inner[0].shape[last];
  int64_t packed_stride = plan.inner[0].strides[last], stride = plan.inner[1].strides[last];
  RowCursor<2> cursor(std::span<const View, 2>(plan.inner), {packed, at}, 0);
  for (int64_t rows = row_count(plan.inner[0]); rows > 0; --rows, cursor.next())
    for (int64_t k = 0; k < n; ++k) f(cursor[1] + k * stride, cursor[0] + k * packed_stride);
}

/// Calls body(pick base, array base) for every position of the outer axes.
template <class F>
void for_each_outer(const BlockPlan& plan, char* picks, char* array, int64_t grain, F&& body) {
  for_each_row(std::span<const View, 2>(plan.outer), {picks, array}, grain,
               [&](const RowCursor<2>& cursor) { body(cursor[0], cursor[1]); });
}

template <bool to_picks>
void move_bytes(char* at, char* packed, int64_t bytes) {
  std::memcpy(to_picks ? packed : at, to_picks ? at : packed, bytes);
}

template <bool to_picks>
void move_range(const BlockPlan& plan, std::span<const int64_t> offsets, int64_t step, char* picks, char* array,
                int64_t begin, int64_t end) {
  int64_t itemsize = plan.inner[0].itemsize();
  if (plan.inner_bytes == itemsize) {
    visit_itemsize(itemsize, [&]<class T>(T) {
      for (int64_t k = begin; k < end; ++k) move_bytes<to_picks>(array + offsets[k], picks + k * step, sizeof(T));
    });
  } else if (plan.inner_bytes) {
    for (int64_t k = begin; k < end; ++k) move_bytes<to_picks>(array + offsets[k], picks + k * step, plan.inner_bytes);
  } else {
    visit_itemsize(itemsize, [&]<class T>(T) {
      for (int64_t k = begin; k < end; ++k) {
        for_each_inner(plan, picks + k * step, array + offsets[k],
                       [](char* at, char* packed) { move_bytes<to_picks>(at, packed, sizeof(T)); });
      }
    });
  }
}

/// Single elements, in order of k.
template <bool to_picks>
void move_elements(std::span<const int64_t> offsets, const PickBlock& block, char* picks, char* array, int64_t begin,
                   int64_t end) {
  visit_itemsize(block.view.itemsize(), [&]<class T>(T) {
    for (int64_t k = begin; k < end; ++k)
      move_bytes<to_picks>(array + offsets[static_cast<size_t>(k)], picks + k * block.step, sizeof(T));
  });
}

}  // namespace

void gather(const char* array, std::span<const int64_t> offsets, const PickBlock& block, char* picks) {
  if (offsets.empty() || block.view.size() == 0) return;
  auto count = static_cast<int64_t>(offsets.size());
  if (block.view.ndim() == 0) {
    auto piece = [&](int64_t begin, int64_t end) {
      move_elements<true>(offsets, block, picks, const_cast<char*>(array), begin, end);
    };
    return runtime::parallel_for(count, grain_for(2 * (block.view.itemsize() + 8)), piece);
  }
  BlockPlan plan = plan_block(block);
  int64_t pick_bytes = plan.inner[0].size() * plan.inner[0].itemsize() + 8;
  for_each_outer(plan, picks, const_cast<char*>(array), grain_for(count * pick_bytes), [&](char* to, char* from) {
    auto piece = [&](int64_t begin, int64_t end) { move_range<true>(plan, offsets, block.step, to, from, begin, end); };
    runtime::parallel_for(count, grain_for(2 * pick_bytes), piece);
  });
}

void scatter(char* array, std::span<const int64_t> offsets, const PickBlock& block, const char* picks) {
  if (offsets.empty() || block.view.size() == 0) return;
  auto count = static_cast<int64_t>(offsets.size());
  if (block.view.ndim() == 0) return move_elements<false>(offsets, block, const_cast<char*>(picks), array, 0, count);
  BlockPlan plan = plan_block(block);
  int64_t pick_bytes = plan.inner[0].size() * plan.inner[0].itemsize() + 8;
  // Different outer positions write different elements; picks may write the same element and must keep their order.
  for_each_outer(plan, const_cast<char*>(picks), array, grain_for(count * pick_bytes),
                 [&](char* from, char* to) { move_range<false>(plan, offsets, block.step, from, to, 0, count); });
}

}  // namespace tessera::library
