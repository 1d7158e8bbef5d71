// complex<T>: complex numbers for kernels, laid out as NumPy's, also under the name thrust::complex.
#pragma once

namespace thrust {

template <class T>
struct alignas(2 * sizeof(T)) complex {
  typedef T value_type;

  complex() = default;  // so that arrays of them can be shared
  __host__ __device__ constexpr complex(T real, T imag = T()) : re_(real), im_(imag) {}
  template <class U>
  __host__ __device__ constexpr complex(const complex<U>& other) : re_(T(other.real())), im_(T(other.imag())) {}

  __host__ __device__ constexpr T real() const { return re_; }
  __host__ __device__ constexpr T imag() const { return im_; }
  __host__ __device__ void real(T value) { re_ = value; }
  __host__ __device__ void imag(T value) { im_ = value; }

  template <class U>
  __host__ __device__ complex& operator+=(const complex<U>& b) {
    re_ += b.real();
    im_ += b.imag();
    return *this;
  }
  template <class U>
  __host__ __device__ complex& operator-=(const complex<U>& b) {
    re_ -= b.real();
    im_ -= b.imag();
    return *this;
  }
  template <class U>
  __host__ __device__ complex& operator*=(const complex<U>& b) {
    const T re = re_ * b.real() - im_ * b.imag();
    im_ = re_ * b.imag() + im_ * b.real();
    re_ = re;
    return *this;
  }
  template <class U>
  __host__ __device__ complex& operator/=(const complex<U>& b) {
    // Scaled, so that the divisor's square neither overflows nor vanishes.
    const T c = b.real(), d = b.imag();
    const T scale = fabs(c) + fabs(d), cs = c / scale, ds = d / scale, norm = cs * cs + ds * ds;
    const T as = re_ / scale, bs = im_ / scale;
    re_ = (as * cs + bs * ds) / norm;
    im_ = (bs * cs - as * ds) / norm;
    return *this;
  }
  __host__ __device__ complex& operator+=(T b) {
    re_ += b;
    return *this;
  }
  __host__ __device__ complex& operator-=(T b) {
    re_ -= b;
    return *this;
  }
  __host__ __device__ complex& operator*=(T b) {
    re_ *= b;
    im_ *= b;
    return *this;
  }
  __host__ __device__ complex& operator/=(T b) {
    re_ /= b;
    im_ /= b;
    return *this;
  }

 private:
  T re_, im_;
};

// Between complex numbers, and with real ones of the parts' type or of any that becomes it.
template <class T>
struct same_type {
  typedef T type;
};
#define TESSERA_COMPLEX_OPERATOR(op, assign)                                                                   \
  template <class T>                                                                                           \
  __host__ __device__ complex<T> operator op(const complex<T>& a, const complex<T>& b) {                       \
    complex<T> r = a;                                                                                          \
    r assign b;                                                                                                \
    return r;                                                                                                  \
  }                                                                                                            \
  template <class T>                                                                                           \
  __host__ __device__ complex<T> operator op(const complex<T>& a, const typename same_type<T>::type& b) {      \
    complex<T> r = a;                                                                                          \
    r assign b;                                                                                                \
    return r;                                                                                                  \
  }                                                                                                            \
  template <class T>                                                                                           \
  __host__ __device__ complex<T> operator op(const typename same_type<T>::type& a, const complex<T>& b) {      \
    complex<T> r(a);                                                                                           \
    r assign b;                                                                                                \
    return r;                                                                                                  \
  }
TESSERA_COMPLEX_OPERATOR(+, +=)
TESSERA_COMPLEX_OPERATOR(-, -=)
TESSERA_COMPLEX_OPERATOR(*, *=)
TESSERA_COMPLEX_OPERATOR(/, /=)
#undef TESSERA_COMPLEX_OPERATOR

template <class T>
__host__ __device__ complex<T> operator+(const complex<T>& a) {
  return a;
}
template <class T>
__host__ __device__ complex<T> operator-(const complex<T>& a) {
  return complex<T>(-a.real(), -a.imag());
}
template <class T>
__host__ __device__ bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <class T>
__host__ __device__ bool operator==(const complex<T>& a, const typename same_type<T>::type& b) {
  return a.real() == b && a.imag() == T();
}
template <class T, class U>
__host__ __device__ bool operator!=(const complex<T>& a, const U& b) {
  return !(a == b);
}

template <class T>
__host__ __device__ T real(const complex<T>& z) {
  return z.real();
}
template <class T>
__host__ __device__ T imag(const complex<T>& z) {
  return z.imag();
}
template <class T>
__host__ __device__ complex<T> conj(const complex<T>& z) {
  return complex<T>(z.real(), -z.imag());
}
template <class T>
__host__ __device__ T norm(const complex<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T>
__host__ __device__ T abs(const complex<T>& z) {
  return hypot(z.real(), z.imag());
}
template <class T>
__host__ __device__ T arg(const complex<T>& z) {
  return atan2(z.imag(), z.real());
}
template <class T>
__host__ __device__ complex<T> polar(T r, T angle = T()) {
  return complex<T>(r * ::cos(angle), r * ::sin(angle));
}
template <class T>
__host__ __device__ complex<T> exp(const complex<T>& z) {
  return polar(T(::exp(z.real())), z.imag());
}
template <class T>
__host__ __device__ complex<T> log(const complex<T>& z) {
  return complex<T>(::log(abs(z)), arg(z));
}
template <class T>
__host__ __device__ complex<T> log10(const complex<T>& z) {
  return log(z) * T(0.43429448190325182765);
}
template <class T>
__host__ __device__ complex<T> sqrt(const complex<T>& z) {
  const T r = abs(z);
  if (r == T()) return complex<T>();
  const T half = ::sqrt((r + fabs(z.real())) / 2), other = fabs(z.imag()) / (2 * half);
  const T re = z.real() >= T() ? half : other, im = z.real() >= T() ? other : half;
  return complex<T>(re, copysign(im, z.imag()));
}
template <class T>
__host__ __device__ complex<T> pow(const complex<T>& a, const complex<T>& b) {
  return a == T() ? complex<T>(b == T() ? T(1) : T()) : exp(b * log(a));
}
template <class T>
__host__ __device__ complex<T> pow(const complex<T>& a, const typename same_type<T>::type& b) {
  return pow(a, complex<T>(b));
}
template <class T>
__host__ __device__ complex<T> sinh(const complex<T>& z) {
  return complex<T>(::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag()));
}
template <class T>
__host__ __device__ complex<T> cosh(const complex<T>& z) {
  return complex<T>(::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag()));
}
template <class T>
__host__ __device__ complex<T> tanh(const complex<T>& z) {
  return sinh(z) / cosh(z);
}
template <class T>
__host__ __device__ complex<T> sin(const complex<T>& z) {
  return complex<T>(::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag()));
}
template <class T>
__host__ __device__ complex<T> cos(const complex<T>& z) {
  return complex<T>(::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag()));
}
template <class T>
__host__ __device__ complex<T> tan(const complex<T>& z) {
  return sin(z) / cos(z);
}

}  // namespace thrust

using thrust::complex;
using thrust::abs;
using thrust::arg;
using thrust::conj;
using thrust::cos;
using thrust::cosh;
using thrust::exp;
using thrust::imag;
using thrust::log;
using thrust::log10;
using thrust::norm;
using thrust::polar;
using thrust::pow;
using thrust::real;
using thrust::sin;
using thrust::sinh;
using thrust::sqrt;
using thrust::tan;
using thrust::tanh;
