
#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/library/host/kernels/kernels.h"
#include "tessera/library/host/rows.h"
#include "tessera/library/host/sort.h"
#include "tessera/library/host/sort_keys.h"
#include "tessera/library/host/vector_sort.h"

namespace tessera::library {

namespace {

/// How sort keys share a 64-bit word with their index: the difference to the smallest key in the high bits, the index
/// in the low bits.
struct Packing {
  uint64_t least;
  int key_shift;  // number of low key bits dropped because they do not fit
  int index_bits;
};

template <class T>
Packing choose_packing(DType dtype, const T* row, int64_t n, bool in_parallel) {
  Kernels::KeyRange all{~uint64_t{0}, 0};
  Mutex mutex;
  auto piece = [&](int64_t begin, int64_t end) {
    Kernels::KeyRange some = kernels().key_range[static_cast<int>(dtype)](row + begin, end - begin);
    std::lock_guard lock(mutex);
    all = {std::min(all.low, some.low), std::max(all.high, some.high)};
  };
  if (in_parallel)
    runtime::parallel_for(n, grain_for(8), piece);
  else
    piece(0, n);
  int index_bits = std::bit_width(static_cast<uint64_t>(n - 1));
  int key_bits = std::bit_width(all.high - all.low);
  return {all.low, std::max(0, key_bits + index_bits - 64), index_bits};
}

/// Sorts runs of words whose kept key bits are equal by their whole keys.
template <class T>
void order_ties(const T* row, uint64_t* words, int64_t n, const Packing& packing) {
  uint64_t index_mask = (uint64_t{1} << packing.index_bits) - 1;
  auto kept = [&](int64_t k) { return words[k] >> packing.index_bits; };
  for (int64_t first = 0; first < n;) {
    int64_t last = first + 1;
    while (last < n && kept(last) == kept(first)) ++last;
    if (last - first > 1) {
      std::sort(words + first, words + last, [&](uint64_t a, uint64_t b) {
        auto x = sort_key(row[a & index_mask]), y = sort_key(row[b & index_mask]);
        return x < y || (x == y && a < b);
      });
    }
    first = last;
  }
}

template <class T>
void argsort_row(DType dtype, const T* row, int64_t n, int64_t* order, bool in_parallel) {
  Packing packing = choose_packing(dtype, row, n, in_parallel);
  auto* words = reinterpret_cast<uint64_t*>(order);
  int shift = packing.key_shift, index_bits = packing.index_bits;
  auto pack = [&](int64_t begin, int64_t end) {
    kernels().pack_keys[static_cast<int>(dtype)](row, begin, end, packing.least, shift, index_bits, words);
  };
  uint64_t index_mask = (uint64_t{1} << index_bits) - 1;
  auto unpack = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) words[k] &= index_mask;
  };
  if (in_parallel) {
    runtime::parallel_for(n, grain_for(16), pack);
    sort_numbers_in_parallel(words, n);
  } else {
    pack(0, n);
    sort_numbers(words, n);
  }
  if (shift > 0) order_ties(row, words, n, packing);
  if (in_parallel)
    runtime::parallel_for(n, grain_for(16), unpack);
  else
    unpack(0, n);
}

template <class T>
void argsort_row(DType, const std::complex<T>* row, int64_t n, int64_t* order, bool) {
  std::iota(order, order + n, int64_t{0});
  std::sort(order, order + n, [row](int64_t a, int64_t b) {
    return complex_before(row[a], row[b]) || (a < b && !complex_before(row[b], row[a]));
  });
}

}  // namespace

void argsort_rows(const char* data, DType dtype, int64_t rows, int64_t n, int64_t* order) {
  if (n < 2) {
    std::fill_n(order, rows * n, 0);
    return;
  }
  visit_dtype(dtype, [&]<class T>(T) {
    auto* first = reinterpret_cast<const T*>(data);
    if (n >= long_row && rows < runtime::thread_count()) {
      for (int64_t r = 0; r < rows; ++r) argsort_row(dtype, first + r * n, n, order + r * n, true);
      return;
    }
    auto piece = [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) argsort_row(dtype, first + r * n, n, order + r * n, false);
    };
    runtime::parallel_for(rows, grain_for(n * 64), piece);
  });
}

void refine_order(const char* key, DType dtype, int64_t n, int64_t* order) {
  visit_dtype(dtype, [&]<class T>(T) {
    auto* values = reinterpret_cast<const T*>(key);
    auto permuted = std::make_unique<T[]>(n);
    for (int64_t k = 0; k < n; ++k) permuted[k] = values[order[k]];
    std::vector<int64_t> step(n), before(order, order + n);
    argsort_rows(reinterpret_cast<const char*>(permuted.get()), dtype, 1, n, step.data());
    for (int64_t k = 0; k < n; ++k) order[k] = before[step[k]];
  });
}

}  // namespace tessera::library
