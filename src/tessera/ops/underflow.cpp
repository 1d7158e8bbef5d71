#include "tessera/ops/underflow.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "tessera/layout/dtype.h"

namespace tessera::ops {

namespace {

/// How an op's result can underflow.
enum class Shrinks { never, by_product, by_quotient, by_vanishing };

Shrinks how_it_shrinks(std::string_view op) {
  if (op == "multiply" || op == "square") return Shrinks::by_product;
  if (op == "divide" || op == "reciprocal") return Shrinks::by_quotient;
  for (std::string_view name : {"exp", "exp2", "power", "float_power", "ldexp", "expm1"}) {
    if (op == name) return Shrinks::by_vanishing;
  }
  return Shrinks::never;
}

/// Whether the hardware operation reports an inexact tiny result.
template <class T, class Operation>
bool reports_underflow(Operation operation, T a, T b) {
  std::feclearexcept(FE_UNDERFLOW);
  volatile T x = a, y = b;
  volatile T result = operation(x, y);
  (void)result;
  return std::fetestexcept(FE_UNDERFLOW) != 0;
}

/// Whether a float or double result underflowed.
template <class T>
bool is_underflow(Shrinks how, T r, T a, T b) {
  if (!(std::fabs(r) < std::numeric_limits<T>::min()) || !std::isfinite(a) || !std::isfinite(b)) return false;
  switch (how) {
    case Shrinks::never: return false;
    case Shrinks::by_product: return reports_underflow<T>([](T x, T y) { return x * y; }, a, b);
    case Shrinks::by_quotient: return reports_underflow<T>([](T x, T y) { return x / y; }, a, b);
    case Shrinks::by_vanishing: return a != 0 && (r != 0 || b != 0);
  }
  return false;
}

/// Whether a half result of an operation computed in float underflowed.
bool is_half_underflow(Shrinks how, float r, float a, float b) {
  constexpr float smallest = 0x1p-14f;
  if (!(std::fabs(r) < smallest) || !std::isfinite(a) || !std::isfinite(b)) return false;
  switch (how) {
    case Shrinks::never: return false;
    case Shrinks::by_product: return a * b != r;
    case Shrinks::by_quotient: return b != 0 && a / b != r;
    case Shrinks::by_vanishing: return a != 0 && (r != 0 || b != 0);
  }
  return false;
}

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double load_as_double(DType dtype, const char* at) {
  switch (dtype) {
    case DType::float64: return load<double>(at);
    case DType::float32: return load<float>(at);
    case DType::float16: return half_to_float(load<uint16_t>(at));
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

/// The smallest normal number, or 0 for types that do not underflow.
double smallest_normal(DType dtype) {
  switch (dtype) {
    case DType::float64: return std::numeric_limits<double>::min();
    case DType::float32: return std::numeric_limits<float>::min();
    case DType::float16: return 0x1p-14;
    default: return 0;
  }
}

}  // namespace

uint32_t find_underflow(const ops::Op& op, const ops::Signature& signature, char* const* pointers,
                        const int64_t* strides, int64_t n) {
  const Shrinks how = how_it_shrinks(op.name);
  const DType dtype = signature.out[0];
  const double smallest = smallest_normal(dtype);
  if (how == Shrinks::never || smallest == 0 || signature.in[0] != dtype) return 0;
  const size_t nin = signature.in.size();
  for (int64_t i = 0; i < n; ++i) {
    const double r = load_as_double(dtype, pointers[nin] + i * strides[nin]);
    if (!(std::fabs(r) < smallest)) continue;
    const double a = load_as_double(dtype, pointers[0] + i * strides[0]);
    // One operand: x * x, 1 / x, or an op that underflows independently of a second operand.
    double first = a, second = 1;
    if (nin > 1) {
      second = signature.in[1] == dtype ? load_as_double(dtype, pointers[1] + i * strides[1]) : 1;
    } else if (how == Shrinks::by_product) {
      second = a;
    } else if (how == Shrinks::by_quotient) {
      first = 1;
      second = a;
    }
    const bool found = dtype == DType::float64   ? is_underflow<double>(how, r, first, second)
                       : dtype == DType::float32 ? is_underflow<float>(how, r, first, second)
                                                 : is_half_underflow(how, r, first, second);
    if (found) return ir::event_underflow;
  }
  return 0;
}

uint32_t find_cast_underflow(DType from, DType to, char* const* pointers, const int64_t* strides, int64_t n) {
  const double smallest = smallest_normal(to);
  if (smallest == 0 || smallest_normal(from) == 0 || itemsize(to) >= itemsize(from)) return 0;
  for (int64_t i = 0; i < n; ++i) {
    const double r = load_as_double(to, pointers[1] + i * strides[1]);
    if (std::fabs(r) < smallest && r != load_as_double(from, pointers[0] + i * strides[0])) return ir::event_underflow;
  }
  return 0;
}

}  // namespace tessera::ops
