#include "tessera/ir/loops/values.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Pow {
  template <class T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return math::pow(x, y);
  }

  /// For doubles: logarithms and exponentials run in separate loops, because in one loop each would wait for the
  /// other's chain of dependent instructions.
  static void dense(char* r, const char* x, const char* y, int64_t n) {
    for (int64_t i = 0; i < n; i += stage) {
      const int64_t at = i * static_cast<int64_t>(sizeof(double));
      block(r + at, x + at, y + at, n - i < stage ? n - i : stage);
    }
  }

 private:
  static double element(const char* from, int64_t i) { return get<double>(from + i * sizeof(double)); }

  static void block(char* r, const char* x, const char* y, int64_t n) {
    double high[stage], low[stage];
    uint64_t others = 0;
    for_each_vector<double>(n, [&](int64_t i) __attribute__((always_inline)) {
      const double a = element(x, i);
      const math::DoubleDouble log = math::ordinary_log_of_power(a, element(y, i));
      others |= math::has_ordinary_log(a) && math::is_ordinary_power(log) ? 0 : 1;
      high[i] = log.high;
      low[i] = log.low;
    });
    if (others == 0) {
      for_each_vector<double>(n, [&](int64_t i) __attribute__((always_inline)) {
        put(r + i * sizeof(double), math::ordinary_power_of_log({high[i], low[i]}));
      });
      return;
    }
    for_each_vector<double>(n, [&](int64_t i) __attribute__((always_inline)) {
      const math::DoubleDouble log = math::log_of_power(element(x, i), element(y, i));
      high[i] = log.high;
      low[i] = log.low;
    });
    for_each_vector<double>(n, [&](int64_t i) __attribute__((always_inline)) {
      put(r + i * sizeof(double), math::power_of_log(element(x, i), element(y, i), {high[i], low[i]}));
    });
  }
};
struct Atan2 {
  template <class T>
  [[gnu::always_inline]] static T apply(T y, T x) {
    return math::atan2(y, x);
  }
};
struct Hypot {
  template <class T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return math::hypot(x, y);
  }
};
struct Rem {
  template <class T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return math::fmod(x, y);
  }
};
struct FloorDiv {
  template <class T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return math::floor_div(x, y);
  }
};
struct FloorMod {
  template <class T>
  [[gnu::always_inline]] static T apply(T x, T y) {
    return math::floor_mod(x, y);
  }
};
struct Ldexp {
  template <class T>
  [[gnu::always_inline]] static T apply(T x, int32_t k) {
    return math::ldexp(x, k);
  }
};
struct Tgamma {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::tgamma(x);
  }
};
struct Lgamma {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::lgamma(x);
  }
};
struct FrexpMantissa {
  template <class T>
  [[gnu::always_inline]] static T apply(T x) {
    return math::frexp_mantissa(x);
  }
};
struct FrexpExponent {
  template <class T>
  [[gnu::always_inline]] static int32_t apply(T x) {
    return math::frexp_exponent(x);
  }
};

template <class T>
using LdexpShape = StagedBinary<Ldexp, T, T, int32_t>;
template <class T>
using ExponentShape = StagedUnary<FrexpExponent, int32_t, T>;

template <class As>
typename As::Result find_as(Opcode op, DType t) {
  switch (op) {
    case Opcode::pow: return As::template two<Pow>(t);
    case Opcode::atan2: return As::template two<Atan2>(t);
    case Opcode::hypot: return As::template two<Hypot>(t);
    case Opcode::rem: return As::template two<Rem>(t);
    case Opcode::floor_div: return As::template two<FloorDiv>(t);
    case Opcode::floor_mod: return As::template two<FloorMod>(t);
    case Opcode::tgamma: return As::template one<Tgamma>(t);
    case Opcode::lgamma: return As::template one<Lgamma>(t);
    default: return {};
  }
}

}  // namespace

Loop find_special(Opcode op, DType t) {
  switch (op) {
    case Opcode::ldexp: return for_float<LdexpShape>(t);
    case Opcode::frexp_mantissa: return one_float<FrexpMantissa>(t);
    case Opcode::frexp_exponent: return for_float<ExponentShape>(t);
    default: return find_as<AsLoop>(op, t);
  }
}
ValueFunction find_special_values(Opcode op, DType t) { return find_as<AsValueFunction>(op, t); }

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
