#include "tessera/routines/rows/indexing.h"

#include "tessera/base/error.h"
#include "tessera/library/host/copy.h"

namespace tessera::routines {

using library::IndexKind;
using library::IndexMode;

namespace {

constexpr int first_axis = 0, kind_of = 1, mode_of = 2, axes_from = 3;  // places of the arguments

}  // namespace

Indexing::Indexing(const View& view, const View& index, size_t count, const ops::Arguments& given)
    : array(view),
      arguments(given),
      kind(static_cast<IndexKind>(given.integer(kind_of))),
      mode(static_cast<IndexMode>(given.integer(mode_of))),
      first(static_cast<int>(given.integer(first_axis))),
      arrays(static_cast<int>(count)),
      picked(index.shape) {}

int64_t Indexing::count() const {
  int64_t count = 1;
  for (const int64_t extent : picked) count *= extent;
  return count;
}

int Indexing::axis_number(int k) const {
  const bool is_given = axes_from + k < arguments.size();
  return is_given ? static_cast<int>(arguments.integer(axes_from + k)) : first + k;
}

RowLayout Indexing::layout() const { return {array, first, kind == IndexKind::axes ? arrays : array.ndim()}; }

RowIndices Indexing::on_device(std::span<const Elements> indices) const {
  RowIndices all{.arrays = indices, .mode = mode};
  for (int k = 0; k < arrays; ++k) {
    all.axes.push_back(axis_number(k));
    all.extents.push_back(kind == IndexKind::flat    ? array.size()
                          : kind == IndexKind::along ? array.shape.back()
                                                     : array.shape[first + k]);
  }
  if (kind == IndexKind::along) all.picks_a_row = picked.back();
  return all;
}

void Indexing::check_alike(std::span<const View* const> indices) {
  for (const View* index : indices) {
    if (!is_integer(index->dtype)) throw IndexError("arrays used as indices must be of integer (or boolean) type");
    if (index->shape != indices[0]->shape || index->dtype != indices[0]->dtype)
      throw ShapeError(format("index arrays {} {} and {} {} are not alike", shape_text(indices[0]->shape),
                              indices[0]->dtype, shape_text(index->shape), index->dtype));
  }
}

void Indexing::check(const View& array, std::span<const View* const> indices, const ops::Arguments& arguments) {
  const int64_t from = arguments.integer(first_axis), what = arguments.integer(kind_of);
  require<ValueError>(!indices.empty(), "indexing: there are no index arrays");
  require<ValueError>(what >= 0 && what <= static_cast<int>(IndexKind::along), "indexing: no kind {}", what);
  const int64_t how = arguments.integer(mode_of);
  require<ValueError>(how >= 0 && how <= static_cast<int>(IndexMode::clip), "indexing: no mode {}", how);
  const View& one = *indices[0];
  check_alike(indices);
  const auto arrays = static_cast<int64_t>(indices.size());
  if (static_cast<IndexKind>(what) == IndexKind::axes) {
    require<IndexError>(from >= 0 && from + arrays <= array.ndim(),
                        "indexing: {} axes from number {} on, of an array of {}", arrays, from, array.ndim());
    return;
  }
  require<ValueError>(arrays == 1 && from == 0, "indexing: one index array counts all axes");
  if (static_cast<IndexKind>(what) == IndexKind::flat) return;
  require<ShapeError>(array.ndim() == one.ndim() && array.ndim() > 0, "indexing: {} axes and indices of {}",
                      array.ndim(), one.ndim());
  for (int k = 0; k + 1 < array.ndim(); ++k) {
    if (array.shape[k] != one.shape[k])
      throw ShapeError(
          format("indexing along the last axis: shapes {} and {}", shape_text(array.shape), shape_text(one.shape)));
  }
}

const int64_t* as_int64(const Elements& numbers, std::vector<std::vector<int64_t>>& converted) {
  if (numbers.dtype() == DType::int64) return numbers.as<int64_t>();
  std::vector<int64_t>& own = converted.emplace_back(static_cast<size_t>(numbers.size()));
  library::copy_view(numbers.data, numbers.view, reinterpret_cast<char*>(own.data()),
                     View::contiguous(numbers.shape(), DType::int64));
  return own.data();
}

HostIndices::HostIndices(std::span<const Elements> arrays, const Indexing& indexing) {
  for (int k = 0; k < indexing.arrays; ++k) {
    library::IndexAxis axis{as_int64(arrays[static_cast<size_t>(k)], converted_), 0, 0, indexing.axis_number(k)};
    if (indexing.kind == IndexKind::axes) {
      axis.extent = indexing.array.shape[indexing.first + k];
      axis.stride = indexing.array.strides[indexing.first + k];
    }
    axes_.push_back(axis);
  }
}

std::vector<int64_t> HostIndices::offsets(const Indexing& indexing) const {
  if (indexing.kind == IndexKind::flat)
    return library::flat_offsets(indexing.array, axes_[0].indices, indexing.count(), indexing.mode);
  return library::along_offsets(indexing.array, axes_[0].indices, indexing.picked.back(), axes_[0].axis);
}

}  // namespace tessera::routines
