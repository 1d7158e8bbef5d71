#include "tessera/eager/scan.h"

#include <algorithm>
#include <array>

#include "tessera/eager/convert_rows.h"
#include "tessera/eager/reduction.h"
#include "tessera/eager/reduction_events.h"
#include "tessera/layout/row_walk.h"

namespace tessera::eager {

namespace {

constexpr int64_t tree_limit = 8192;  // elements of one tree sum

/// The rows across the axis on which a scan's step works: the result so far, the operand, the new result.
struct Steps {
  View from, to;
  RowWalk rows;

  Steps(HostView source, HostView result, int axis)
      : from(without_axes(source.view, std::span(&axis, 1))),
        to(without_axes(result.view, std::span(&axis, 1))),
        rows(from.shape, std::array<Dims, 3>{to.strides, from.strides, to.strides}) {}
};

/// The floating-point events of the slices that reduce_slices reduced.
uint32_t events_of_slices(HostView source, std::span<const int64_t> starts, int axis, HostView result) {
  std::array<int, 1> axes{axis};
  View from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  std::array<Dims, 2> strides{to.strides, from.strides};
  RowWalk rows(from.shape, strides);
  const int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis];
  uint32_t events = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t end = i + 1 < starts.size() ? starts[i + 1] : source.view.shape[axis];
    char* pointers[] = {result.data + static_cast<int64_t>(i) * y_step, source.data + starts[i] * x_step};
    rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t n) {
      for (int64_t k = 0; k < n; ++k) {
        events |= reduction_events(source.dtype(), at[0] + k * steps[0], at[1] + k * steps[1], x_step,
                                   std::max<int64_t>(1, end - starts[i]));
      }
    });
  }
  return events;
}

/// total += the tree sum of n elements, `step` bytes apart, at every index of the rows.
void add_trees(const ops::EagerLoop& loop, ir::ReduceLoop tree, const RowWalk& rows, char* const* pointers,
               int64_t step, int64_t n) {
  constexpr int64_t none[3] = {};
  rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      char* total = at[0] + i * steps[0];
      for (int64_t k = 0; k < n; k += tree_limit) {
        alignas(16) char sum[16];
        tree(at[1] + i * steps[1] + k * step, step, std::min(tree_limit, n - k), sum);
        char* one[] = {total, sum, total};
        loop.run(one, none, 1);
      }
    }
  });
}

}  // namespace

void scan_axis(const ops::EagerLoop& loop, HostView source, int axis, HostView result) {
  const Steps steps(source, result, axis);
  char *x = source.data, *y = result.data;
  const int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis];
  convert_rows(steps.from.shape, {source.dtype(), x, steps.from.strides}, {source.dtype(), y, steps.to.strides});
  for (int64_t k = 1; k < source.view.shape[axis]; ++k) {
    char* pointers[] = {y + (k - 1) * y_step, x + k * x_step, y + k * y_step};
    loop.run_unwatched(steps.rows, pointers);
  }
}

uint32_t scan_events(const ops::EagerLoop& loop, HostView source, int axis, HostView result, bool underflow) {
  if (source.view.size() == 0 || !needs_watching(loop, result)) return 0;
  const Steps steps(source, result, axis);
  char *x = source.data, *y = result.data;
  const int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis];
  uint32_t events = 0;
  for (int64_t k = 1; k < source.view.shape[axis]; ++k) {
    char* pointers[] = {y + (k - 1) * y_step, x + k * x_step, y + k * y_step};
    events |= loop.find_events(steps.rows, pointers, underflow);
  }
  return events;
}

uint32_t reduce_slices(const ops::Op& op, const ops::EagerLoop& loop, HostView source, std::span<const int64_t> starts,
                       int axis, HostView result) {
  if (result.view.size() == 0) return 0;
  std::array<int, 1> axes{axis};
  const DType type = source.dtype();
  View from = without_axes(source.view, axes), to = without_axes(result.view, axes);
  std::array<Dims, 3> strides{to.strides, from.strides, to.strides};
  RowWalk rows(from.shape, strides);
  char* x = source.data;
  char* y = result.data;
  int64_t x_step = source.view.strides[axis], y_step = result.view.strides[axis], length = source.view.shape[axis];
  bool sums = !op.user && op.name == "add" && (is_floating(type) || is_complex(type));
  ir::ReduceLoop tree = sums ? ir::find_reduce_loop(ir::ReduceKind::add, ir::ReduceOrder::pairwise, type) : nullptr;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t begin = starts[i], end = i + 1 < starts.size() ? starts[i + 1] : length;
    char* total = y + static_cast<int64_t>(i) * y_step;
    char* first = x + begin * x_step;
    convert_rows(from.shape, {type, first, from.strides}, {type, total, to.strides});
    char* pointers[] = {total, first + x_step, total};
    if (tree && end > begin + 1) {
      add_trees(loop, tree, rows, pointers, x_step, end - begin - 1);
      continue;
    }
    for (int64_t k = begin + 1; k < end; ++k, pointers[1] += x_step) loop.run_unwatched(rows, pointers);
  }
  const bool watched = !is_integer(type) && needs_watching(loop, result);
  return watched ? events_of_slices(source, starts, axis, result) : 0;
}

}  // namespace tessera::eager
