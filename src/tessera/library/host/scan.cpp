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
    if constexpr (is_complex_type<T>) return divide_complex(a, b);
    else return apply_wide(a, b, [](auto x, auto y) { return x / y; });
  }

 private:
  /// Smith's method, as NumPy divides.
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

/// A lane this long is worth cutting when the fold is exact.
constexpr int64_t long_lane = int64_t{1} << 17;

template <class Op, class T>
void scan_lane(const T* data, int64_t n, T* out) {
  T sum = data[0];
  out[0] = sum;
  for (int64_t k = 1; k < n; ++k) out[k] = sum = Op::apply(sum, data[k]);
}

/// Exact folds of one long lane: chunks alone, then each gets what came before it.
template <class Op, class T>
void scan_long_lane(const T* data, int64_t n, T* out) {
  constexpr int64_t chunk = long_lane / 4;
  int64_t chunks = (n + chunk - 1) / chunk;
  std::vector<T> before(chunks);
  auto fold = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      T sum = data[c * chunk];
      for (int64_t k = c * chunk + 1; k < std::min(n, (c + 1) * chunk); ++k) sum = Op::apply(sum, data[k]);
      before[c] = sum;
    }
  };
  runtime::parallel_for(chunks, 1, fold);
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

/// Folds whole rows of `inner` lanes; columns [begin, end).
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
void scan_typed(const T* data, int64_t outer, int64_t n, int64_t inner, T* out) {
  // Cutting a lane changes nothing; two reads of it only pay with more than two threads.
  constexpr bool exact = (std::is_integral_v<T> && !std::is_same_v<Op, SubtractOp>) || std::is_same_v<Op, MinimumOp> || std::is_same_v<Op, MaximumOp>;
  int64_t slab = n * inner;
  if (inner == 1) {
    if constexpr (exact && !std::is_same_v<T, bool>) {
      if (outer == 1 && n >= long_lane && runtime::thread_count() > 2) return scan_long_lane<Op>(data, n, out);
    }
    auto lanes = [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) scan_lane<Op>(data + o * slab, n, out + o * slab);
    };
    runtime::parallel_for(outer, grain_for(n * sizeof(T)), lanes);
    return;
  }
  // Blocks of columns narrow enough that one row of them stays in the first-level cache.
  constexpr int64_t width = 512;
  int64_t blocks = (inner + width - 1) / width;
  auto columns = [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      int64_t o = task / blocks, first = task % blocks * width;
      scan_columns<Op>(data + o * slab, n, inner, out + o * slab, first, std::min(inner, first + width));
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

}  // namespace

std::optional<ScanOp> scan_from_name(std::string_view ufunc_name) {
  auto found = std::find_if(std::begin(names), std::end(names), [&](auto& row) { return row.first == ufunc_name; });
  if (found == std::end(names)) return {};
  return found->second;
}

bool scan(ScanOp op, const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, char* out) {
  bool boolean = is_boolean(dtype);
  switch (op) {
    case ScanOp::add: return scan_any<AddOp>(data, dtype, outer, n, inner, out);
    case ScanOp::subtract: return !boolean && scan_any<SubtractOp>(data, dtype, outer, n, inner, out);
    case ScanOp::multiply: return scan_any<MultiplyOp>(data, dtype, outer, n, inner, out);
    case ScanOp::divide: return scan_any<DivideOp>(data, dtype, outer, n, inner, out);
    case ScanOp::minimum: return scan_any<MinimumOp>(data, dtype, outer, n, inner, out);
    case ScanOp::maximum: return scan_any<MaximumOp>(data, dtype, outer, n, inner, out);
    case ScanOp::fmin: return scan_any<FminOp>(data, dtype, outer, n, inner, out);
    case ScanOp::fmax: return scan_any<FmaxOp>(data, dtype, outer, n, inner, out);
    case ScanOp::bitwise_and: return scan_any<BitAndOp>(data, dtype, outer, n, inner, out);
    case ScanOp::bitwise_or: return scan_any<BitOrOp>(data, dtype, outer, n, inner, out);
    case ScanOp::bitwise_xor: return scan_any<BitXorOp>(data, dtype, outer, n, inner, out);
    case ScanOp::logical_and: return boolean && scan_any<BitAndOp>(data, dtype, outer, n, inner, out);
    case ScanOp::logical_or: return boolean && scan_any<BitOrOp>(data, dtype, outer, n, inner, out);
    case ScanOp::logical_xor: return boolean && scan_any<BitXorOp>(data, dtype, outer, n, inner, out);
  }
  return false;
}

}  // namespace tessera::library
