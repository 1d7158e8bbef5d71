#include "tessera/routines/transpose/transpose.h"

#include "tessera/base/error.h"
#include "tessera/routines/transpose/kernels.h"

namespace tessera::routines {

namespace {

CopiedItem item_of(DType dtype, bool widens) {
  constexpr DType words[] = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
  const int64_t size = itemsize(dtype);
  if (size > 8) return {DType::uint64, static_cast<int>(size / 8), widens};
  return {words[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3], 1, widens};
}

std::string text_of(const CopiedItem& item) { return format("{} {} {}", name(item.word), item.words, item.widens); }

/// Source and destination that are copied by squares: axis x is contiguous in the source, the last one in the
/// destination, and at most two more lie before it.
struct Planes {
  int x = -1;
  int others[2] = {-1, -1};  // inner, outer

  Planes(const View& from, const View& to) {
    constexpr int64_t shortest = 8;  // shorter lines fill too little of a square
    const int last = from.ndim() - 1;
    if (last < 1 || last > 3 || from.shape[last] < shortest || to.strides[last] != to.itemsize()) return;
    for (int axis = 0; axis < last; ++axis)
      if (from.strides[axis] == from.itemsize() && from.shape[axis] >= shortest) x = axis;
    int count = 0;
    for (int axis = last; axis-- > 0;)
      if (axis != x && x >= 0) others[count++] = axis;
  }
};

void transpose(Launcher& launcher, const Planes& planes, const CopiedItem& item, const Elements& from,
               const Elements& to) {
  const int y = from.view.ndim() - 1, x = planes.x, inner = planes.others[0], outer = planes.others[1];
  const auto extent = [&](int axis) { return axis < 0 ? int64_t{1} : from.shape()[axis]; };
  const auto stride = [&](const View& v, int axis) { return axis < 0 ? int64_t{0} : v.strides[axis] / v.itemsize(); };
  const auto squares = [](int64_t n) { return (n + transposed_side - 1) / transposed_side; };
  launcher.run(
      {.name = format("transpose {}", text_of(item)),
       .make = [=] { return transpose_kernel(item); },
       .extents = {squares(extent(x)) * squares(extent(y)) * extent(inner) * extent(outer), transposed_threads},
       .buffers = {from.data, to.data},
       .scalars = {extent(x), extent(y), stride(from.view, y), stride(to.view, x), extent(inner),
                   stride(from.view, inner), stride(to.view, inner), stride(from.view, outer), stride(to.view, outer)},
       .is_block = true});
}

}  // namespace

void copy_elements(Launcher& launcher, const Elements& from, const Elements& to) {
  if (from.size() == 0) return;
  const bool widens = from.dtype() != to.dtype();
  invariant(!widens || complex_dtype(from.dtype()) == to.dtype(), "{} cannot be copied to {}", from.dtype(),
            to.dtype());
  if (!widens && from.view.is_c_contiguous() && to.view.is_c_contiguous()) {
    launcher.flush();
    const auto nbytes = static_cast<size_t>(from.size() * from.view.itemsize());
    return launcher.device().stream().copy(to.data, from.data, nbytes);
  }
  View views[] = {from.view, to.view};
  if (collapse_axes(views) == 0)
    for (View& view : views) view = View{.shape = {1}, .strides = {view.itemsize()}, .dtype = view.dtype};
  const CopiedItem item = item_of(from.dtype(), widens);
  const Planes planes(views[0], views[1]);
  if (planes.x >= 0) return transpose(launcher, planes, item, {from.data, views[0]}, {to.data, views[1]});
  std::vector<int64_t> strides;
  const int ndim = views[0].ndim();
  for (int axis = 0; axis < ndim; ++axis)
    for (const View& view : views) strides.push_back(view.strides[axis] / view.itemsize());
  launcher.run({.name = format("copy_strided {} {}", ndim, text_of(item)),
                .make = [=] { return copy_strided_kernel(item, ndim); },
                .extents = views[0].shape,
                .buffers = {from.data, to.data},
                .scalars = std::move(strides)});
}

}  // namespace tessera::routines
