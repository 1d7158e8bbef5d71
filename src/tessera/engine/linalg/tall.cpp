// A tall matrix a is made orthogonal by the Cholesky factor of a' a (CholeskyQR): one pass over its rows for the
// products and one to apply the factor, instead of many for column by column reflections. Where the columns are nearly
// dependent the products are shifted and the step repeated until they are orthogonal to working precision; the last
// step is the one that counts for accuracy, and it starts from columns that are nearly orthonormal.
#include "tessera/engine/linalg/tall.h"

#include <limits>

#include "tessera/engine/linalg/matrix_scratch.h"
#include "tessera/library/lapack/triangles.h"

namespace tessera::on_device {

namespace lib = library::on_device;
using library::Real;
using library::Square;
using runtime::Device;

namespace {

constexpr int64_t widest = 256;   // columns; for wider triangles the host takes longer than the device's own routines
constexpr int64_t tallness = 16;  // minimum number of rows for each column
constexpr int most_steps = 5;

template <class T>
Square<T> home(Device& device, const char* data, int64_t n) {
  Square<T> square(static_cast<size_t>(n * n));
  device.stream().copy_out(reinterpret_cast<char*>(square.data()), data, square.size() * sizeof(T));
  return square;
}

template <class T>
DeviceResult away(Engine& engine, Device& device, const Square<T>& square, int64_t n, DType dtype) {
  const int64_t shape[] = {n, n};
  DeviceResult result(engine, device, shape, dtype);
  device.stream().copy_in(result.data(), reinterpret_cast<const char*>(square.data()), square.size() * sizeof(T));
  return result;
}

/// Finds r and a basis of a's columns such that a = q r, where q, the basis times the inverse of `step`, is
/// orthonormal.
template <class T>
class Orthogonalizer {
 public:
  Orthogonalizer(Engine& engine, Device& device, const Array& a, DType dtype)
      : engine_(engine), device_(device), dtype_(dtype), n_(a.shape()[1]), basis_(engine.contiguous(a, dtype)) {}

  /// Orthogonalises the columns; false when they stay too nearly dependent.
  bool run() {
    for (int k = 0; k < most_steps; ++k) {
      if (!find_step()) return false;
      if (is_last_) return fix_signs(), true;
      apply();
    }
    return false;
  }
  /// q: the basis with the last step applied.
  Array orthogonal() {
    apply();
    return basis_;
  }
  /// q w.
  Array orthogonal_times(Square<T> w) {
    library::solve_from_left(n_, step_, w);
    const DeviceResult right = away(engine_, device_, w, n_, dtype_), result(engine_, device_, basis_.shape(), dtype_);
    const DeviceRead left(engine_, device_, basis_, dtype_);
    lib::matmul(device_, left.strided(), right.strided(), result.strided(), false);
    return result.array();
  }
  const Square<T>& r() const { return r_; }

 private:
  /// Computes the triangle to divide the columns by from their products, scaled so that columns of any magnitude work.
  bool find_step() {
    const int64_t shape[] = {n_, n_};
    const DeviceResult products(engine_, device_, shape, dtype_);
    {
      const DeviceRead read(engine_, device_, basis_, dtype_);
      lib::matmul(device_, read.as(read.view().swap_axes(0, 1)), read.strided(), products.strided(),
                  is_complex(dtype_));
    }
    Square<T> g = home<T>(device_, products.data(), n_);
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
      const auto rows = static_cast<Real<T>>(basis_.shape()[0]), columns = static_cast<Real<T>>(n_);
      const Real<T> shift =
          11 * (rows * columns + columns * (columns + 1)) * std::numeric_limits<Real<T>>::epsilon() * columns;
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

  void apply() {
    if (!scratch_) scratch_.emplace(engine_, device_, basis_, dtype_);
    const DeviceResult divisor = away(engine_, device_, step_, n_, dtype_);
    lib::solve_triangle(device_, lib::Matrices(divisor.strided()), scratch_->matrices());
    basis_ = scratch_->array();
  }

  void fix_signs() {
    Square<T> top;
    {
      const DeviceRead read(engine_, device_, basis_, dtype_);
      top = home<T>(device_, read.strided().data, n_);
    }
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

  Engine& engine_;
  Device& device_;
  DType dtype_;
  int64_t n_;
  Array basis_;
  std::optional<MatrixScratch> scratch_;
  Square<T> step_, r_;
  bool is_last_ = false;
};

template <class T>
Array array_of(Engine& engine, const Square<T>& square, int64_t n, DType dtype) {
  const int64_t shape[] = {n, n};
  return engine.copy_of(reinterpret_cast<const char*>(square.data()), View::contiguous(shape, dtype));
}

template <class T>
std::optional<TallQr> tall_qr(Engine& engine, Device& device, const Array& a, DType dtype) {
  Orthogonalizer<T> work(engine, device, a, dtype);
  if (!work.run()) return std::nullopt;
  const Array q = work.orthogonal();
  return TallQr{q, array_of(engine, work.r(), a.shape()[1], dtype)};
}

/// The triangle is decomposed on the host: it is small.
template <class T>
std::optional<Svd> tall_svd(Engine& engine, Device& device, const Array& a, Vectors vectors, DType dtype) {
  const int64_t n = a.shape()[1], count[] = {n}, shape[] = {n, n};
  Orthogonalizer<T> work(engine, device, a, dtype);
  if (!work.run()) return std::nullopt;
  Square<T> r = work.r(), u(r.size()), vh(r.size());
  std::vector<Real<T>> s(static_cast<size_t>(n));
  const View square = View::contiguous(shape, dtype), line = View::contiguous(count, real_dtype(dtype));
  const auto of = [](auto& values, const View& view) {
    return library::Strided{reinterpret_cast<char*>(values.data()), view};
  };
  const library::Strided left = of(u, square), right = of(vh, square);
  const bool only_values = vectors == Vectors::none;
  library::singular_values(of(r, square), vectors, of(s, line), only_values ? nullptr : &left,
                           only_values ? nullptr : &right);
  const Array values = engine.copy_of(reinterpret_cast<const char*>(s.data()), line);
  if (only_values) return Svd{values, {}, {}};
  return Svd{values, work.orthogonal_times(std::move(u)), array_of(engine, vh, n, dtype)};
}

}  // namespace

bool is_tall(const Array& a) {
  return a.ndim() == 2 && a.shape()[1] <= widest && a.shape()[1] >= 2 && a.shape()[0] >= tallness * a.shape()[1];
}

std::optional<TallQr> try_tall_qr(Engine& engine, Device& device, const Array& a, DType dtype) {
  if (!is_tall(a)) return std::nullopt;
  return dtype == DType::float64 ? tall_qr<double>(engine, device, a, dtype)
                                 : tall_qr<std::complex<double>>(engine, device, a, dtype);
}

std::optional<Svd> try_tall_svd(Engine& engine, Device& device, const Array& a, Vectors vectors, DType dtype) {
  if (!is_tall(a)) return std::nullopt;
  return dtype == DType::float64 ? tall_svd<double>(engine, device, a, vectors, dtype)
                                 : tall_svd<std::complex<double>>(engine, device, a, vectors, dtype);
}

}  // namespace tessera::on_device
