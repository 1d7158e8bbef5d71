/// Pack: 32 doubles in four vector registers, for functions with table look-ups, which compilers do not vectorise.
///
/// Its operations are element-wise operations on doubles, so a template has the same bits for double and Pack.
#pragma once

#include <immintrin.h>

#include "tessera/ir/math/core.h"

namespace tessera::math {

struct Pack {
  static constexpr int64_t size = 32;
  static constexpr int parts = 4;
  __m512d part[parts];

  Pack() = default;
  TESSERA_MATH Pack(double x) : part{_mm512_set1_pd(x), _mm512_set1_pd(x), _mm512_set1_pd(x), _mm512_set1_pd(x)} {}
  TESSERA_MATH static Pack load(const double* from) {
    Pack p;
    for (int k = 0; k < parts; ++k) p.part[k] = _mm512_loadu_pd(from + 8 * k);
    return p;
  }
  TESSERA_MATH void store(double* to) const {
    for (int k = 0; k < parts; ++k) _mm512_storeu_pd(to + 8 * k, part[k]);
  }
};

/// Applies an operation to each part.
template <class F>
TESSERA_MATH Pack each_part(F f) {
  Pack r;
  for (int k = 0; k < Pack::parts; ++k) r.part[k] = f(k);
  return r;
}

TESSERA_MATH Pack operator*(const Pack& x, const Pack& y) {
  return each_part([&](int k) { return _mm512_mul_pd(x.part[k], y.part[k]); });
}
TESSERA_MATH Pack operator-(const Pack& x, const Pack& y) {
  return each_part([&](int k) { return _mm512_sub_pd(x.part[k], y.part[k]); });
}
TESSERA_MATH Pack operator-(const Pack& x) {
  return each_part([&](int k) { return _mm512_xor_pd(x.part[k], _mm512_set1_pd(-0.0)); });
}
TESSERA_MATH Pack fma_(const Pack& x, const Pack& y, const Pack& z) {
  return each_part([&](int k) { return _mm512_fmadd_pd(x.part[k], y.part[k], z.part[k]); });
}
TESSERA_MATH Pack fabs(const Pack& x) {
  return each_part([&](int k) { return _mm512_abs_pd(x.part[k]); });
}
TESSERA_MATH Pack copysign(const Pack& x, const Pack& y) {
  // Where the mask is set, y's bits.
  const __m512i sign = _mm512_set1_epi64(std::numeric_limits<int64_t>::min());
  return each_part([&](int k) {
    return _mm512_castsi512_pd(
        _mm512_ternarylogic_epi64(sign, _mm512_castpd_si512(y.part[k]), _mm512_castpd_si512(x.part[k]), 0xCA));
  });
}
TESSERA_MATH Pack at_most(const Pack& x, double limit) {
  // With this operand order, a NaN in x is the result.
  return each_part([&](int k) { return _mm512_min_pd(_mm512_set1_pd(limit), x.part[k]); });
}
TESSERA_MATH Pack pick(const double (&row)[16], const Pack& number) {
  const __m512d low = _mm512_loadu_pd(row), high = _mm512_loadu_pd(row + 8);
  return each_part([&](int k) { return _mm512_permutex2var_pd(low, _mm512_castpd_si512(number.part[k]), high); });
}
TESSERA_MATH Pack where_equal(const Pack& x, double y, const Pack& then, const Pack& otherwise) {
  return each_part([&](int k) {
    return _mm512_mask_mov_pd(otherwise.part[k], _mm512_cmp_pd_mask(x.part[k], _mm512_set1_pd(y), _CMP_EQ_OQ),
                              then.part[k]);
  });
}

}  // namespace tessera::math
