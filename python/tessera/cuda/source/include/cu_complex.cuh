// cuComplex.h's names for complex<T>, so that its types have operators: what translate_cucomplex=True includes in its place.
// The functions give the bits of tessera.numpy's operations: nothing is contracted.
#pragma once

#include "tessera/complex.cuh"

typedef complex<float> cuFloatComplex;
typedef complex<float> cuComplex;
typedef complex<double> cuDoubleComplex;

namespace tessera {

__host__ __device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__host__ __device__ inline double product(double a, double b) { return __dmul_rn(a, b); }

template <class T>
__host__ __device__ complex<T> multiply(complex<T> a, complex<T> b) {
  return complex<T>(product(a.real(), b.real()) - product(a.imag(), b.imag()),
                    product(a.real(), b.imag()) + product(a.imag(), b.real()));
}

// Smith's method: scaled by the larger part of the divisor.
template <class T>
__host__ __device__ complex<T> divide(complex<T> a, complex<T> b) {
  const T size_re = fabs(b.real()), size_im = fabs(b.imag());
  if (size_re == T(0) && size_im == T(0)) return complex<T>(a.real() / size_re, a.imag() / size_re);
  if (size_re >= size_im) {
    const T ratio = b.imag() / b.real(), scale = T(1) / (b.real() + product(b.imag(), ratio));
    return complex<T>(product(a.real() + product(a.imag(), ratio), scale),
                      product(a.imag() - product(a.real(), ratio), scale));
  }
  const T ratio = b.real() / b.imag(), scale = T(1) / (b.imag() + product(b.real(), ratio));
  return complex<T>(product(product(a.real(), ratio) + a.imag(), scale),
                    product(product(a.imag(), ratio) - a.real(), scale));
}

__host__ __device__ inline float magnitude(complex<float> z) {
  if (isinf(z.real()) || isinf(z.imag())) return fabs(1 / 0.0f);
  const double re = z.real(), im = z.imag();
  return (float)sqrt(re * re + im * im);  // the squares are exact
}
// Of scaled parts, the squares in two parts each, the root corrected by what is left.
__host__ __device__ inline double magnitude(complex<double> z) {
  const double re = fabs(z.real()), im = fabs(z.imag());
  if (isinf(re) || isinf(im)) return 1 / 0.0;
  if (isnan(re) || isnan(im)) return re + im;
  const double large = re < im ? im : re, small = re < im ? re : im;
  if (large == 0) return 0;
  const double down = large > 0x1p500 ? 0x1p-600 : large < 0x1p-500 ? 0x1p600 : 1.0;
  const double up = large > 0x1p500 ? 0x1p600 : large < 0x1p-500 ? 0x1p-600 : 1.0;
  const double h = large * down, l = small * down;
  const double hh = product(h, h), ll = product(l, l), sum = hh + ll;
  const double low = (ll - (sum - hh)) + (fma(h, h, -hh) + fma(l, l, -ll)), root = sqrt(sum);
  return (root + (fma(-root, root, sum) + low) / (2.0 * root)) * up;
}

}  // namespace tessera

#define TESSERA_CU_COMPLEX(T, make, real_, imag_, conj_, add, sub, mul, div, abs_, fma_)                               \
  __host__ __device__ inline complex<T> make(T real, T imag) { return complex<T>(real, imag); }                        \
  __host__ __device__ inline T real_(complex<T> z) { return z.real(); }                                                \
  __host__ __device__ inline T imag_(complex<T> z) { return z.imag(); }                                                \
  __host__ __device__ inline complex<T> conj_(complex<T> z) { return complex<T>(z.real(), -z.imag()); }                \
  __host__ __device__ inline complex<T> add(complex<T> a, complex<T> b) { return a + b; }                              \
  __host__ __device__ inline complex<T> sub(complex<T> a, complex<T> b) { return a - b; }                              \
  __host__ __device__ inline complex<T> mul(complex<T> a, complex<T> b) { return tessera::multiply(a, b); }            \
  __host__ __device__ inline complex<T> div(complex<T> a, complex<T> b) { return tessera::divide(a, b); }              \
  __host__ __device__ inline T abs_(complex<T> z) { return tessera::magnitude(z); }                                    \
  __host__ __device__ inline complex<T> fma_(complex<T> a, complex<T> b, complex<T> c) { return mul(a, b) + c; }

TESSERA_CU_COMPLEX(float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf, cuCmulf, cuCdivf, cuCabsf,
                   cuCfmaf)
TESSERA_CU_COMPLEX(double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv, cuCabs,
                   cuCfma)
// The names of double precision take single precision, too.
TESSERA_CU_COMPLEX(float, tessera_make_complex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv, cuCabs, cuCfma)
#undef TESSERA_CU_COMPLEX

__host__ __device__ inline cuComplex make_cuComplex(float real, float imag) { return cuComplex(real, imag); }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex(z); }
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return cuFloatComplex(z); }
