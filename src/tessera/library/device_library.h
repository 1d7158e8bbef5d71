/// What vendor libraries compute in a device's memory, queued on its stream. Their bits are their own.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tessera/library/blas/batch.h"
#include "tessera/library/fft/fft.h"
#include "tessera/library/lapack/decompose.h"
#include "tessera/runtime/device.h"

namespace tessera::library {

/// A library that the device needs is not on this machine, the message names the package that brings it; or it does not
/// do what it was asked for.
class LibraryMissing : public std::runtime_error {
 public:
  LibraryMissing(std::string title, const std::string& message)
      : std::runtime_error(message), title_(std::move(title)) {}
  const std::string& title() const { return title_; }

 private:
  std::string title_;
};

/// Asked once, when the first library is needed, for the folders of Python packages that may hold some.
void set_package_folders(std::function<std::vector<std::string>()> folders);

struct LibraryFacts {
  std::string title, path, origin, version;
  std::string problem;  // empty when it was found
};
/// Every library the device could use; opens them.
std::vector<LibraryFacts> device_libraries(const runtime::Device& device);

/// Whether single precision products may round their operands to TF32's 10 bits. They do so only when asked.
void allow_tf32(bool allow);
bool allows_tf32();

}  // namespace tessera::library

/// Arrays are in the device's memory; work is queued, except where a function says that it waits. Every function may
/// throw LibraryMissing, before it has done anything.
namespace tessera::library::on_device {

/// The last two axes are a matrix that BLAS takes as it lies: unit steps along one axis, no overlap along the other.
bool is_blas_matrix(const View& view);

/// out = a @ b over the last two axes, of shapes (..., m, k), (..., k, n), (..., m, n) with the same batch axes; a and
/// b are BLAS matrices of one dtype, which is out's or, for out of float32, float16 or bfloat16. out is C-contiguous in
/// its matrices or their transposes. conjugate_a: conj(a) @ b of complex matrices; a's columns are then without gaps,
/// or it has one row.
void matmul(runtime::Device& device, const Strided& a, const Strided& b, const Strided& out, bool conjugate_a);
/// out[0] = sum of x * y, or of conj(x) * y; strides positive.
void dot(runtime::Device& device, const Strided& x, const Strided& y, const Strided& out, bool conjugate);
bool has_product(DType dtype);

/// out = the transform of in along axis, unscaled; both C-contiguous. in is scratch afterwards. With a rank above 1
/// axis is the last one, and that many axes are transformed.
void fft(runtime::Device& device, FftKind kind, const Strided& in, const Strided& out, int axis, int rank = 1);
constexpr size_t most_fft_axes = 3;  // at once

/// `count` matrices in rows without gaps, one after the other; of float64 or complex128. What follows works in place.
struct Matrices {
  char* data = nullptr;
  Dims shape;  // rows and columns at its end
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

/// Factors of the transposes of square matrices. info: 0, or LAPACK's where a pivot is zero.
struct LuFactors {
  Ref<runtime::Buffer> pivots;
  bool narrow;  // int32 pivots, else int64
  int info = 0;
};
/// Waits for the outcome.
LuFactors factor_lu(runtime::Device& device, const Matrices& a);
/// Every row of b becomes x with a' x = b, or a x = b when transposed; a as it was before factor_lu.
void solve_lu(runtime::Device& device, const Matrices& a, const LuFactors& factors, bool transposed, const Matrices& b);

// From here on the routines see the transposes of the matrices: columns where rows lie.
/// Leaves the factor in the one triangle and what was there in the other. Waits; throws LinAlgError.
void cholesky(runtime::Device& device, const Matrices& a, bool lower);
/// tau: min(rows, columns) scales a matrix.
void qr_packed(runtime::Device& device, const Matrices& a, char* tau);
void qr_orthogonal(runtime::Device& device, const Matrices& q, const char* tau, int64_t reflections);
/// Ascending eigenvalues, and the vectors in a's place. Waits; throws LinAlgError.
void hermitian_eigenvalues(runtime::Device& device, const Matrices& a, bool upper, bool vectors, char* w);
/// Of matrices that have no more rows (which are its columns) than columns. Destroys a. Waits; throws LinAlgError.
void singular_values(runtime::Device& device, const Matrices& a, Vectors vectors, char* s, const Matrices& u,
                     const Matrices& vh);
/// Every row x of b becomes x r^-1; r upper triangular.
void solve_triangle(runtime::Device& device, const Matrices& r, const Matrices& b);

}  // namespace tessera::library::on_device
