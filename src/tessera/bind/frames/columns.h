/// NumPy's arrays as columns of a frame, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/codes.h"
#include "tessera/routines/frames/column.h"

namespace tessera::bind::frames {

namespace nb = nanobind;

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using AnyTable = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using AnyTableResult = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyResult = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Dense = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using DenseResult = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Throws TypeError for dtypes that the engine does not have.
routines::frames::ColumnView column_of(const AnyColumn& array);
/// The dtype of elements of foreign memory.
DType dtype_of(const nb::dlpack::dtype& dtype);

/// Codes of rows: integers of four or eight bytes next to each other; TypeError for others.
routines::frames::CodesView codes_of(const AnyColumn& array);
routines::frames::CodesSpan codes_to_write(const AnyResult& array);

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

/// An array that owns what the vector had.
template <class T, class Allocator>
nb::object to_array(std::vector<T, Allocator> values) {
  using Kept = std::vector<T, Allocator>;
  auto* kept = new Kept(std::move(values));  // the capsule frees it
  nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<Kept*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// The same of a buffer.
template <class T>
nb::object to_array(routines::frames::Buffer<T> values) {
  auto* kept = new routines::frames::Buffer<T>(std::move(values));
  nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<routines::frames::Buffer<T>*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {static_cast<size_t>(kept->size())}, owner));
}

}  // namespace tessera::bind::frames
