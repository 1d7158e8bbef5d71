#include "tessera/library/blas/native_matmul.h"

#include <algorithm>
#include <vector>

#include "tessera/library/blas/element.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

constexpr int64_t row_block = 4;           // rows of a that share one read of b
constexpr int64_t sum_block_bytes = 4096;  // sums of one row that stay in the first-level cache

/// b as rows of contiguous accumulators; uses b's own memory when it has that layout.
template <class T>
class PackedRows {
 public:
  using Sum = typename Arithmetic<T>::Sum;

  explicit PackedRows(const Matrix& b) {
    if (std::is_same_v<T, Sum> && b.column_stride == sizeof(T) && b.row_stride % static_cast<int64_t>(sizeof(T)) == 0) {
      data_ = reinterpret_cast<const Sum*>(b.data);
      pitch_ = b.row_stride / static_cast<int64_t>(sizeof(T));
      return;
    }
    copy_.resize(static_cast<size_t>(b.rows * b.columns));
    for (int64_t k = 0; k < b.rows; ++k) {
      const char* source = b.data + k * b.row_stride;
      for (int64_t j = 0; j < b.columns; ++j, source += b.column_stride) {
        copy_[static_cast<size_t>(k * b.columns + j)] = Arithmetic<T>::load(*reinterpret_cast<const T*>(source));
      }
    }
    data_ = copy_.data();
    pitch_ = b.columns;
  }
  const Sum* row(int64_t k) const { return data_ + k * pitch_; }

 private:
  std::vector<Sum> copy_;
  const Sum* data_;
  int64_t pitch_;
};

template <class T>
void multiply_rows(const Matrix& a, const PackedRows<T>& b, const Matrix& out, int64_t begin, int64_t end) {
  using Sum = typename Arithmetic<T>::Sum;
  constexpr int64_t width = sum_block_bytes / sizeof(Sum);
  Sum sums[row_block][width];
  for (int64_t j0 = 0; j0 < out.columns; j0 += width) {
    const int64_t columns = std::min(width, out.columns - j0);
    for (int64_t i0 = begin; i0 < end; i0 += row_block) {
      const int64_t rows = std::min(row_block, end - i0);
      for (int64_t r = 0; r < rows; ++r) std::fill_n(sums[r], columns, Sum{});
      for (int64_t k = 0; k < a.columns; ++k) {
        const Sum* brow = b.row(k) + j0;
        for (int64_t r = 0; r < rows; ++r) {
          const Sum factor =
              Arithmetic<T>::load(*reinterpret_cast<const T*>(a.data + (i0 + r) * a.row_stride + k * a.column_stride));
          Sum* sum = sums[r];
          for (int64_t j = 0; j < columns; ++j) sum[j] = Arithmetic<T>::multiply_add(sum[j], factor, brow[j]);
        }
      }
      for (int64_t r = 0; r < rows; ++r) {
        char* target = out.data + (i0 + r) * out.row_stride + j0 * out.column_stride;
        for (int64_t j = 0; j < columns; ++j, target += out.column_stride) {
          *reinterpret_cast<T*>(target) = Arithmetic<T>::store(sums[r][j]);
        }
      }
    }
  }
}

}  // namespace

void native_matmul(DType dtype, const Matrix& a, const Matrix& b, const Matrix& out) {
  with_element_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const PackedRows<T> packed(b);
    const int64_t work_per_row = std::max<int64_t>(1, a.columns * b.columns);
    const int64_t grain = std::max<int64_t>(row_block, (int64_t{1} << 18) / work_per_row);
    auto rows = [&](int64_t begin, int64_t end) { multiply_rows<T>(a, packed, out, begin, end); };
    runtime::parallel_for(out.rows, grain, rows);
  });
}

}  // namespace tessera::library
