#include "tessera/library/blas/batch.h"

#include <algorithm>

#include "tessera/library/blas/dot.h"
#include "tessera/library/blas/matmul.h"
#include "tessera/library/blas/vendor_library.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

constexpr int64_t parallel_work = int64_t{1} << 16;        // multiplications per task at least
constexpr int64_t vendor_threads_work = int64_t{1} << 18;  // above this BLAS spreads one product over the cores itself
/// Below this its threads wait for each other at every product for longer than they save.
constexpr int64_t one_thread_work = int64_t{1} << 28;

/// The strides of one operand along the batch axes; 0 along broadcast axes.
Dims batch_strides(const View& view, int core, const Dims& batch) {
  Dims strides(batch.size(), 0);
  const size_t own = view.shape.size() - static_cast<size_t>(core);
  for (size_t i = 0; i < own; ++i) {
    if (view.shape[i] != 1) strides[batch.size() - own + i] = view.strides[i];
  }
  return strides;
}

/// The core axes of an operand as a matrix; a vector becomes a row or a column.
Matrix matrix_of(const Strided& s, bool vector, bool as_row) {
  const size_t n = s.view.shape.size();
  const int64_t item = s.view.itemsize();
  if (!vector) return {s.data, s.view.shape[n - 2], s.view.shape[n - 1], s.view.strides[n - 2], s.view.strides[n - 1]};
  const int64_t extent = s.view.shape[n - 1], stride = s.view.strides[n - 1];
  if (as_row) return {s.data, 1, extent, extent * item, stride};
  return {s.data, extent, 1, stride, item};
}

Vector vector_of(const Strided& s) { return {s.data, s.view.shape.back(), s.view.strides.back()}; }

struct Batch {
  Dims extents;
  Dims a, b, out;

  int64_t size() const {
    int64_t n = 1;
    for (int64_t e : extents) n *= e;
    return n;
  }
  /// Calls body(offset in a, in b, in out) for the batch indices [begin, end).
  template <class Body>
  void for_each(int64_t begin, int64_t end, Body&& body) const {
    for (int64_t i = begin; i < end; ++i) {
      int64_t rest = i, oa = 0, ob = 0, oo = 0;
      for (size_t axis = extents.size(); axis-- > 0;) {
        const int64_t index = rest % extents[axis];
        rest /= extents[axis];
        oa += index * a[axis];
        ob += index * b[axis];
        oo += index * out[axis];
      }
      body(oa, ob, oo);
    }
  }
};

template <class Body>
void run_batch(const Batch& batch, int64_t work, Body&& body) {
  const int64_t count = batch.size();
  auto range = [&](int64_t begin, int64_t end) { batch.for_each(begin, end, body); };
  if (work >= vendor_threads_work) {
    const int threads = runtime::thread_count();
    if (count < 2 * threads || work >= one_thread_work) return range(0, count);
    const VendorLibrary::OneThread guard;
    return runtime::parallel_for(count, 1, range);
  }
  if (count < 2) return range(0, count);
  runtime::parallel_for(count, std::max<int64_t>(1, parallel_work / std::max<int64_t>(1, work)), range);
}

void run_matmul(const Strided& a, const Strided& b, const Strided& out, const ProductShape& shape) {
  const Batch batch{shape.batch, batch_strides(a.view, 2 - shape.vector_a, shape.batch),
                    batch_strides(b.view, 2 - shape.vector_b, shape.batch),
                    batch_strides(out.view, 2 - shape.vector_a - shape.vector_b, shape.batch)};
  const int64_t item = out.view.itemsize();
  const Matrix ma = matrix_of(a, shape.vector_a, true), mb = matrix_of(b, shape.vector_b, false);
  Matrix mo{out.data, ma.rows, mb.columns, mb.columns * item, item};
  const Dims& strides = out.view.strides;
  if (!shape.vector_b) mo.column_stride = strides.back();
  if (!shape.vector_a) mo.row_stride = strides[strides.size() - (shape.vector_b ? 1 : 2)];
  run_batch(batch, ma.rows * ma.columns * mb.columns, [&](int64_t oa, int64_t ob, int64_t oo) {
    Matrix x = ma, y = mb, z = mo;
    x.data += oa;
    y.data += ob;
    z.data += oo;
    matmul(out.view.dtype, x, y, z);
  });
}

}  // namespace

void run_product(Product product, const Strided& a, const Strided& b, const Strided& out) {
  const ProductShape shape = product_shape(product, a.view.shape, b.view.shape);
  if (out.view.size() == 0) return;
  const DType dtype = out.view.dtype;
  if (product == Product::matmul) return run_matmul(a, b, out, shape);
  const int core_a = product == Product::matvec ? 2 : 1, core_b = product == Product::vecmat ? 2 : 1;
  const Batch batch{shape.batch, batch_strides(a.view, core_a, shape.batch), batch_strides(b.view, core_b, shape.batch),
                    batch_strides(out.view, core_a + core_b - 2, shape.batch)};
  if (product == Product::vecdot) {
    const Vector x = vector_of(a), y = vector_of(b);
    run_batch(batch, x.size, [&](int64_t oa, int64_t ob, int64_t oo) {
      conjugate_dot(dtype, {x.data + oa, x.size, x.stride}, {y.data + ob, y.size, y.stride}, out.data + oo);
    });
    return;
  }
  const bool first = product == Product::matvec;
  const Matrix m = matrix_of(first ? a : b, false, false);
  const Vector x = vector_of(first ? b : a), y = vector_of(out);
  run_batch(batch, m.rows * m.columns, [&](int64_t oa, int64_t ob, int64_t oo) {
    Matrix matrix = m;
    matrix.data += first ? oa : ob;
    const Vector vector{x.data + (first ? ob : oa), x.size, x.stride}, target{y.data + oo, y.size, y.stride};
    if (first) {
      matvec(dtype, matrix, vector, target);
    } else {
      vecmat(dtype, vector, matrix, target);
    }
  });
}

}  // namespace tessera::library
