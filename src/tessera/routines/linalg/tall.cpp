// A tall matrix a is made orthogonal by the Cholesky factor of a' a (CholeskyQR): one pass over its rows for the
// products and one to apply the factor, instead of many for column by column reflections. Where the columns are nearly
// dependent the products are shifted and the step repeated until they are orthogonal to working precision; the last
// step is the one that counts for accuracy, and it starts from columns that are nearly orthonormal.
#include "tessera/routines/linalg/tall.h"

#include <limits>
#include <optional>

#include "tessera/library/lapack/triangles.h"
#include "tessera/routines/linalg/matrices.h"

namespace tessera::routines {

namespace lib = library::on_device;
using library::Real;
using library::Square;
using library::Vectors;

namespace {

constexpr int64_t widest = 256;   // columns; for wider triangles the host takes longer than the device's own routines
constexpr int64_t tallness = 16;  // minimum number of rows for each column
constexpr int most_steps = 5;

template <class T>
Square<T> fetched(Launcher& launcher, const char* data, int64_t n) {
  Square<T> square(static_cast<size_t>(n * n));
  launcher.fetch(square.data(), data, square.size() * sizeof(T));
  return square;
}

template <class T>
void send(Launcher& launcher, const std::vector<T>& numbers, char* to) {
  launcher.device().stream().copy_in(to, reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

/// Finds r and a basis of a's columns such that a = q r, where q, the basis times the inverse of `step`, is
/// orthonormal.
template <class T>
class Orthogonalizer {
 public:
  /// `home`: where the basis is to be, if not in memory of its own.
  Orthogonalizer(Launcher& launcher, const Elements& a, const Elements* home = nullptr)
      : launcher_(launcher), n_(columns(a.view)), basis_(a), home_(home) {
    if (!a.view.is_c_contiguous()) copy_basis();
  }

  /// Orthogonalises the columns; false when they stay too nearly dependent.
  bool run() {
    for (int k = 0; k < most_steps; ++k) {
      if (!find_step()) return false;
      if (is_last_) return fix_signs(), true;
      finish();
    }
    return false;
  }
  /// Makes the basis q by applying the last step.
  void finish() {
    copy_basis();
    apply();
  }
  /// Stores q w.
  void store_orthogonal_times(Square<T> w, const Elements& out) {
    library::solve_from_left(n_, step_, w);
    const NewElements right = square_of(w);
    lib::matmul(launcher_.device(), basis_.strided(), right.elements.strided(), out.strided(), false);
  }
  const Square<T>& r() const { return r_; }

 private:
  /// Computes the triangle to divide the columns by from their products, scaled so that columns of any magnitude work.
  bool find_step() {
    const NewElements products(launcher_, Dims{n_, n_}, basis_.dtype());
    lib::matmul(launcher_.device(), transposed(basis_).strided(), basis_.strided(), products.elements.strided(),
                is_complex(basis_.dtype()));
    Square<T> g = fetched<T>(launcher_, products.elements.data, n_);
    std::vector<Real<T>> size(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      const Real<T> square = std::real(g[at(i, i)]);
      if (!(square > 0) || !std::isfinite(square)) return false;
      size[static_cast<size_t>(i)] = std::sqrt(square);
    }
    Real<T> off = 0;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        g[at(i, j)] /= size[static_cast<size_t>(i)] * size[static_cast<size_t>(j)];
        if (i != j) off += std::norm(g[at(i, j)]);
      }
    }
    constexpr Real<T> nearly_orthogonal = 0.25;  // bound for the squared norm of the off-diagonal part
    is_last_ = off <= nearly_orthogonal;
    Square<T> factor = g;
    if (!library::try_cholesky(n_, factor)) {
      const auto m = static_cast<Real<T>>(rows(basis_.view)), n = static_cast<Real<T>>(n_);
      const Real<T> shift = 11 * (m * n + n * (n + 1)) * std::numeric_limits<Real<T>>::epsilon() * n;
      for (int64_t i = 0; i < n_; ++i) g[at(i, i)] += std::min<Real<T>>(shift, Real<T>(1e-2));
      factor = g;
      if (!library::try_cholesky(n_, factor)) return false;
    }
    for (int64_t i = 0; i < n_; ++i)
      for (int64_t j = i; j < n_; ++j) factor[at(i, j)] *= size[static_cast<size_t>(j)];
    step_ = std::move(factor);
    r_ = r_.empty() ? step_ : library::multiply_triangle(n_, step_, r_);
    return true;
  }

  /// Copies the columns to where they may be overwritten, unless they are there.
  void copy_basis() {
    if (is_own_) return;
    is_own_ = true;
    if (!home_) own_.emplace(launcher_, basis_.shape(), basis_.dtype());
    const Elements to = home_ ? *home_ : own_->elements;
    copy_elements(launcher_, basis_, to);
    basis_ = to;
  }

  NewElements square_of(const Square<T>& numbers) {
    NewElements made(launcher_, Dims{n_, n_}, basis_.dtype());
    send(launcher_, numbers, made.elements.data);
    return made;
  }

  void apply() {
    const NewElements divisor = square_of(step_);
    lib::solve_triangle(launcher_.device(), lib::Matrices(divisor.elements.strided()), lib::Matrices(basis_.strided()));
  }

  void fix_signs() {
    Square<T> top = fetched<T>(launcher_, basis_.data, n_);
    library::solve_from_right(n_, step_, top);
    const std::vector<Real<T>> signs = library::reflection_signs(n_, std::move(top));
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = i; j < n_; ++j) {
        step_[at(i, j)] *= signs[static_cast<size_t>(i)];
        r_[at(i, j)] *= signs[static_cast<size_t>(i)];
      }
    }
  }

  size_t at(int64_t i, int64_t j) const { return static_cast<size_t>(i * n_ + j); }

  Launcher& launcher_;
  int64_t n_;
  Elements basis_;
  const Elements* home_;
  std::optional<NewElements> own_;
  bool is_own_ = false;
  Square<T> step_, r_;
  bool is_last_ = false;
};

template <class T>
bool tall_qr(DeviceCall& call, bool only_triangle) {
  const Elements& a = call.operand();
  const int64_t n = columns(a.view);
  Orthogonalizer<T> work(call.launcher, a, only_triangle ? nullptr : &make(call, 0, a.shape(), a.dtype()));
  if (!work.run()) return false;
  if (!only_triangle) work.finish();
  send(call.launcher, work.r(), make(call, only_triangle ? 0 : 1, {n, n}, a.dtype()).data);
  return true;
}

/// The triangle is decomposed on the host: it is small.
template <class T>
bool tall_svd(DeviceCall& call, Vectors vectors) {
  const Elements& a = call.operand();
  const int64_t n = columns(a.view);
  const DType real = real_dtype(a.dtype());
  Orthogonalizer<T> work(call.launcher, a);
  if (!work.run()) return false;
  Square<T> r = work.r(), u(r.size()), vh(r.size());
  std::vector<Real<T>> s(static_cast<size_t>(n));
  const View square = View::contiguous(Dims{n, n}, a.dtype()), line = View::contiguous(Dims{n}, real);
  const auto of = [](auto& values, const View& view) {
    return library::Strided{reinterpret_cast<char*>(values.data()), view};
  };
  const library::Strided left = of(u, square), right = of(vh, square);
  const bool only_values = vectors == Vectors::none;
  library::singular_values(of(r, square), vectors, of(s, line), only_values ? nullptr : &left,
                           only_values ? nullptr : &right);
  send(call.launcher, s, make(call, 0, {n}, real).data);
  if (only_values) return true;
  work.store_orthogonal_times(std::move(u), make(call, 1, a.shape(), a.dtype()));
  send(call.launcher, vh, make(call, 2, {n, n}, a.dtype()).data);
  return true;
}

}  // namespace

bool is_tall(const View& a) {
  return a.ndim() == 2 && columns(a) <= widest && columns(a) >= 2 && rows(a) >= tallness * columns(a);
}

bool try_tall_qr(DeviceCall& call, bool only_triangle) {
  return call.operand().dtype() == DType::float64 ? tall_qr<double>(call, only_triangle)
                                                  : tall_qr<std::complex<double>>(call, only_triangle);
}

bool try_tall_svd(DeviceCall& call, Vectors vectors) {
  return call.operand().dtype() == DType::float64 ? tall_svd<double>(call, vectors)
                                                  : tall_svd<std::complex<double>>(call, vectors);
}

}  // namespace tessera::routines
