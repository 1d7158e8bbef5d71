// Matrix products by cuBLAS. It is column-major: a row-major matrix is the transpose of what cuBLAS sees, so out = a @
// b is computed as out' = b' @ a'.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/library/cuda/cublas.h"
#include "tessera/library/device_library.h"

namespace tessera::library {

namespace {

std::atomic<bool>& tf32() {
  static std::atomic<bool> allowed = [] {
    const char* value = std::getenv("TESSERA_TF32");
    return value && std::string_view(value) == "1";
  }();
  return allowed;
}

}  // namespace

void allow_tf32(bool allow) { tf32() = allow; }
bool allows_tf32() { return tf32(); }

namespace on_device {

using namespace cuda;

namespace {

/// The last two axes of a view, strides in elements.
struct Core {
  int64_t rows, columns, row_stride, column_stride;
  bool aligned;  // strides are whole elements

  explicit Core(const View& view) {
    const size_t n = view.shape.size();
    const int64_t item = view.itemsize();
    rows = view.shape[n - 2];
    columns = view.shape[n - 1];
    row_stride = rows > 1 ? view.strides[n - 2] / item : std::max<int64_t>(1, columns);
    column_stride = columns > 1 ? view.strides[n - 1] / item : 1;
    aligned = (rows <= 1 || view.strides[n - 2] % item == 0) && (columns <= 1 || view.strides[n - 1] % item == 0);
  }
  bool is_row_major() const { return aligned && column_stride == 1 && row_stride >= std::max<int64_t>(1, columns); }
  bool is_column_major() const {
    return aligned && leading_of_columns() >= std::max<int64_t>(1, rows) && (rows <= 1 || row_stride == 1);
  }
  int64_t leading_of_columns() const { return columns > 1 ? column_stride : std::max<int64_t>(1, rows); }
};

/// How one operand is passed: row-major as it is, column-major as transposed.
struct Argument {
  const char* data;
  int type;
  int operation;
  int64_t leading;

  Argument(const Strided& s, bool conjugate) : data(s.data), type(data_type(s.view.dtype)) {
    const Core core(s.view);
    const bool as_it_lies = !conjugate && core.is_row_major();
    operation = as_it_lies ? op_none : conjugate ? op_conjugate : op_transpose;
    leading = as_it_lies ? core.row_stride : core.leading_of_columns();
  }
};

/// Batch axes of the three operands, merged where the strides of all three allow it; strides in elements, innermost
/// last.
struct Batch {
  Dims extents, a, b, out;

  Batch(const View& va, const View& vb, const View& vo) {
    for (size_t i = 0; i + 2 < vo.shape.size(); ++i) {
      const int64_t extent = vo.shape[i];
      if (extent == 1) continue;
      const int64_t sa = va.strides[i] / va.itemsize(), sb = vb.strides[i] / vb.itemsize(),
                    so = vo.strides[i] / vo.itemsize();
      if (!extents.empty() && a.back() == sa * extent && b.back() == sb * extent && out.back() == so * extent) {
        extents.back() *= extent;
        a.back() = sa;
        b.back() = sb;
        out.back() = so;
        continue;
      }
      extents.push_back(extent);
      a.push_back(sa);
      b.push_back(sb);
      out.push_back(so);
    }
  }
  int64_t count() const {
    int64_t n = 1;
    for (int64_t extent : extents) n *= extent;
    return n;
  }
};

std::string shapes_of(const Strided& a, const Strided& b) {
  return format("{} and {} ({})", shape_text(a.view.shape), shape_text(b.view.shape), name(a.view.dtype));
}

class Gemm {
 public:
  Gemm(runtime::Device& device, const Strided& a, const Strided& b, const Strided& out, bool conjugate_a)
      : device_(device),
        call_(device),
        a_(a, conjugate_a),
        b_(b, false),
        out_(out),
        shapes_(shapes_of(a, b)),
        batch_(a.view, b.view, out.view) {
    const Core ca(a.view), co(out.view);
    m_ = co.rows;
    n_ = co.columns;
    k_ = ca.columns;
    ldc_ = co.row_stride;
    dtype_ = out.view.dtype;
    type_ = data_type(dtype_);
    const bool is_double = dtype_ == DType::float64 || dtype_ == DType::complex128;
    compute_ = is_double                                                          ? compute_f64
               : dtype_ == DType::float32 && a_.type == type_f32 && allows_tf32() ? compute_tf32
                                                                                  : compute_f32;
  }

  void run() {
    if (batch_.extents.empty()) return check(once());
    if (batch_.extents.size() == 1) return check(strided());
    pointers();
  }

 private:
  void check(int status) const { check_cublas(status, "matmul", shapes_); }
  int once() {
    return call_.table.gemm(call_.handle, b_.operation, a_.operation, n_, m_, k_, one(dtype_), b_.data, b_.type,
                            b_.leading, a_.data, a_.type, a_.leading, zero(dtype_), out_.data, type_, ldc_, compute_,
                            default_algorithm);
  }
  int strided() {
    return call_.table.gemm_strided(call_.handle, b_.operation, a_.operation, n_, m_, k_, one(dtype_), b_.data, b_.type,
                                    b_.leading, batch_.b[0], a_.data, a_.type, a_.leading, batch_.a[0], zero(dtype_),
                                    out_.data, type_, ldc_, batch_.out[0], batch_.extents[0], compute_,
                                    default_algorithm);
  }
  /// For batches that no single stride describes: the addresses of all matrices, on the device.
  void pointers() {
    const int64_t count = batch_.count();
    std::vector<const char*> at(static_cast<size_t>(3 * count));
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, a = 0, b = 0, out = 0;
      for (size_t axis = batch_.extents.size(); axis-- > 0;) {
        const int64_t index = rest % batch_.extents[axis];
        rest /= batch_.extents[axis];
        a += index * batch_.a[axis];
        b += index * batch_.b[axis];
        out += index * batch_.out[axis];
      }
      at[static_cast<size_t>(i)] = a_.data + a * item(a_.type);
      at[static_cast<size_t>(count + i)] = b_.data + b * item(b_.type);
      at[static_cast<size_t>(2 * count + i)] = out_.data + out * itemsize(dtype_);
    }
    const Ref<runtime::Buffer> table = device_.allocate(at.size() * sizeof(char*));
    device_.stream().copy_in(table->data(), reinterpret_cast<const char*>(at.data()), at.size() * sizeof(char*));
    const auto* a = reinterpret_cast<const void* const*>(table->data());
    auto* out = reinterpret_cast<void* const*>(table->data()) + 2 * count;
    check(call_.table.gemm_batched(call_.handle, b_.operation, a_.operation, n_, m_, k_, one(dtype_), a + count,
                                   b_.type, b_.leading, a, a_.type, a_.leading, zero(dtype_), out, type_, ldc_, count,
                                   compute_, default_algorithm));
  }
  static int64_t item(int type) {
    return type == type_f16 || type == type_bf16 ? 2 : type == type_f32 ? 4 : type == type_c128 ? 16 : 8;
  }

  static constexpr int default_algorithm = -1;
  runtime::Device& device_;
  CublasCall call_;
  Argument a_, b_;
  const Strided& out_;
  std::string shapes_;
  Batch batch_;
  int64_t m_, n_, k_, ldc_;
  DType dtype_;
  int type_, compute_;
};

/// y = op(matrix) @ x for types with a cuBLAS gemv; false for other types.
bool try_gemv(runtime::Device& device, const Strided& matrix, bool transposed, const char* x, int64_t step, char* y,
              int64_t y_step) {
  const CublasCall call(device);
  const DType dtype = matrix.view.dtype;
  const auto routine = dtype == DType::float32      ? call.table.sgemv
                       : dtype == DType::float64    ? call.table.dgemv
                       : dtype == DType::complex64  ? call.table.cgemv
                       : dtype == DType::complex128 ? call.table.zgemv
                                                    : nullptr;
  if (!routine) return false;
  const Core core(matrix.view);
  const bool row_major = core.is_row_major();
  const int64_t rows = row_major ? core.columns : core.rows, columns = row_major ? core.rows : core.columns;
  const int status =
      routine(call.handle, row_major == transposed ? op_none : op_transpose, rows, columns, one(dtype), matrix.data,
              row_major ? core.row_stride : core.leading_of_columns(), x, step, zero(dtype), y, y_step);
  check_cublas(status, "matmul", format("{} by a vector ({})", shape_text(matrix.view.shape), name(dtype)));
  return true;
}

}  // namespace

bool is_blas_matrix(const View& view) {
  const Core core(view);
  const auto batch = std::span(view.strides).first(view.strides.size() - 2);
  const bool goes_forward = std::all_of(batch.begin(), batch.end(), [](int64_t stride) { return stride >= 0; });
  return goes_forward && (core.is_row_major() || core.is_column_major());
}

bool has_product(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

void matmul(runtime::Device& device, const Strided& a, const Strided& b, const Strided& out, bool conjugate_a) {
  const Core ca(a.view), cb(b.view), co(out.view);
  const bool single = Batch(a.view, b.view, out.view).extents.empty() && a.view.dtype == out.view.dtype;
  if (single && !conjugate_a && co.columns == 1 && co.rows > 1 &&
      try_gemv(device, a, false, b.data, cb.rows > 1 ? cb.row_stride : 1, out.data, co.row_stride)) {
    return;
  }
  if (single && !conjugate_a && co.rows == 1 && co.columns > 1 &&
      try_gemv(device, b, true, a.data, ca.columns > 1 ? ca.column_stride : 1, out.data, 1)) {
    return;
  }
  Gemm(device, a, b, out, conjugate_a).run();
}

void dot(runtime::Device& device, const Strided& x, const Strided& y, const Strided& out, bool conjugate) {
  const CublasCall call(device);
  const DType dtype = out.view.dtype;
  const int type = data_type(dtype);
  const int64_t item = itemsize(dtype), n = x.view.shape[0];
  const int64_t step_x = n > 1 ? x.view.strides[0] / item : 1, step_y = n > 1 ? y.view.strides[0] / item : 1;
  const int compute = type == type_f16 || type == type_bf16 ? int{type_f32} : type;
  const auto routine = conjugate && is_complex(dtype) ? call.table.dotc : call.table.dot;
  check_cublas(call.table.set_pointer_mode(call.handle, pointers_device), "dot", "");
  const int status = routine(call.handle, n, x.data, type, step_x, y.data, type, step_y, out.data, type, compute);
  check_cublas(call.table.set_pointer_mode(call.handle, pointers_host), "dot", "");
  check_cublas(status, "dot", shapes_of(x, y));
}

}  // namespace on_device

}  // namespace tessera::library
