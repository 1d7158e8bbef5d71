#include "tessera/library/host/sum_of_products.h"

#include <algorithm>
#include <complex>

#include "tessera/base/error.h"
#include "tessera/library/host/element_ops.h"

namespace tessera::library {

namespace {

/// Advances the position of every factor through labels [begin, end) in C order; false after the last position.
class Odometer {
 public:
  Odometer(std::span<const Factor> factors, std::span<const int64_t> extents, int begin, int end)
      : factors_(factors), extents_(extents), begin_(begin), end_(end) {
    for (int k = begin; k < end; ++k) index_.push_back(0);
  }
  bool next(std::span<const char*> at) {
    for (int k = end_ - 1; k >= begin_; --k) {
      for (size_t f = 0; f < factors_.size(); ++f)
        if (at[f]) at[f] += factors_[f].steps[k];
      if (++index_[k - begin_] < extents_[k]) return true;
      for (size_t f = 0; f < factors_.size(); ++f)
        if (at[f]) at[f] -= extents_[k] * factors_[f].steps[k];
      index_[k - begin_] = 0;
    }
    return false;
  }

 private:
  std::span<const Factor> factors_;
  std::span<const int64_t> extents_;
  int begin_, end_;
  Dims index_;
};

/// The loop over the innermost label, specialised for up to three factors.
template <class T>
T sum_line(std::span<const Factor> factors, std::span<const char* const> at, int label, int64_t n, T sum) {
  auto load = [](const char* p) { return *reinterpret_cast<const T*>(p); };
  if (factors.size() == 2) {
    const char *a = at[0], *b = at[1];
    int64_t p = factors[0].steps[label], q = factors[1].steps[label];
    for (int64_t i = 0; i < n; ++i, a += p, b += q) sum = AddOp::apply(sum, MultiplyOp::apply(load(a), load(b)));
    return sum;
  }
  for (int64_t i = 0; i < n; ++i) {
    T product = load(at[0] + i * factors[0].steps[label]);
    for (size_t f = 1; f < factors.size(); ++f)
      product = MultiplyOp::apply(product, load(at[f] + i * factors[f].steps[label]));
    sum = AddOp::apply(sum, product);
  }
  return sum;
}

template <class T>
void run(std::span<const Factor> factors, std::span<const int64_t> extents, int kept, T* out) {
  int labels = static_cast<int>(extents.size());
  for (int64_t extent : extents.first(kept)) {
    if (extent == 0) return;
  }
  bool nothing_to_sum = false;
  for (int64_t extent : extents.subspan(kept)) nothing_to_sum |= extent == 0;
  SmallVector<const char*, 4> at;
  for (const Factor& factor : factors) at.push_back(factor.data);
  Odometer places(factors, extents, 0, kept), terms(factors, extents, kept, std::max(kept, labels - 1));
  do {
    T sum{};
    if (kept == labels) {
      sum = *reinterpret_cast<const T*>(at[0]);
      for (size_t f = 1; f < factors.size(); ++f) sum = MultiplyOp::apply(sum, *reinterpret_cast<const T*>(at[f]));
    } else if (!nothing_to_sum) {
      // After the last position, the iteration has returned every factor to its first element.
      do {
        sum = sum_line<T>(factors, at, labels - 1, extents[labels - 1], sum);
      } while (terms.next(at));
    }
    *out++ = sum;
  } while (places.next(at));
}

}  // namespace

bool has_sum_of_products(DType dtype) {
  return dtype >= DType::int32 && dtype != DType::float16 && dtype != DType::bfloat16;
}

void sum_of_products(std::span<const Factor> factors, std::span<const int64_t> extents, int kept, DType dtype,
                     char* out) {
  invariant(has_sum_of_products(dtype), "sum_of_products: no loops for {}", dtype);
  visit_dtype(dtype, [&]<class T>(T) {
    if constexpr (!is_small_float<T>) run(factors, extents, kept, reinterpret_cast<T*>(out));
  });
}

}  // namespace tessera::library
