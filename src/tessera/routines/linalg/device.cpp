// Linear systems and factorisations by a device's libraries. They see the transposes of C-ordered matrices.
#include <cmath>
#include <complex>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/profile/counters.h"
#include "tessera/routines/linalg/kernels.h"
#include "tessera/routines/linalg/linalg.h"
#include "tessera/routines/linalg/matrices.h"
#include "tessera/routines/linalg/tall.h"

namespace tessera::routines {

namespace lib = library::on_device;
using library::Vectors;

namespace {

void note_library_call() { profile::add(profile::Counter::device_library_calls); }

lib::Matrices matrices(const Elements& elements) { return lib::Matrices(elements.strided()); }

Elements spread(const Elements& x, const Dims& batch) {
  return with_view(x, x.view.broadcast_to(with(batch, {rows(x.view), columns(x.view)})));
}

void fill_zero(Launcher& launcher, const Elements& x) {
  launcher.device().stream().fill_zero(x.data, static_cast<size_t>(x.size() * x.view.itemsize()));
}

void store_identity(Launcher& launcher, const Elements& out) {
  const DType real = real_dtype(out.dtype());
  const int parts = is_complex(out.dtype()) ? 2 : 1;
  launcher.run({.name = format("identity {} {}", name(real), parts),
                .make = [=] { return identity_kernel(real, parts); },
                .extents = {out.size()},
                .buffers = {out.data},
                .scalars = {columns(out.view)}});
}

/// The elements of one triangle of x, whose matrices lie one after the other, zeros in the other; for as many rows as
/// `out` has.
void store_triangle(Launcher& launcher, const Elements& x, bool upper, const Elements& out) {
  const int words = static_cast<int>(out.view.itemsize() / 8), ndim = x.view.ndim();
  const auto stride = [&](int axis) { return x.view.strides[axis] / x.view.itemsize(); };
  launcher.run({.name = format("triangle {} {}", words, upper),
                .make = [=] { return triangle_kernel(words, upper); },
                .extents = {out.size()},
                .buffers = {x.data, out.data},
                .scalars = {rows(out.view), columns(out.view), rows(x.view) * columns(x.view), stride(ndim - 2),
                            stride(ndim - 1)}});
}

}  // namespace

void solve_on_device(DeviceCall& call) {
  const Elements &a = call.operand(0), &b = call.operand(1);
  const Dims batch = broadcast_shapes("solve", leading(a.view, 2), leading(b.view, 2));
  const Elements sides = transposed(spread(b, batch));
  const NewElements lu = copied_in_c_order(call.launcher, spread(a, batch));
  const Elements& out = make(call, 0, with(batch, {columns(a.view), columns(b.view)}), a.dtype());
  // A single column is a row in the same order.
  const bool is_column = columns(b.view) == 1;
  std::optional<NewElements> turned;
  if (!is_column) turned.emplace(call.launcher, sides.shape(), sides.dtype());
  const Elements x = is_column ? transposed(out) : turned->elements;
  const Elements dense{x.data, View::contiguous(x.shape(), x.dtype())};
  copy_elements(call.launcher, sides, dense);
  const lib::LuFactors factors = lib::factor_lu(call.launcher.device(), matrices(lu.elements));
  require<LinAlgError>(factors.info == 0, "Singular matrix (solve of {} by {}, pivot {})", shape_text(a.shape()),
                       shape_text(b.shape()), factors.info);
  lib::solve_lu(call.launcher.device(), matrices(lu.elements), factors, true, matrices(dense));
  if (!is_column) copy_elements(call.launcher, transposed(dense), out);
  note_library_call();
}

void inv_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const NewElements lu = copied_in_c_order(call.launcher, a);
  const lib::LuFactors factors = lib::factor_lu(call.launcher.device(), matrices(lu.elements));
  require<LinAlgError>(factors.info == 0, "Singular matrix (inv of {}, pivot {})", shape_text(a.shape()), factors.info);
  // Rows of the inverse are columns of the transpose's inverse, and the transpose is what was factored.
  const Elements& out = make(call, 0, a.shape(), a.dtype());
  store_identity(call.launcher, out);
  lib::solve_lu(call.launcher.device(), matrices(lu.elements), factors, false, matrices(out));
  note_library_call();
}

namespace {

/// One determinant from the diagonal of its factors, computed as LAPACK's callers do.
template <class T, class R>
void read_determinant(const T* diagonal, int64_t n, bool odd, T& sign, R& log) {
  sign = odd ? T(-1) : T(1);
  log = 0;
  for (int64_t i = 0; i < n; ++i) {
    const R size = std::abs(diagonal[i]);
    if (size == 0) {
      sign = T(0);
      log = -INFINITY;
      return;
    }
    sign *= diagonal[i] / size;
    log += std::log(size);
  }
}

std::vector<int64_t> fetch_pivots(Launcher& launcher, const lib::LuFactors& factors, int64_t size) {
  std::vector<int64_t> pivots(static_cast<size_t>(size));
  if (!factors.narrow) {
    launcher.fetch(pivots.data(), factors.pivots->data(), 8 * pivots.size());
    return pivots;
  }
  std::vector<int32_t> small(pivots.size());
  launcher.fetch(small.data(), factors.pivots->data(), 4 * small.size());
  return {small.begin(), small.end()};
}

template <class T>
struct Determinants {
  std::vector<T> sign;
  std::vector<double> log;

  /// Computed on the host: the diagonals of the factors are small.
  explicit Determinants(DeviceCall& call) {
    Launcher& launcher = call.launcher;
    const NewElements lu = copied_in_c_order(launcher, call.operand());
    const View& view = lu.elements.view;
    const int64_t n = columns(view), count = matrix_count(view);
    const lib::LuFactors factors = lib::factor_lu(launcher.device(), matrices(lu.elements));
    const std::vector<int64_t> pivots = fetch_pivots(launcher, factors, n * count);
    const NewElements line =
        copied_in_c_order(launcher, with_view(lu.elements, view.diagonal(0, view.ndim() - 2, view.ndim() - 1)));
    std::vector<T> diagonal(static_cast<size_t>(n * count));
    launcher.fetch(diagonal.data(), line.elements.data, diagonal.size() * sizeof(T));
    sign.resize(static_cast<size_t>(count));
    log.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      bool odd = false;
      for (int64_t k = 0; k < n; ++k) odd ^= pivots[static_cast<size_t>(i * n + k)] != k + 1;
      read_determinant(diagonal.data() + i * n, n, odd, sign[static_cast<size_t>(i)], log[static_cast<size_t>(i)]);
    }
    note_library_call();
  }
};

template <class T>
void send(Launcher& launcher, const std::vector<T>& numbers, const Elements& to) {
  launcher.device().stream().copy_in(to.data, reinterpret_cast<const char*>(numbers.data()),
                                     numbers.size() * sizeof(T));
}

template <class T>
void make_determinants(DeviceCall& call) {
  Determinants<T> found(call);
  for (size_t i = 0; i < found.sign.size(); ++i) found.sign[i] *= std::exp(found.log[i]);
  send(call.launcher, found.sign, make(call, 0, leading(call.operand().view, 2), call.operand().dtype()));
}

template <class T>
void make_logarithms(DeviceCall& call) {
  const Determinants<T> found(call);
  const Dims shape = leading(call.operand().view, 2);
  send(call.launcher, found.sign, make(call, 0, shape, call.operand().dtype()));
  send(call.launcher, found.log, make(call, 1, shape, DType::float64));
}

}  // namespace

void det_on_device(DeviceCall& call) {
  is_complex(call.operand().dtype()) ? make_determinants<std::complex<double>>(call) : make_determinants<double>(call);
}

void slogdet_on_device(DeviceCall& call) {
  is_complex(call.operand().dtype()) ? make_logarithms<std::complex<double>>(call) : make_logarithms<double>(call);
}

void cholesky_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const bool upper = call.arguments.boolean(1);
  const NewElements factor = copied_in_c_order(call.launcher, a);
  lib::cholesky(call.launcher.device(), matrices(factor.elements), upper);
  store_triangle(call.launcher, factor.elements, upper, make(call, 0, a.shape(), a.dtype()));
  note_library_call();
}

namespace {

void factor_packed(Launcher& launcher, const Elements& a, const Elements& packed, const Elements& tau) {
  copy_elements(launcher, transposed(a), packed);
  lib::qr_packed(launcher.device(), matrices(packed), tau.data);
}

/// The orthogonal factor with as many columns as `out` has.
void store_orthogonal(Launcher& launcher, const Elements& packed, const Elements& tau, const Elements& out) {
  const int64_t count = columns(out.view), m = rows(out.view), given = std::min(rows(packed.view), count);
  // The library fills in the columns beyond those made by the reflections.
  const NewElements q(launcher, with(leading(out.view, 2), {count, m}), out.dtype());
  fill_zero(launcher, q.elements);
  const auto first = [&](const Elements& x) {
    Elements part = x;
    part.view.shape[part.view.ndim() - 2] = given;
    return part;
  };
  copy_elements(launcher, first(packed), first(q.elements));
  lib::qr_orthogonal(launcher.device(), matrices(q.elements), tau.data, tau.shape().back());
  copy_elements(launcher, transposed(q.elements), out);
}

}  // namespace

void qr_packed_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const Dims batch = leading(a.view, 2);
  const Elements packed = make(call, 0, with(batch, {columns(a.view), rows(a.view)}), a.dtype()),
                 tau = make(call, 1, with(batch, {least_extent(a.view)}), a.dtype());
  factor_packed(call.launcher, a, packed, tau);
  note_library_call();
}

void qr_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const auto parts = static_cast<QrParts>(call.arguments.integer(1));
  const bool only_triangle = parts == QrParts::triangle;
  note_library_call();
  if (is_tall(a.view) && parts != QrParts::full && try_tall_qr(call, only_triangle)) return;
  const Dims batch = leading(a.view, 2);
  const int64_t m = rows(a.view), n = columns(a.view), count = orthogonal_columns(a.view, parts);
  const NewElements packed(call.launcher, with(batch, {n, m}), a.dtype()),
      tau(call.launcher, with(batch, {least_extent(a.view)}), a.dtype());
  factor_packed(call.launcher, a, packed.elements, tau.elements);
  if (!only_triangle)
    store_orthogonal(call.launcher, packed.elements, tau.elements, make(call, 0, with(batch, {m, count}), a.dtype()));
  store_triangle(call.launcher, transposed(packed.elements), true,
                 make(call, only_triangle ? 0 : 1, with(batch, {count, n}), a.dtype()));
}

void svd_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const auto vectors = static_cast<Vectors>(call.arguments.integer(1));
  note_library_call();
  if (vectors != Vectors::full && is_tall(a.view) && try_tall_svd(call, vectors)) return;
  const Dims batch = leading(a.view, 2);
  const int64_t m = rows(a.view), n = columns(a.view), least = std::min(m, n), most = std::max(m, n);
  // The library requires at least as many rows as columns: a tall matrix is passed as it is, a wide one as its
  // transpose.
  const bool wide = m < n;
  runtime::Device& device = call.launcher.device();
  const NewElements scratch = copied_in_c_order(call.launcher, wide ? a : transposed(a));
  const Elements s = make(call, 0, with(batch, {least}), real_dtype(a.dtype()));
  const lib::Matrices none(a.dtype());
  if (vectors == Vectors::none)
    return lib::singular_values(device, matrices(scratch.elements), vectors, s.data, none, none);
  const int64_t kept = vectors == Vectors::full ? most : least;
  const Elements u = make(call, 1, with(batch, {m, wide ? least : kept}), a.dtype()),
                 vh = make(call, 2, with(batch, {wide ? kept : least, n}), a.dtype());
  if (wide) return lib::singular_values(device, matrices(scratch.elements), vectors, s.data, matrices(vh), matrices(u));
  const NewElements longer(call.launcher, with(batch, {kept, most}), a.dtype()),
      shorter(call.launcher, with(batch, {least, least}), a.dtype());
  lib::singular_values(device, matrices(scratch.elements), vectors, s.data, matrices(longer.elements),
                       matrices(shorter.elements));
  copy_elements(call.launcher, transposed(longer.elements), u);
  copy_elements(call.launcher, transposed(shorter.elements), vh);
}

void eigh_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const bool upper = call.arguments.boolean(1), vectors = call.arguments.boolean(2);
  const NewElements scratch = copied_in_c_order(call.launcher, transposed(a));
  const Elements w = make(call, 0, leading(a.view, 1), real_dtype(a.dtype()));
  lib::hermitian_eigenvalues(call.launcher.device(), matrices(scratch.elements), upper, vectors, w.data);
  if (vectors) copy_elements(call.launcher, transposed(scratch.elements), make(call, 1, a.shape(), a.dtype()));
  note_library_call();
}

}  // namespace tessera::routines
