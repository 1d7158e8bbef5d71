/// DType: tessera's element types, and NumPy's rules for promoting and casting between them.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

namespace tessera {

/// Ordered so that within a kind a wider type has a larger value.
enum class DType : uint8_t {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};
inline constexpr int dtype_count = 15;

enum class DTypeKind : uint8_t { boolean, signed_integer, unsigned_integer, floating, complex };

/// The values of NumPy's `casting=` argument.
enum class Casting : uint8_t { no, equiv, safe, same_kind, unsafe };

struct DTypeInfo {
  std::string_view name;
  uint8_t itemsize;
  DTypeKind kind;
  char code;  // NumPy's one-letter type code, 'd' for float64
};

inline constexpr DTypeInfo dtype_table[dtype_count] = {
    {"bool", 1, DTypeKind::boolean, '?'},
    {"int8", 1, DTypeKind::signed_integer, 'b'},
    {"uint8", 1, DTypeKind::unsigned_integer, 'B'},
    {"int16", 2, DTypeKind::signed_integer, 'h'},
    {"uint16", 2, DTypeKind::unsigned_integer, 'H'},
    {"int32", 4, DTypeKind::signed_integer, 'i'},
    {"uint32", 4, DTypeKind::unsigned_integer, 'I'},
    {"int64", 8, DTypeKind::signed_integer, 'l'},
    {"uint64", 8, DTypeKind::unsigned_integer, 'L'},
    {"float16", 2, DTypeKind::floating, 'e'},
    {"bfloat16", 2, DTypeKind::floating, 'E'},
    {"float32", 4, DTypeKind::floating, 'f'},
    {"float64", 8, DTypeKind::floating, 'd'},
    {"complex64", 8, DTypeKind::complex, 'F'},
    {"complex128", 16, DTypeKind::complex, 'D'},
};
inline const DTypeInfo& info(DType dtype) { return dtype_table[static_cast<int>(dtype)]; }
inline int64_t itemsize(DType dtype) { return info(dtype).itemsize; }
inline std::string_view name(DType dtype) { return info(dtype).name; }
std::optional<DType> dtype_from_name(std::string_view name);
std::optional<DType> dtype_from_code(char code);
std::ostream& operator<<(std::ostream& out, DType dtype);

inline bool is_boolean(DType t) { return t == DType::boolean; }
inline bool is_integer(DType t) { return t >= DType::int8 && t <= DType::uint64; }
inline bool is_signed_integer(DType t) { return is_integer(t) && (static_cast<int>(t) & 1); }
inline bool is_unsigned_integer(DType t) { return is_integer(t) && !(static_cast<int>(t) & 1); }
inline bool is_floating(DType t) { return t >= DType::float16 && t <= DType::float64; }
inline bool is_complex(DType t) { return t >= DType::complex64; }
/// The dtype of the real part: complex64 gives float32; real types give themselves.
DType real_dtype(DType t);
/// The complex type with parts wide enough for t: complex64 for types that fit float32, else complex128.
DType complex_dtype(DType t);

/// NumPy's promotion of two strong dtypes (NEP 50).
DType promote(DType a, DType b);
/// NumPy's promotion of a dtype with a Python scalar of the given kind (weak in NEP 50).
DType promote_weak(DType strong, DTypeKind python_scalar);
bool can_cast(DType from, DType to, Casting casting);

/// One element of any dtype, stored as its bytes; complex values are (real, imaginary).
struct Scalar {
  DType dtype = DType::float64;
  alignas(16) unsigned char bytes[16] = {};

  static Scalar of_bool(bool value);
  static Scalar of_int(DType dtype, int64_t value);
  static Scalar of_uint(DType dtype, uint64_t value);
  static Scalar of_float(DType dtype, double value);
  static Scalar of_complex(DType dtype, std::complex<double> value);
  double as_double() const;
  int64_t as_int() const;
  std::complex<double> as_complex() const;
  /// Converts as a C cast does in NumPy; out-of-range values wrap as on x86.
  Scalar cast_to(DType to) const;
  /// Equal type and bits.
  friend bool operator==(const Scalar& a, const Scalar& b);
};
std::ostream& operator<<(std::ostream& out, const Scalar& scalar);

/// IEEE half and bfloat16, rounding to nearest even.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
uint16_t double_to_half(double value);
float bfloat16_to_float(uint16_t bits);
uint16_t float_to_bfloat16(float value);

}  // namespace tessera
