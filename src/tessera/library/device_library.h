/// Interface to vendor libraries on devices: products, transforms and factorizations in device memory, queued on the
/// device's stream. Their results may differ from the host's in the last bits.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/library/blas/batch.h"
#include "tessera/library/fft/fft.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/runtime/device.h"

namespace tessera::library {

/// Thrown when a vendor library that the device needs is not installed, with the package to install in the message, or
/// when it does not work as required.
class LibraryMissing : public std::runtime_error {
 public:
  LibraryMissing(std::string title, const std::string& message)
      : std::runtime_error(message), title_(std::move(title)) {}
  const std::string& title() const { return title_; }

 private:
  std::string title_;
};

/// Registers a function that returns the folders of Python packages; called when the first library is needed, with
/// nothing locked.
void set_package_folders(std::function<std::vector<std::string>()> folders);

struct LibraryFacts {
  std::string title, path, origin, version;
  std::string problem;  // empty when it was found
};
/// Opens every library that the device could use and reports on each.
std::vector<LibraryFacts> device_libraries(const runtime::Device& device);

/// Opens what a group of operations ("BLAS", "FFT", "LAPACK") needs on the device, if there is one by then, in the
/// background, and then calls `done` there, also where it is missing. With the caller's lock: Python may be asked for
/// folders.
void open_in_background(std::function<runtime::Device*()> device, std::string_view group, std::function<void()> done);

/// Whether single precision products may round their operands to TF32's 10 mantissa bits. Off by default.
void allow_tf32(bool allow);
bool allows_tf32();

}  // namespace tessera::library

/// Arrays are in device memory. Work is queued, except where a function is documented to wait. Every function may throw
/// LibraryMissing before it has any effect.
namespace tessera::library::on_device {

/// Whether the last two axes are a matrix that BLAS accepts: unit stride along one axis, no overlap along the other.
bool is_blas_matrix(const View& view);

/// out = a @ b over the last two axes, of shapes (..., m, k), (..., k, n), (..., m, n) with equal batch axes. a and b
/// are BLAS matrices of one dtype; out has that dtype or, if it is float32, a and b may be float16 or bfloat16. The
/// matrices of out, or their transposes, are C-contiguous. conjugate_a: conj(a) @ b for complex matrices; then the
/// columns of a are contiguous, or a has one row.
void matmul(runtime::Device& device, const Strided& a, const Strided& b, const Strided& out, bool conjugate_a);
/// out[0] = sum of x * y, or of conj(x) * y; strides are positive.
void dot(runtime::Device& device, const Strided& x, const Strided& y, const Strided& out, bool conjugate);
bool has_product(DType dtype);

/// out = the transform of in along axis, unscaled; both C-contiguous. in is overwritten. With rank > 1, axis is the
/// last one, and `rank` axes ending there are transformed.
void fft(runtime::Device& device, FftKind kind, const Strided& in, const Strided& out, int axis, int rank = 1);
constexpr size_t most_fft_axes = 3;  // per call

/// `count` contiguous row-major matrices of float64 or complex128, one after the other. The functions below work in
/// place.
struct Matrices {
  char* data = nullptr;
  Dims shape;  // rows and columns are the last two extents
  DType dtype = DType::float64;
  int64_t count = 1;

  explicit Matrices(DType type) : shape{0, 0}, dtype(type), count(0) {}
  explicit Matrices(const Strided& s) : data(s.data), shape(s.view.shape), dtype(s.view.dtype) {
    for (size_t i = 0; i + 2 < shape.size(); ++i) count *= shape[i];
  }
  int64_t rows() const { return shape[shape.size() - 2]; }
  int64_t columns() const { return shape.back(); }
  int64_t bytes() const { return rows() * columns() * itemsize(dtype); }
  char* at(int64_t i) const { return data ? data + i * bytes() : nullptr; }
};

/// LU factors of the transposes of square matrices. info: 0, or LAPACK's value where a pivot is zero.
struct LuFactors {
  Ref<runtime::Buffer> pivots;
  bool narrow;  // pivots are int32, else int64
  int info = 0;
};
/// Factors in place. Waits for the result.
LuFactors factor_lu(runtime::Device& device, const Matrices& a);
/// Replaces every row b by x with a' x = b, or a x = b if transposed, where a is the matrix before factor_lu.
void solve_lu(runtime::Device& device, const Matrices& a, const LuFactors& factors, bool transposed, const Matrices& b);

// From here on, the routines see the transposes of the matrices, since rows are stored where columns are expected.
/// Leaves the factor in one triangle and the previous content in the other. Waits; throws LinAlgError.
void cholesky(runtime::Device& device, const Matrices& a, bool lower);
/// tau: min(rows, columns) reflection factors per matrix.
void qr_packed(runtime::Device& device, const Matrices& a, char* tau);
void qr_orthogonal(runtime::Device& device, const Matrices& q, const char* tau, int64_t reflections);
/// Ascending eigenvalues in w, and eigenvectors in place of a. Waits; throws LinAlgError.
void hermitian_eigenvalues(runtime::Device& device, const Matrices& a, bool upper, bool vectors, char* w);
/// For matrices whose rows (columns of the transpose) are no more than their columns. Overwrites a. Waits; throws
/// LinAlgError.
void singular_values(runtime::Device& device, const Matrices& a, Vectors vectors, char* s, const Matrices& u,
                     const Matrices& vh);
/// Replaces every row x of b by x r^-1; r is upper triangular.
void solve_triangle(runtime::Device& device, const Matrices& r, const Matrices& b);

}  // namespace tessera::library::on_device
