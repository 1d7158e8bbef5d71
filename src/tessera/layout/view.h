/// View: the positions of an array's elements in a buffer (shape, strides, offset), and NumPy's operations on views.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>

#include "tessera/base/small_vector.h"
#include "tessera/layout/dtype.h"

namespace tessera {

using Dims = SmallVector<int64_t, 4>;
inline constexpr int max_ndim = 64;

enum class Order : char { c = 'C', f = 'F', a = 'A', k = 'K' };

/// The product of the extents; throws ValueError "array is too big" where NumPy does (overflow or negative extents).
int64_t checked_size(std::span<const int64_t> shape, int64_t itemsize);
/// NumPy's broadcast of two shapes; throws ShapeError naming op and both shapes.
Dims broadcast_shapes(std::string_view op, std::span<const int64_t> a, std::span<const int64_t> b);
/// A shape as NumPy prints it in messages: "(3,4)", "(3,)", "()".
std::string shape_text(std::span<const int64_t> shape);
/// Resolves reshape's shape argument for `size` elements (one extent may be -1); throws ValueError as NumPy does.
Dims resolve_reshape(int64_t size, std::span<const int64_t> shape);
/// Normalises a possibly negative axis to [0, ndim); throws AxisError with NumPy's message.
int normalize_axis(int64_t axis, int ndim);

/// Strides and offset are in bytes, counted from the start of the buffer. A plain value.
struct View {
  Dims shape;
  Dims strides;
  int64_t offset = 0;
  DType dtype = DType::float64;

  static View contiguous(std::span<const int64_t> shape, DType dtype, Order order = Order::c);

  int ndim() const { return static_cast<int>(shape.size()); }
  int64_t size() const {
    int64_t n = 1;
    for (int64_t extent : shape) n *= extent;
    return n;
  }
  int64_t itemsize() const { return tessera::itemsize(dtype); }
  bool is_c_contiguous() const;
  bool is_f_contiguous() const;
  /// Whether no two indices share an element (conservative: true only when provable).
  bool is_injective() const;

  /// Element k along axis removed: a[..., i, ...]; i must already be in range.
  View select(int axis, int64_t i) const;
  /// start and step are in elements, count is the resulting extent, as PySlice_AdjustIndices returns them.
  View slice(int axis, int64_t start, int64_t step, int64_t count) const;
  View new_axis(int at) const;
  View transpose(std::span<const int> axes) const;
  View transpose() const;
  View swap_axes(int a, int b) const;
  View broadcast_to(std::span<const int64_t> shape) const;  // throws ShapeError
  View diagonal(int64_t k, int axis1, int axis2) const;
  /// The view with this shape on the same bytes; empty where NumPy would copy.
  std::optional<View> try_reshape(std::span<const int64_t> shape, Order order = Order::c) const;
  /// Reinterprets the bytes as NumPy's view(dtype) does; throws ValueError where NumPy does.
  View reinterpret(DType to) const;
  View real() const;
  View imag() const;

  /// Lowest and one past the highest byte touched, relative to the buffer; {offset, offset} when empty.
  std::pair<int64_t, int64_t> byte_range() const;

  friend bool operator==(const View& a, const View& b) = default;
};
std::ostream& operator<<(std::ostream& out, const View& view);

/// How the elements of two views of one buffer overlap.
enum class Overlap : uint8_t {
  disjoint,  // no byte in common (proved)
  equal,     // the same bytes at the same index
  shifted,   // same shape and strides, other offset
  unknown,   // may share bytes in any way
};
Overlap overlap(const View& a, const View& b);
/// Solves NumPy's shares_memory problem exactly, with a bound on work; empty when the bound is reached.
std::optional<bool> shares_memory(const View& a, const View& b, int64_t max_work);

/// Drops axes of extent 1 and merges neighbouring axes that have a common stride pattern in every view; returns the
/// number of axes left. All views have one shape; strides may be 0 for broadcast axes.
int collapse_axes(std::span<View> views);
/// Reorders the axes (same permutation for all views) by decreasing stride; views[0] decides first.
void sort_axes(std::span<View> views);
/// The dense layout of a new array over `shape`, with axes in the order of the operands, which broadcast to it (NumPy's
/// order 'K'); C order where the operands disagree or do not determine the order.
View common_layout(const Dims& shape, DType dtype, std::span<const View* const> operands);
/// Removes these axes, keeping the first element along each.
View without_axes(const View& view, std::span<const int> axes);
/// Whether strides never grow from one axis to the next, so that order 'K' is C order.
bool has_falling_strides(const View& view);

}  // namespace tessera
