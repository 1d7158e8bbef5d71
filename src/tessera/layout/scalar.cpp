#include <cstring>

#include "tessera/layout/dtype.h"
#include "tessera/layout/element_cast.h"

namespace tessera {

namespace {

template <class From>
Scalar make_scalar(DType dtype, From value) {
  Scalar scalar;
  scalar.dtype = dtype;
  visit_dtype(dtype, [&]<class To>(To) {
    To element = element_cast<To>(value);
    std::memcpy(scalar.bytes, &element, sizeof element);
  });
  return scalar;
}

template <class To>
To read_as(const Scalar& scalar) {
  return visit_dtype(scalar.dtype, [&]<class From>(From element) {
    std::memcpy(&element, scalar.bytes, sizeof element);
    return element_cast<To>(element);
  });
}

}  // namespace

Scalar Scalar::of_bool(bool value) { return make_scalar(DType::boolean, value); }
Scalar Scalar::of_int(DType dtype, int64_t value) { return make_scalar(dtype, value); }
Scalar Scalar::of_uint(DType dtype, uint64_t value) { return make_scalar(dtype, value); }
Scalar Scalar::of_float(DType dtype, double value) { return make_scalar(dtype, value); }
Scalar Scalar::of_complex(DType dtype, std::complex<double> value) { return make_scalar(dtype, value); }

double Scalar::as_double() const { return read_as<double>(*this); }
int64_t Scalar::as_int() const { return read_as<int64_t>(*this); }
std::complex<double> Scalar::as_complex() const { return read_as<std::complex<double>>(*this); }

Scalar Scalar::cast_to(DType to) const {
  if (to == dtype) return *this;
  return visit_dtype(dtype, [&]<class From>(From element) {
    std::memcpy(&element, bytes, sizeof element);
    return make_scalar(to, element);
  });
}

bool operator==(const Scalar& a, const Scalar& b) {
  return a.dtype == b.dtype && std::memcmp(a.bytes, b.bytes, itemsize(a.dtype)) == 0;
}

std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
  if (is_boolean(scalar.dtype)) return out << (scalar.bytes[0] ? "true" : "false");
  if (scalar.dtype == DType::uint64) return out << static_cast<uint64_t>(scalar.as_int());
  if (is_integer(scalar.dtype)) return out << scalar.as_int();
  if (is_complex(scalar.dtype)) return out << scalar.as_complex();
  auto precision = out.precision(scalar.dtype == DType::float64 ? 17 : 9);
  out << scalar.as_double();
  out.precision(precision);
  return out;
}

}  // namespace tessera
