// Products by a device's own library, and of integers by our kernels.
#include <optional>

#include "tessera/library/blas/matrix_product.h"
#include "tessera/profile/counters.h"
#include "tessera/routines/product/product.h"
#include "tessera/routines/transpose/transpose.h"

namespace tessera::routines {

namespace {

namespace lib = library::on_device;

View as_row(const View& v) { return v.new_axis(v.ndim() - 1); }
View as_column(const View& v) { return v.new_axis(v.ndim()); }

/// An operand as it lies if that suits the library, else a copy in C order that is kept alive.
class Operand {
 public:
  Operand(Launcher& launcher, const Elements& given, bool is_suitable) : elements_(given) {
    if (is_suitable) return;
    copy_.emplace(copied_in_c_order(launcher, given));
    elements_ = copy_->elements;
  }
  const Elements& elements() const { return elements_; }
  library::Strided strided() const { return elements_.strided(); }

 private:
  Elements elements_;
  std::optional<NewElements> copy_;
};

/// An operand's matrices, broadcast to `batch`.
class Matrices {
 public:
  Matrices(Launcher& launcher, const Elements& given, const Dims& batch)
      : operand_(launcher, given, lib::is_blas_matrix(given.view)), view_(operand_.elements().view) {
    Dims shape = batch;
    for (int axis = view_.ndim() - 2; axis < view_.ndim(); ++axis) shape.push_back(view_.shape[axis]);
    view_ = view_.broadcast_to(shape);
  }
  library::Strided strided() const { return {operand_.elements().data, view_}; }

 private:
  Operand operand_;
  View view_;
};

/// dot of two vectors, in one pass over both.
void multiply_vectors(DeviceCall& call, const Elements& a, const Elements& b, bool conjugates) {
  const Operand x(call.launcher, a, a.view.strides[0] > 0), y(call.launcher, b, b.view.strides[0] > 0);
  lib::dot(call.launcher.device(), x.strided(), y.strided(), call.result().strided(), conjugates);
}

void multiply_matrices(DeviceCall& call, Product kind) {
  const Elements &a = call.operand(0), &b = call.operand(1), &out = call.result();
  const ProductForm form(kind, a.view, b.view, out.dtype());
  if (a.view.ndim() == 1 && b.view.ndim() == 1 && form.is_of_vectors())
    return multiply_vectors(call, a, b, form.conjugates);
  const Matrices left(call.launcher, with_view(a, form.row ? as_row(a.view) : a.view), form.shape.batch);
  const Matrices right(call.launcher, with_view(b, form.column ? as_column(b.view) : b.view), form.shape.batch);
  Dims full = form.shape.batch;
  full.push_back(form.row ? 1 : a.shape()[a.shape().size() - 2]);
  full.push_back(form.column ? 1 : b.shape().back());
  lib::matmul(call.launcher.device(), left.strided(), right.strided(), {out.data, View::contiguous(full, out.dtype())},
              form.conjugates);
}

void multiply_integer_matrices(DeviceCall& call, Product kind) {
  const Elements &a = call.operand(0), &b = call.operand(1), &out = call.result();
  const ProductForm form(kind, a.view, b.view, out.dtype());
  const auto matrices = [&](const Elements& x, const View& view) {
    Dims full = form.shape.batch;
    for (int axis = view.ndim() - 2; axis < view.ndim(); ++axis) full.push_back(view.shape[axis]);
    const Elements spread = with_view(x, view.broadcast_to(full));
    return Operand(call.launcher, spread, spread.view.is_c_contiguous());
  };
  const Operand left = matrices(a, form.row ? as_row(a.view) : a.view),
                right = matrices(b, form.column ? as_column(b.view) : b.view);
  const Dims &x = left.elements().shape(), &y = right.elements().shape();
  const int64_t m = x[x.size() - 2], k = x.back();
  multiply_integers(call.launcher, {out.dtype(), left.elements().size() / (m * k), m, k, y.back()},
                    left.elements().data, right.elements().data, out.data);
}

/// NumPy's dot of b with more than two axes: one product for each of b's leading indices, side by side in the rows of
/// out.
void multiply_blocks(DeviceCall& call) {
  const Elements &a = call.operand(0), &b = call.operand(1), &out = call.result();
  const int64_t k = a.shape().back(), p = b.view.ndim() > 1 ? b.shape().back() : 1;
  const int64_t rows = a.size() / k, blocks = b.size() / k / p;
  const auto flat = [&](const Elements& x, const Dims& to) {
    const Operand whole(call.launcher, x, x.view.try_reshape(to).has_value());
    return std::pair(whole, with_view(whole.elements(), *whole.elements().view.try_reshape(to)));
  };
  const auto [left, rows_of_a] = flat(a, {1, rows, k});
  const auto [right, blocks_of_b] = flat(b, {blocks, k, p});
  const Matrices x(call.launcher, rows_of_a, {blocks}), y(call.launcher, blocks_of_b, {blocks});
  const View wide = View::contiguous(Dims{rows, blocks, p}, out.dtype());
  lib::matmul(call.launcher.device(), x.strided(), y.strided(), {out.data, wide.swap_axes(0, 1)}, false);
}

bool is_for_library(const Elements& out) { return lib::has_product(out.dtype()); }

}  // namespace

void product_on_device(DeviceCall& call, Product kind) {
  if (!is_for_library(call.result())) return multiply_integer_matrices(call, kind);
  multiply_matrices(call, kind);
  profile::add(profile::Counter::device_library_calls);
}

void dot_on_device(DeviceCall& call) {
  if (call.operand(0).view.ndim() <= 2 && call.operand(1).view.ndim() <= 2)
    return product_on_device(call, Product::matmul);
  multiply_blocks(call);
  profile::add(profile::Counter::device_library_calls);
}

void vdot_on_device(DeviceCall& call) {
  const auto flat = [&](const Elements& x) {
    const Operand dense(call.launcher, x, x.view.is_c_contiguous());
    return std::pair(dense, Elements{dense.elements().data, View::contiguous(Dims{x.size()}, x.dtype())});
  };
  const auto [left, x] = flat(call.operand(0));
  const auto [right, y] = flat(call.operand(1));
  multiply_vectors(call, x, y, true);
  profile::add(profile::Counter::device_library_calls);
}

}  // namespace tessera::routines
