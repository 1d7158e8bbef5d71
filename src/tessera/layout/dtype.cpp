#include "tessera/layout/dtype.h"

#include <array>

namespace tessera {

namespace {

constexpr int index_of(DType t) { return static_cast<int>(t); }

constexpr bool between(DType t, DType low, DType high) { return t >= low && t <= high; }
constexpr bool integer(DType t) { return between(t, DType::int8, DType::uint64); }
constexpr bool signed_integer(DType t) { return integer(t) && (index_of(t) & 1); }
constexpr int size_of(DType t) { return dtype_table[index_of(t)].itemsize; }

/// The narrowest float (of float16, float32, float64) that NumPy pairs with an integer or boolean.
constexpr DType float_for_integer(DType t) {
  if (t == DType::boolean || size_of(t) == 1) return DType::float16;
  return size_of(t) == 2 ? DType::float32 : DType::float64;
}

constexpr DType promote_integers(DType a, DType b) {
  if (signed_integer(a) == signed_integer(b)) return a > b ? a : b;
  DType s = signed_integer(a) ? a : b;
  DType u = signed_integer(a) ? b : a;
  if (size_of(s) > size_of(u)) return s;
  switch (size_of(u)) {
    case 1: return DType::int16;
    case 2: return DType::int32;
    case 4: return DType::int64;
    default: return DType::float64;
  }
}

/// Both are real and floating. Neither of float16 and bfloat16 contains the other, so they promote to float32.
constexpr DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  DType high = a > b ? a : b;
  return high == DType::bfloat16 ? DType::float32 : high;
}

constexpr DType promote_by_rule(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (a == DType::boolean) return b;
  if (integer(b)) return promote_integers(a, b);
  if (b == DType::bfloat16 && integer(a)) return b;  // as JAX; NumPy has no rule beyond 8 bits
  bool complex = b >= DType::complex64;
  auto part = [](DType t) {
    if (t == DType::complex64) return DType::float32;
    return t == DType::complex128 ? DType::float64 : t;
  };
  DType x = integer(a) ? float_for_integer(a) : part(a);
  DType real = promote_floats(x, part(b));
  if (!complex) return real;
  return real == DType::float64 ? DType::complex128 : DType::complex64;
}

using Table = std::array<std::array<DType, dtype_count>, dtype_count>;
constexpr Table make_promotion_table() {
  Table table{};
  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < dtype_count; ++b) table[a][b] = promote_by_rule(static_cast<DType>(a), static_cast<DType>(b));
  return table;
}
constexpr Table promotion_table = make_promotion_table();

/// bool < unsigned < signed < floating < complex: NumPy's order of kinds for same_kind casts.
int kind_rank(DType t) {
  switch (info(t).kind) {
    case DTypeKind::boolean: return 0;
    case DTypeKind::unsigned_integer: return 1;
    case DTypeKind::signed_integer: return 2;
    case DTypeKind::floating: return 3;
    case DTypeKind::complex: return 4;
  }
  return 0;
}

bool can_cast_safely(DType from, DType to) {
  if (to == DType::bfloat16) return from == to || from <= DType::uint8;
  return promote(from, to) == to;
}

}  // namespace

std::optional<DType> dtype_from_name(std::string_view text) {
  for (int i = 0; i < dtype_count; ++i)
    if (dtype_table[i].name == text) return static_cast<DType>(i);
  return {};
}

std::optional<DType> dtype_from_code(char code) {
  if (code == 'q') return DType::int64;
  if (code == 'Q') return DType::uint64;
  for (int i = 0; i < dtype_count; ++i)
    if (dtype_table[i].code == code) return static_cast<DType>(i);
  return {};
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }

DType real_dtype(DType t) {
  if (t == DType::complex64) return DType::float32;
  return t == DType::complex128 ? DType::float64 : t;
}

DType complex_dtype(DType t) { return promote(t, DType::complex64); }

DType promote(DType a, DType b) { return promotion_table[index_of(a)][index_of(b)]; }

DType promote_weak(DType strong, DTypeKind python_scalar) {
  bool exact = strong <= DType::uint64;
  switch (python_scalar) {
    case DTypeKind::boolean: return strong;
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer: return is_boolean(strong) ? DType::int64 : strong;
    case DTypeKind::floating: return exact ? DType::float64 : strong;
    case DTypeKind::complex: return exact ? DType::complex128 : complex_dtype(strong);
  }
  return strong;
}

bool can_cast(DType from, DType to, Casting casting) {
  if (from == to) return true;
  switch (casting) {
    case Casting::no:
    case Casting::equiv: return false;
    case Casting::safe: return can_cast_safely(from, to);
    case Casting::same_kind: return kind_rank(from) <= kind_rank(to);
    case Casting::unsafe: return true;
  }
  return false;
}

}  // namespace tessera
