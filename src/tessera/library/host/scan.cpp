#include "tessera/library/host/scan.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tessera/library/host/element_ops.h"
#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

constexpr std::pair<std::string_view, ScanOp> names[] = {
    {"add", ScanOp::add},
    {"subtract", ScanOp::subtract},
    {"multiply", ScanOp::multiply},
    {"divide", ScanOp::divide},
    {"true_divide", ScanOp::divide},
    {"minimum", ScanOp::minimum},
    {"maximum", ScanOp::maximum},
    {"fmin", ScanOp::fmin},
    {"fmax", ScanOp::fmax},
    {"bitwise_and", ScanOp::bitwise_and},
    {"bitwise_or", ScanOp::bitwise_or},
    {"bitwise_xor", ScanOp::bitwise_xor},
    {"logical_and", ScanOp::logical_and},
    {"logical_or", ScanOp::logical_or},
    {"logical_xor", ScanOp::logical_xor},
};

struct DivideOp {
  template <class T>
    requires(!std::is_integral_v<T>)
  static T apply(T a, T b) {
    if constexpr (is_complex_type<T>)
      return divide_complex(a, b);
    else
      return apply_wide(a, b, [](auto x, auto y) { return x / y; });
  }

 private:
  /// Smith's method, as in NumPy's division.
  template <class T>
  static T divide_complex(T a, T b) {
    using Part = typename T::value_type;
    Part real = b.real(), imag = b.imag();
    if (std::abs(real) >= std::abs(imag)) {
      if (real == 0 && imag == 0) return {a.real() / std::abs(real), a.imag() / std::abs(real)};
      Part ratio = imag / real, scale = 1 / (real + imag * ratio);
      return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
    }
    Part ratio = real / imag, scale = 1 / (imag + real * ratio);
    return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
  }
};

/// For exact operations, lanes from this length on are split over threads.
constexpr int64_t long_lane = int64_t{1} << 17;

template <class Op, class T>
void scan_lane(const T* data, int64_t n, T* out) {
  T sum = data[0];
  out[0] = sum;
  for (int64_t k = 1; k < n; ++k) out[k] = sum = Op::apply(sum, data[k]);
}

/// Exact scan of one long lane: reduces the chunks in parallel, then scans each from the preceding total.
template <class Op, class T>
void scan_long_lane(const T* data, int64_t n, T* out) {
  constexpr int64_t chunk = long_lane / 4;
  int64_t chunks = (n + chunk - 1) / chunk;
  std::vector<T> before(chunks);
  auto combine = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      T sum = data[c * chunk];
      for (int64_t k = c * chunk + 1; k < std::min(n, (c + 1) * chunk); ++k) sum = Op::apply(sum, data[k]);
      before[c] = sum;
    }
  };
  runtime::parallel_for(chunks, 1, combine);
  for (int64_t c = 1; c < chunks; ++c) before[c] = Op::apply(before[c - 1], before[c]);
  auto write = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      int64_t first = c * chunk;
      T sum = c ? Op::apply(before[c - 1], data[first]) : data[0];
      out[first] = sum;
      for (int64_t k = first + 1; k < std::min(n, first + chunk); ++k) out[k] = sum = Op::apply(sum, data[k]);
    }
  };
  runtime::parallel_for(chunks, 1, write);
}

/// Scans row by row over `inner` lanes, for columns [begin, end).
template <class Op, class T>
void scan_columns(const T* data, int64_t n, int64_t inner, T* out, int64_t begin, int64_t end) {
  std::copy(data + begin, data + end, out + begin);
  for (int64_t k = 1; k < n; ++k) {
    const T* row = data + k * inner;
    T* to = out + k * inner;
    const T* previous = to - inner;
    for (int64_t i = begin; i < end; ++i) to[i] = Op::apply(previous[i], row[i]);
  }
}

template <class Op, class T>
constexpr bool rounds = !std::is_integral_v<T> && (std::is_same_v<Op, AddOp> || std::is_same_v<Op, MultiplyOp>);

/// The number of chunks processed concurrently, so that their chains of dependent operations overlap. Threads take
/// whole sets: the code path of a chunk, and so the sign of a NaN, does not depend on the number of threads.
constexpr int64_t chunk_set = 8;

/// The totals of a set of whole chunks; if `write`, combined with the prefix `before` of each chunk and written to out.
template <bool write, class Op, class T>
void reduction_set(const T* data, const T* before, T* out, T* totals) {
  T sums[chunk_set], left[chunk_set];
  for (int64_t i = 0; i < chunk_set; ++i) {
    sums[i] = data[i * scan_chunk];
    if constexpr (write) out[i * scan_chunk] = Op::apply(left[i] = before[i - 1], sums[i]);
  }
  for (int64_t k = 1; k < scan_chunk; ++k) {
    for (int64_t i = 0; i < chunk_set; ++i) {
      sums[i] = Op::apply(sums[i], data[i * scan_chunk + k]);
      if constexpr (write) out[i * scan_chunk + k] = Op::apply(left[i], sums[i]);
    }
  }
  if constexpr (!write) std::copy_n(sums, chunk_set, totals);
}

/// The same for one chunk of any length; `before` is null for the first chunk.
template <bool write, class Op, class T>
void reduce_chunk(const T* data, int64_t n, const T* before, T* out, T* total) {
  T sum = data[0];
  if constexpr (write) out[0] = before ? Op::apply(*before, sum) : sum;
  for (int64_t k = 1; k < n; ++k) {
    sum = Op::apply(sum, data[k]);
    if constexpr (write) out[k] = before ? Op::apply(*before, sum) : sum;
  }
  if constexpr (!write) *total = sum;
}

/// Processes the sets [begin, end) of the chunks of one lane.
template <bool write, class Op, class T>
void reduction_sets(const T* data, int64_t n, int64_t begin, int64_t end, const T* before, T* out, T* totals) {
  for (int64_t set = begin; set < end; ++set) {
    const int64_t first = set * chunk_set, at = first * scan_chunk;
    if (set > 0 && at + chunk_set * scan_chunk <= n) {
      reduction_set<write, Op>(data + at, before + first, out + at, write ? nullptr : totals + first);
      continue;
    }
    for (int64_t c = first; c < first + chunk_set && c * scan_chunk < n; ++c) {
      const int64_t start = c * scan_chunk;
      reduce_chunk<write, Op>(data + start, std::min(n - start, scan_chunk), c ? before + c - 1 : nullptr, out + start,
                              write ? nullptr : totals + c);
    }
  }
}

/// Scans one lane by chunks.
template <class Op, class T>
void scan_by_chunks(const T* data, int64_t n, T* out) {
  if (n <= scan_chunk) return scan_lane<Op>(data, n, out);
  const int64_t chunks = (n + scan_chunk - 1) / scan_chunk;
  std::vector<T> before(chunks);
  constexpr int64_t grain = 8;
  const int64_t sets = (chunks + chunk_set - 1) / chunk_set;
  auto combine = [&](int64_t begin, int64_t end) {
    reduction_sets<false, Op, T>(data, n, begin, end, before.data(), out, before.data());
  };
  runtime::parallel_for(sets, grain, combine);
  scan_by_chunks<Op>(before.data(), chunks, before.data());
  auto write = [&](int64_t begin, int64_t end) {
    reduction_sets<true, Op, T>(data, n, begin, end, before.data(), out, nullptr);
  };
  runtime::parallel_for(sets, grain, write);
}

/// Scans columns [begin, end) by chunks of rows.
template <class Op, class T>
void scan_columns_by_chunks(const T* data, int64_t n, int64_t inner, T* out, int64_t begin, int64_t end) {
  if (n <= scan_chunk) return scan_columns<Op>(data, n, inner, out, begin, end);
  const int64_t chunks = (n + scan_chunk - 1) / scan_chunk, width = end - begin;
  std::vector<T> before(chunks * width);
  for (int64_t c = 0; c < chunks; ++c) {
    const int64_t first = c * scan_chunk, last = std::min(n, first + scan_chunk) - 1;
    scan_columns<Op>(data + first * inner, last - first + 1, inner, out + first * inner, begin, end);
    std::copy_n(out + last * inner + begin, width, before.data() + c * width);
  }
  scan_columns_by_chunks<Op>(before.data(), chunks, width, before.data(), 0, width);
  for (int64_t row = scan_chunk; row < n; ++row) {
    const T* left = before.data() + (row / scan_chunk - 1) * width;
    T* to = out + row * inner + begin;
    for (int64_t i = 0; i < width; ++i) to[i] = Op::apply(left[i], to[i]);
  }
}

template <class Op, class T>
void scan_typed(const T* data, int64_t outer, int64_t n, int64_t inner, T* out) {
  // For exact operations splitting does not change the result, but reads the lane twice: faster only with more than two
  // threads.
  constexpr bool exact = (std::is_integral_v<T> && !std::is_same_v<Op, SubtractOp>) || std::is_same_v<Op, MinimumOp> ||
                         std::is_same_v<Op, MaximumOp>;
  int64_t slab = n * inner;
  if (inner == 1) {
    if constexpr (exact && !std::is_same_v<T, bool>) {
      if (outer == 1 && n >= long_lane && runtime::thread_count() > 2) return scan_long_lane<Op>(data, n, out);
    }
    if constexpr (rounds<Op, T>) {
      if (n > scan_in_order) {
        for (int64_t o = 0; o < outer; ++o) scan_by_chunks<Op>(data + o * slab, n, out + o * slab);
        return;
      }
    }
    auto lanes = [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) scan_lane<Op>(data + o * slab, n, out + o * slab);
    };
    runtime::parallel_for(outer, grain_for(n * sizeof(T)), lanes);
    return;
  }
  // Blocks of columns are narrow enough that one row of them stays in the first-level cache.
  constexpr int64_t width = 512;
  int64_t blocks = (inner + width - 1) / width;
  auto columns = [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      int64_t o = task / blocks, first = task % blocks * width;
      const int64_t last = std::min(inner, first + width);
      if constexpr (rounds<Op, T>) {
        if (n > scan_in_order) {
          scan_columns_by_chunks<Op>(data + o * slab, n, inner, out + o * slab, first, last);
          continue;
        }
      }
      scan_columns<Op>(data + o * slab, n, inner, out + o * slab, first, last);
    }
  };
  runtime::parallel_for(outer * blocks, grain_for(n * std::min(inner, width) * sizeof(T)), columns);
}

template <class Op>
bool scan_any(const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, char* out) {
  return visit_dtype(dtype, [&]<class T>(T) {
    if constexpr (applies_to<Op, T>) {
      if (outer > 0 && n > 0 && inner > 0)
        scan_typed<Op>(reinterpret_cast<const T*>(data), outer, n, inner, reinterpret_cast<T*>(out));
      return true;
    } else {
      return false;
    }
  });
}

/// The rows of a chunk.
int64_t rows_of_chunk(const ScanRows& part, int64_t c) { return std::min(scan_chunk, part.rows - c * scan_chunk); }
int64_t chunks_of(const ScanRows& part) { return (part.rows + scan_chunk - 1) / scan_chunk; }

/// Scans chunks of rows, each from its first row on.
template <class Op, class T>
void scan_chunks_apart(const T* data, const ScanRows& part, T* totals, T* out) {
  const int64_t inner = part.inner;
  auto scan_apart = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      const int64_t at = c * scan_chunk * inner, rows = rows_of_chunk(part, c);
      scan_columns<Op>(data + at, rows, inner, out + at, 0, inner);
      std::copy_n(out + at + (rows - 1) * inner, inner, totals + (part.first + c) * inner);
    }
  };
  runtime::parallel_for(chunks_of(part), grain_for(scan_chunk * inner * sizeof(T)), scan_apart);
}

/// Combines such chunks with what is before them.
template <class Op, class T>
void join_chunks(const ScanRows& part, const T* totals, T* out) {
  const int64_t inner = part.inner, all = part.first + chunks_of(part);
  std::vector<T> before(totals, totals + all * inner);
  scan_columns_by_chunks<Op>(before.data(), all, inner, before.data(), 0, inner);
  auto join = [&](int64_t begin, int64_t end) {
    for (int64_t c = std::max(begin, part.first == 0 ? int64_t{1} : int64_t{0}); c < end; ++c) {
      const T* left = before.data() + (part.first + c - 1) * inner;
      for (int64_t row = 0; row < rows_of_chunk(part, c); ++row) {
        T* to = out + (c * scan_chunk + row) * inner;
        for (int64_t i = 0; i < inner; ++i) to[i] = Op::apply(left[i], to[i]);
      }
    }
  };
  runtime::parallel_for(chunks_of(part), grain_for(scan_chunk * inner * sizeof(T)), join);
}

/// Calls `body` with the operation; false for those that booleans do not have, and others that only they have.
template <class Body>
bool visit_op(ScanOp op, bool boolean, Body&& body) {
  switch (op) {
    case ScanOp::add: return body(AddOp{});
    case ScanOp::subtract: return !boolean && body(SubtractOp{});
    case ScanOp::multiply: return body(MultiplyOp{});
    case ScanOp::divide: return body(DivideOp{});
    case ScanOp::minimum: return body(MinimumOp{});
    case ScanOp::maximum: return body(MaximumOp{});
    case ScanOp::fmin: return body(FminOp{});
    case ScanOp::fmax: return body(FmaxOp{});
    case ScanOp::bitwise_and: return body(BitAndOp{});
    case ScanOp::bitwise_or: return body(BitOrOp{});
    case ScanOp::bitwise_xor: return body(BitXorOp{});
    case ScanOp::logical_and: return boolean && body(BitAndOp{});
    case ScanOp::logical_or: return boolean && body(BitOrOp{});
    case ScanOp::logical_xor: return boolean && body(BitXorOp{});
  }
  return false;
}

}  // namespace

std::optional<ScanOp> scan_from_name(std::string_view ufunc_name) {
  auto found = std::find_if(std::begin(names), std::end(names), [&](auto& row) { return row.first == ufunc_name; });
  if (found == std::end(names)) return {};
  return found->second;
}

bool scan_rounds(ScanOp op, DType dtype) {
  return (op == ScanOp::add || op == ScanOp::multiply) && !is_boolean(dtype) && !is_integer(dtype);
}

bool scan(ScanOp op, const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, char* out) {
  return visit_op(op, is_boolean(dtype), [&]<class Op>(Op) { return scan_any<Op>(data, dtype, outer, n, inner, out); });
}

bool may_scan_onward(ScanOp op, DType dtype, int64_t n) {
  return !is_boolean(dtype) && op != ScanOp::subtract && op != ScanOp::divide &&
         !(scan_rounds(op, dtype) && n <= scan_in_order);
}

namespace {

/// Calls `body` with the operation and a zero of the type; false where parts have no loop for them.
template <class Body>
bool visit_part(ScanOp op, DType dtype, Body&& body) {
  return visit_op(op, is_boolean(dtype), [&]<class Op>(Op chosen) {
    return visit_dtype(dtype, [&]<class T>(T zero) {
      if constexpr (applies_to<Op, T> && !std::is_same_v<T, bool>) {
        body(chosen, zero);
        return true;
      } else {
        return false;
      }
    });
  });
}

}  // namespace

bool scan_rows_apart(ScanOp op, const char* data, DType dtype, const ScanRows& part, char* totals, char* out) {
  return visit_part(op, dtype, [&]<class Op, class T>(Op, T) {
    scan_chunks_apart<Op>(reinterpret_cast<const T*>(data), part, reinterpret_cast<T*>(totals),
                          reinterpret_cast<T*>(out));
  });
}

bool scan_onward(ScanOp op, DType dtype, const ScanRows& part, const char* totals, char* out) {
  return visit_part(op, dtype, [&]<class Op, class T>(Op, T) {
    join_chunks<Op>(part, reinterpret_cast<const T*>(totals), reinterpret_cast<T*>(out));
  });
}

bool has_scan(ScanOp op, DType dtype) { return scan(op, nullptr, dtype, 0, 0, 0, nullptr); }

}  // namespace tessera::library
