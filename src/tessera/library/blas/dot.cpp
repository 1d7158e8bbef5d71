#include "tessera/library/blas/dot.h"

#include "tessera/library/blas/blas.h"
#include "tessera/library/blas/element.h"

namespace tessera::library {

namespace {

template <class T>
bool blas_takes(const Vector& v) {
  return v.stride > 0 && v.stride % static_cast<int64_t>(sizeof(T)) == 0;
}

template <class T>
T element(const Vector& v, int64_t i) {
  return *reinterpret_cast<const T*>(v.data + i * v.stride);
}

template <class T>
T plain_dot(const Vector& x, const Vector& y) {
  typename Arithmetic<T>::Sum sum{};
  for (int64_t i = 0; i < x.size; ++i) {
    sum =
        Arithmetic<T>::multiply_add(sum, Arithmetic<T>::load(element<T>(x, i)), Arithmetic<T>::load(element<T>(y, i)));
  }
  return Arithmetic<T>::store(sum);
}

// NumPy accumulates conjugated products in double, whatever the precision.
template <class R>
std::complex<R> plain_conjugate_dot(const Vector& x, const Vector& y) {
  double real = 0, imag = 0;
  for (int64_t i = 0; i < x.size; ++i) {
    const auto a = element<std::complex<R>>(x, i), b = element<std::complex<R>>(y, i);
    real += static_cast<double>(a.real() * b.real() + a.imag() * b.imag());
    imag += static_cast<double>(a.real() * b.imag() - a.imag() * b.real());
  }
  return {static_cast<R>(real), static_cast<R>(imag)};
}

template <class T>
T dot_of(const Vector& x, const Vector& y) {
  constexpr int64_t size = sizeof(T);
  if constexpr (std::is_floating_point_v<T>) {
    if (blas<T>() && blas_takes<T>(x) && blas_takes<T>(y)) {
      return T(0) + blas<T>().dot(x.size, x.data, x.stride / size, y.data, y.stride / size);
    }
  } else if constexpr (is_complex_type<T>) {
    if (blas<T>() && blas_takes<T>(x) && blas_takes<T>(y)) {
      T result{};
      if (x.size) blas<T>().dotu(x.size, x.data, x.stride / size, y.data, y.stride / size, &result);
      return T(0) + result;
    }
  }
  return plain_dot<T>(x, y);
}

template <class R>
std::complex<R> conjugate_dot_of(const Vector& x, const Vector& y) {
  using T = std::complex<R>;
  if (!blas<T>() || !blas_takes<T>(x) || !blas_takes<T>(y)) return plain_conjugate_dot<R>(x, y);
  constexpr int64_t size = sizeof(T);
  T result{};
  if (x.size) blas<T>().dotc(x.size, x.data, x.stride / size, y.data, y.stride / size, &result);
  return T(0) + result;
}

}  // namespace

void dot(DType dtype, const Vector& x, const Vector& y, char* out) {
  with_element_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *reinterpret_cast<T*>(out) = dot_of<T>(x, y);
  });
}

void conjugate_dot(DType dtype, const Vector& x, const Vector& y, char* out) {
  if (dtype == DType::complex64) {
    *reinterpret_cast<std::complex<float>*>(out) = conjugate_dot_of<float>(x, y);
  } else if (dtype == DType::complex128) {
    *reinterpret_cast<std::complex<double>*>(out) = conjugate_dot_of<double>(x, y);
  } else {
    dot(dtype, x, y, out);
  }
}

}  // namespace tessera::library
