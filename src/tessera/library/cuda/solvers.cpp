// Factorizations by cuSOLVER; LU factors of many small matrices by cuBLAS, which has a batched routine.
#include <algorithm>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/cuda/cublas.h"
#include "tessera/library/cuda/cusolver.h"
#include "tessera/library/device_library.h"

namespace tessera::library::on_device {

using namespace cuda;
using runtime::Buffer;
using runtime::Device;

namespace {

std::string text_of(const Matrices& m) { return format("{} ({})", shape_text(m.shape), name(m.dtype)); }

/// The workspace and status memory of a call, besides its operands.
class Work {
 public:
  Work(Device& device, size_t on_device, size_t on_host, int64_t checks = 1)
      : device_(device),
        memory_(device.allocate(on_device + 8)),
        info_(device.allocate(static_cast<size_t>(4 * checks))),
        host_(on_host + 1),
        on_device_(on_device),
        checks_(static_cast<size_t>(checks)) {}
  void* memory() const { return memory_->data(); }
  size_t size() const { return on_device_; }
  void* host() { return host_.data(); }
  int* info() const { return reinterpret_cast<int*>(info_->data()); }
  /// Waits for the work and returns LAPACK's info of the first matrix that failed.
  int outcome() const {
    std::vector<int> infos(checks_);
    device_.stream().copy_out(reinterpret_cast<char*>(infos.data()), info_->data(), 4 * checks_);
    const auto at = std::find_if(infos.begin(), infos.end(), [](int info) { return info != 0; });
    return at == infos.end() ? 0 : *at;
  }

 private:
  Device& device_;
  Ref<Buffer> memory_, info_;
  std::vector<char> host_;
  size_t on_device_, checks_;
};

void require_converged(const Work& work, const char* message, const char* op, const Matrices& a) {
  const int info = work.outcome();
  require<LinAlgError>(info == 0, "{} ({} of {}, info {})", message, op, text_of(a), info);
}

/// The addresses of `count` matrices `step` bytes apart, on the device.
Ref<Buffer> addresses(Device& device, char* first, int64_t step, int64_t count) {
  std::vector<char*> at(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) at[static_cast<size_t>(i)] = first + i * step;
  Ref<Buffer> table = device.allocate(at.size() * sizeof(char*));
  device.stream().copy_in(table->data(), reinterpret_cast<const char*>(at.data()), at.size() * sizeof(char*));
  return table;
}

int narrow(int64_t extent, const char* op) {
  require<ValueError>(extent <= INT32_MAX, "{}: {} is more than the GPU's library takes", op, extent);
  return static_cast<int>(extent);
}

}  // namespace

LuFactors factor_lu(Device& device, const Matrices& a) {
  const int64_t n = a.columns(), count = a.count;
  LuFactors factors{.pivots = device.allocate(static_cast<size_t>(8 * n * count)), .narrow = count > 1};
  if (factors.narrow) {
    const CublasCall call(device);
    const Work work(device, 0, 0, count);
    const Ref<Buffer> table = addresses(device, a.data, a.bytes(), count);
    const auto routine = a.dtype == DType::complex128 ? call.table.zgetrf : call.table.dgetrf;
    check_cublas(routine(call.handle, narrow(n, "LU"), reinterpret_cast<void* const*>(table->data()), narrow(n, "LU"),
                         reinterpret_cast<int*>(factors.pivots->data()), work.info(), narrow(count, "LU")),
                 "LU", text_of(a));
    factors.info = work.outcome();
    return factors;
  }
  const CusolverCall call(device);
  const int type = data_type(a.dtype);
  size_t bytes = 0, host = 0;
  check_cusolver(call.table.getrf_size(call.handle, call.parameters, n, n, type, a.data, n, type, &bytes, &host), "LU",
                 text_of(a));
  Work work(device, bytes, host);
  check_cusolver(call.table.getrf(call.handle, call.parameters, n, n, type, a.data, n,
                                  reinterpret_cast<int64_t*>(factors.pivots->data()), type, work.memory(), bytes,
                                  work.host(), host, work.info()),
                 "LU", text_of(a));
  factors.info = work.outcome();
  return factors;
}

void solve_lu(Device& device, const Matrices& a, const LuFactors& factors, bool transposed, const Matrices& b) {
  const int64_t n = a.columns(), sides = b.rows();
  const int operation = transposed ? op_transpose : op_none;
  if (factors.narrow) {
    const CublasCall call(device);
    const Ref<Buffer> left = addresses(device, a.data, a.bytes(), a.count),
                      right = addresses(device, b.data, b.bytes(), b.count);
    const auto routine = a.dtype == DType::complex128 ? call.table.zgetrs : call.table.dgetrs;
    int info = 0;
    check_cublas(
        routine(call.handle, operation, narrow(n, "solve"), narrow(sides, "solve"),
                reinterpret_cast<const void* const*>(left->data()), narrow(n, "solve"),
                reinterpret_cast<const int*>(factors.pivots->data()), reinterpret_cast<void* const*>(right->data()),
                narrow(n, "solve"), &info, narrow(a.count, "solve")),
        "solve", text_of(a));
    return;
  }
  const CusolverCall call(device);
  const int type = data_type(a.dtype);
  Work work(device, 0, 0);
  check_cusolver(
      call.table.getrs(call.handle, call.parameters, operation, n, sides, type, a.data, n,
                       reinterpret_cast<const int64_t*>(factors.pivots->data()), type, b.data, n, work.info()),
      "solve", text_of(a));
}

void cholesky(Device& device, const Matrices& a, bool lower) {
  const CusolverCall call(device);
  const int type = data_type(a.dtype), fill = lower ? fill_lower : fill_upper;
  const int64_t n = a.columns();
  size_t bytes = 0, host = 0;
  check_cusolver(call.table.potrf_size(call.handle, call.parameters, fill, n, type, a.data, n, type, &bytes, &host),
                 "cholesky", text_of(a));
  Work work(device, bytes, host, a.count);
  for (int64_t i = 0; i < a.count; ++i) {
    check_cusolver(call.table.potrf(call.handle, call.parameters, fill, n, type, a.at(i), n, type, work.memory(), bytes,
                                    work.host(), host, work.info() + i),
                   "cholesky", text_of(a));
  }
  require_converged(work, "Matrix is not positive definite", "cholesky", a);
}

void qr_packed(Device& device, const Matrices& a, char* tau) {
  const CusolverCall call(device);
  const int type = data_type(a.dtype);
  const int64_t m = a.columns(), n = a.rows(), step = std::min(m, n) * itemsize(a.dtype);
  size_t bytes = 0, host = 0;
  check_cusolver(
      call.table.geqrf_size(call.handle, call.parameters, m, n, type, a.data, m, type, tau, type, &bytes, &host), "qr",
      text_of(a));
  Work work(device, bytes, host, a.count);
  for (int64_t i = 0; i < a.count; ++i) {
    check_cusolver(call.table.geqrf(call.handle, call.parameters, m, n, type, a.at(i), m, type, tau + i * step, type,
                                    work.memory(), bytes, work.host(), host, work.info() + i),
                   "qr", text_of(a));
  }
}

void qr_orthogonal(Device& device, const Matrices& q, const char* tau, int64_t reflections) {
  const CusolverCall call(device);
  const bool complex = q.dtype == DType::complex128;
  const int m = narrow(q.columns(), "qr"), k = narrow(q.rows(), "qr"), r = narrow(reflections, "qr");
  const int64_t step = reflections * itemsize(q.dtype);
  int elements = 0;
  const auto ask = complex ? call.table.zungqr_size : call.table.dorgqr_size;
  check_cusolver(ask(call.handle, m, k, r, q.data, m, tau, &elements), "qr", text_of(q));
  Work work(device, static_cast<size_t>(elements) * static_cast<size_t>(itemsize(q.dtype)), 0, q.count);
  const auto routine = complex ? call.table.zungqr : call.table.dorgqr;
  for (int64_t i = 0; i < q.count; ++i)
    check_cusolver(routine(call.handle, m, k, r, q.at(i), m, tau + i * step, work.memory(), elements, work.info() + i),
                   "qr", text_of(q));
}

void hermitian_eigenvalues(Device& device, const Matrices& a, bool upper, bool vectors, char* w) {
  const CusolverCall call(device);
  const int type = data_type(a.dtype), real = data_type(real_dtype(a.dtype)), fill = upper ? fill_upper : fill_lower;
  const int64_t n = a.columns(), step = n * itemsize(real_dtype(a.dtype));
  size_t bytes = 0, host = 0;
  check_cusolver(call.table.syevd_size(call.handle, call.parameters, vectors, fill, n, type, a.data, n, real, w, type,
                                       &bytes, &host),
                 "eigh", text_of(a));
  Work work(device, bytes, host, a.count);
  {
    const Unlocked unlocked(unlock_hooks());  // it waits for the device
    for (int64_t i = 0; i < a.count; ++i) {
      check_cusolver(call.table.syevd(call.handle, call.parameters, vectors, fill, n, type, a.at(i), n, real,
                                      w + i * step, type, work.memory(), bytes, work.host(), host, work.info() + i),
                     "eigh", text_of(a));
    }
  }
  require_converged(work, "Eigenvalues did not converge", "eigh", a);
}

void singular_values(Device& device, const Matrices& a, Vectors vectors, char* s, const Matrices& u,
                     const Matrices& vh) {
  const CusolverCall call(device);
  const int type = data_type(a.dtype), real = data_type(real_dtype(a.dtype));
  const int64_t m = a.columns(), n = a.rows(), step = n * itemsize(real_dtype(a.dtype));
  const signed char job = vectors == Vectors::none ? 'N' : vectors == Vectors::thin ? 'S' : 'A';
  const int64_t ldv = std::max<int64_t>(1, n);
  size_t bytes = 0, host = 0;
  check_cusolver(call.table.gesvd_size(call.handle, call.parameters, job, job, m, n, type, a.data, m, real, s, type,
                                       u.data, m, type, vh.data, ldv, type, &bytes, &host),
                 "svd", text_of(a));
  Work work(device, bytes, host, a.count);
  {
    const Unlocked unlocked(unlock_hooks());  // it waits for the device
    for (int64_t i = 0; i < a.count; ++i) {
      check_cusolver(call.table.gesvd(call.handle, call.parameters, job, job, m, n, type, a.at(i), m, real,
                                      s + i * step, type, u.at(i), m, type, vh.at(i), ldv, type, work.memory(), bytes,
                                      work.host(), host, work.info() + i),
                     "svd", text_of(a));
    }
  }
  require_converged(work, "SVD did not converge", "svd", a);
}

void solve_triangle(Device& device, const Matrices& triangle, const Matrices& b) {
  const CublasCall call(device);
  const int64_t n = triangle.columns(), m = b.rows();
  const auto routine = b.dtype == DType::complex128 ? call.table.ztrsm : call.table.dtrsm;
  constexpr int not_unit = 0;
  // cuBLAS sees rows as columns: r' x' = b'.
  check_cublas(
      routine(call.handle, side_left, fill_lower, op_none, not_unit, n, m, one(b.dtype), triangle.data, n, b.data, n),
      "qr", text_of(b));
}

}  // namespace tessera::library::on_device
