#include "tessera/engine/linalg/device_products.h"

#include "tessera/base/error.h"
#include "tessera/engine/call/device_launches.h"
#include "tessera/engine/device/run/library_access.h"
#include "tessera/library/blas/matrix_product.h"
#include "tessera/routines/product/product.h"

namespace tessera {

using library::Product;
namespace lib = library::on_device;

namespace {

/// The dtype in which both operands are passed: half-precision operands of single-precision products are not converted.
DType operand_dtype(const Array& a, const Array& b, DType dtype) {
  const bool halves = a.dtype() == b.dtype() && itemsize(a.dtype()) == 2 && is_floating(a.dtype());
  return dtype == DType::float32 && halves ? a.dtype() : dtype;
}

/// An operand as matrices broadcast to `batch`.
class Matrices {
 public:
  Matrices(Engine& engine, runtime::Device& device, const Array& array, View view, DType dtype, const Dims& batch)
      : read_(engine, device, usable(engine, array.with_view(std::move(view))), dtype), view_(read_.view()) {
    Dims shape = batch;
    shape.push_back(view_.shape[view_.shape.size() - 2]);
    shape.push_back(view_.shape.back());
    view_ = view_.broadcast_to(shape);
  }
  library::Strided strided() const { return read_.as(view_); }

 private:
  static Array usable(Engine& engine, const Array& array) {
    return lib::is_blas_matrix(array.view) ? array : engine.copy(array, array.dtype(), Order::c);
  }
  DeviceRead read_;
  View view_;
};

View as_row(const View& v) { return v.new_axis(v.ndim() - 1); }
View as_column(const View& v) { return v.new_axis(v.ndim()); }

bool may_run(const Array& a, const Array& b, DType dtype) {
  return lib::has_product(dtype) && a.size() > 0 && b.size() > 0;
}

/// dot of two vectors, in one pass over both.
Array vector_product(Engine& engine, runtime::Device& device, const Array& a, const Array& b, DType dtype,
                     bool conjugate) {
  const auto forward = [&](const Array& x) { return x.view.strides[0] > 0 ? x : engine.copy(x, dtype, Order::c); };
  const DeviceRead x(engine, device, forward(a), dtype), y(engine, device, forward(b), dtype);
  const DeviceResult out(engine, device, {}, dtype);
  lib::dot(device, x.strided(), y.strided(), out.strided(), conjugate);
  return out.array();
}

Array matrix_product(Engine& engine, runtime::Device& device, Product kind, const Array& a, const Array& b,
                     DType dtype) {
  const library::ProductShape shape = library::product_shape(kind, a.shape(), b.shape());
  const bool conjugate = (kind == Product::vecdot || kind == Product::vecmat) && is_complex(dtype);
  const bool row = kind == Product::vecdot || kind == Product::vecmat || shape.vector_a;
  const bool column = kind == Product::vecdot || kind == Product::matvec || shape.vector_b;
  if (a.ndim() == 1 && b.ndim() == 1 && row && column) return vector_product(engine, device, a, b, dtype, conjugate);
  const DType given = operand_dtype(a, b, dtype);
  const Matrices left(engine, device, a, row ? as_row(a.view) : a.view, given, shape.batch);
  const Matrices right(engine, device, b, column ? as_column(b.view) : b.view, given, shape.batch);
  const DeviceResult result(engine, device, shape.result, dtype);
  Dims full = shape.batch;
  full.push_back(row ? 1 : a.shape()[a.shape().size() - 2]);
  full.push_back(column ? 1 : b.shape().back());
  lib::matmul(device, left.strided(), right.strided(), result.as(View::contiguous(full, dtype)), conjugate);
  return result.array();
}

/// NumPy's dot of b with more than two axes: one product for each of b's leading indices, side by side in the rows of
/// out.
Array dot_product(Engine& engine, runtime::Device& device, const Array& a, const Array& b, DType dtype) {
  if (b.ndim() <= 2 && a.ndim() <= 2) return matrix_product(engine, device, Product::matmul, a, b, dtype);
  const Dims shape = library::matrix_product_shape(a.shape(), b.shape());
  const int64_t k = a.shape().back(), p = b.ndim() > 1 ? b.shape().back() : 1;
  const int64_t rows = a.size() / k, blocks = b.size() / k / p;
  const int64_t flat_a[] = {1, rows, k}, flat_b[] = {blocks, k, p}, wide[] = {rows, blocks, p};
  const auto flat = [&](const Array& x, std::span<const int64_t> to) {
    if (const auto view = x.view.try_reshape(to)) return x.with_view(*view);
    const Array dense = engine.contiguous(x);
    return dense.with_view(*dense.view.try_reshape(to));
  };
  const Array left = flat(a, flat_a), right = flat(b, flat_b);
  const DType given = operand_dtype(a, b, dtype);
  const Dims batch{blocks};
  const Matrices x(engine, device, left, left.view, given, batch), y(engine, device, right, right.view, given, batch);
  const DeviceResult result(engine, device, shape, dtype);
  lib::matmul(device, x.strided(), y.strided(), result.as(View::contiguous(wide, dtype).swap_axes(0, 1)), false);
  return result.array();
}

/// Cost of products along the operands' last axes, over the larger of the two batches.
engine::CallCost cost_of(const char* op, const Array& a, const Array& b, DType dtype, double effort = 1) {
  const auto extent = [](const Array& x, int from_end) {
    return x.ndim() >= from_end ? static_cast<double>(x.shape()[static_cast<size_t>(x.ndim() - from_end)]) : 1.0;
  };
  const auto size_a = static_cast<double>(a.size()), size_b = static_cast<double>(b.size());
  const double k = std::max(1.0, extent(a, 1)), m = extent(a, 2), n = b.ndim() > 1 ? extent(b, 1) : 1;
  const double batch = std::max(size_a / (k * m), size_b / (k * n)), results = m * n * batch;
  const double bytes = static_cast<double>(itemsize(dtype)) * (size_a + size_b + results);
  return engine::cost_of_product(op, effort * results * k, bytes, dtype);
}

/// Products of integers, which the libraries do not implement.
std::optional<Array> integer_product(Engine& engine, Product kind, const Array& a, const Array& b, DType dtype) {
  if (a.size() == 0 || b.size() == 0) return {};
  const library::ProductShape shape = library::product_shape(kind, a.shape(), b.shape());
  const bool row = kind == Product::vecdot || kind == Product::vecmat || shape.vector_a;
  const bool column = kind == Product::vecdot || kind == Product::matvec || shape.vector_b;
  const auto matrices = [&](const Array& x, const View& view) {
    Dims full = shape.batch;
    for (int axis = view.ndim() - 2; axis < view.ndim(); ++axis) full.push_back(view.shape[axis]);
    return engine.contiguous(x.with_view(view.broadcast_to(full)), dtype);
  };
  runtime::Device* device = library_device(engine, {&a, &b}, cost_of("integer product", a, b, dtype, 16));
  if (!device) return {};
  return engine::run_routine(engine, *device, [&](engine::DeviceLaunches& launches) {
    const Array left = matrices(a, row ? as_row(a.view) : a.view),
                right = matrices(b, column ? as_column(b.view) : b.view);
    const engine::DenseOperand x = launches.read(left), y = launches.read(right);
    const DeviceResult out(engine, *device, shape.result, dtype);
    const int64_t m = left.shape()[left.ndim() - 2], k = left.shape().back();
    const routines::IntegerMatrices wanted{dtype, left.size() / (m * k), m, k, right.shape().back()};
    routines::multiply_integers(launches, wanted, x.data(), y.data(), out.data());
    return out.array();
  });
}

template <class Body>
std::optional<Array> attempt(Engine& engine, const char* op, const Array& a, const Array& b, DType dtype, Body&& body) {
  runtime::Device* device = may_run(a, b, dtype) ? library_device(engine, {&a, &b}, cost_of(op, a, b, dtype)) : nullptr;
  std::optional<Array> result;
  if (device) try_library(engine, op, [&] { result = body(*device); });
  return result;
}

}  // namespace

std::optional<Array> try_device_product(Engine& engine, Product kind, const Array& a, const Array& b, DType dtype) {
  if (is_integer(dtype) || is_boolean(dtype)) return integer_product(engine, kind, a, b, dtype);
  return attempt(engine, name(kind), a, b, dtype,
                 [&](runtime::Device& device) { return matrix_product(engine, device, kind, a, b, dtype); });
}

std::optional<Array> try_device_dot(Engine& engine, const Array& a, const Array& b, DType dtype) {
  if (is_integer(dtype) || is_boolean(dtype)) {
    if (a.ndim() == 0 || b.ndim() == 0 || a.ndim() > 2 || b.ndim() > 2) return {};
    return integer_product(engine, Product::matmul, a, b, dtype);
  }
  return attempt(engine, "dot", a, b, dtype,
                 [&](runtime::Device& device) { return dot_product(engine, device, a, b, dtype); });
}

std::optional<Array> try_device_vdot(Engine& engine, const Array& a, const Array& b, DType dtype) {
  return attempt(engine, "vdot", a, b, dtype, [&](runtime::Device& device) {
    const auto flat = [&](const Array& x) {
      const Array dense = engine.contiguous(x);
      const int64_t extent[] = {dense.size()};
      return dense.with_view(*dense.view.try_reshape(extent));
    };
    return vector_product(engine, device, flat(a), flat(b), dtype, true);
  });
}

}  // namespace tessera
