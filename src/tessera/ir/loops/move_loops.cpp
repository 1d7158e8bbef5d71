#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Pair {
  uint64_t low, high;
};

template <class T>
struct Copy {
  struct Same {
    static T apply(T a) { return a; }
  };
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    if (s[0] == sizeof(T) && s[1] == sizeof(T)) {
      if (p[0] != p[1]) std::memcpy(p[1], p[0], n * sizeof(T));
      return;
    }
    if (s[0] == 0 && s[1] == sizeof(T)) {
      const T fixed = get<T>(p[0]);
      for (int64_t i = 0; i < n; ++i) put<T>(p[1] + i * sizeof(T), fixed);
      return;
    }
    constexpr auto backwards = -static_cast<int64_t>(sizeof(T));
    if (s[0] == backwards && s[1] == sizeof(T)) {
      const char* a = p[0];
      char* r = p[1];
      TESSERA_VECTORIZE
      for (int64_t i = 0; i < n; ++i) put<T>(r + i * sizeof(T), get<T>(a + i * backwards));
      return;
    }
    for (int64_t i = 0; i < n; ++i) put<T>(p[1] + i * s[1], get<T>(p[0] + i * s[0]));
  }
};

template <class T>
struct Select {
  [[gnu::always_inline]] static void dense(const char* c, const char* a, int64_t a_step, const char* b, int64_t b_step,
                                           char* r, int64_t n) {
    TESSERA_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const T x = get<T>(a + i * a_step);
      const T y = get<T>(b + i * b_step);
      put<T>(r + i * sizeof(T), get<uint8_t>(c + i) ? x : y);
    }
  }
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    constexpr int64_t size = sizeof(T);
    if (s[0] == 1 && s[3] == size) {
      if (s[1] == size && s[2] == size) return dense(p[0], p[1], size, p[2], size, p[3], n);
      if (s[1] == size && s[2] == 0) return dense(p[0], p[1], size, p[2], 0, p[3], n);
      if (s[1] == 0 && s[2] == size) return dense(p[0], p[1], 0, p[2], size, p[3], n);
      if (s[1] == 0 && s[2] == 0) return dense(p[0], p[1], 0, p[2], 0, p[3], n);
    }
    for (int64_t i = 0; i < n; ++i) {
      put<T>(p[3] + i * s[3], get<T>(get<uint8_t>(p[0] + i * s[0]) ? p[1] + i * s[1] : p[2] + i * s[2]));
    }
  }
};

template <class T>
struct Make {
  struct Join {
    static Interleaved<T> apply(T re, T im) { return {re, im}; }
  };
  static constexpr Loop loop = &Binary<Join, Interleaved<T>, T, T>::loop;
};

template <class T, int part>
struct Part {
  struct Take {
    static T apply(Interleaved<T> z) { return part ? z.im : z.re; }
  };
  static constexpr Loop loop = &Unary<Take, T, Interleaved<T>>::loop;
};

/// The int64 at p[0] and its successors, as T; exact below 2^53, which no array size reaches.
template <class T>
struct Count {
  using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
  static void loop(char* const* p, const int64_t* s, int64_t n) {
    const auto first = static_cast<Wide>(get<int64_t>(p[0]));
    if (s[1] != sizeof(T)) {
      for (int64_t i = 0; i < n; ++i) put<T>(p[1] + i * s[1], static_cast<T>(first + static_cast<Wide>(i)));
      return;
    }
    for (int64_t begin = 0; begin < n; begin += INT32_MAX) {
      const auto count = static_cast<int32_t>(std::min<int64_t>(n - begin, INT32_MAX));
      const Wide from = first + static_cast<Wide>(begin);
      char* to = p[1] + begin * static_cast<int64_t>(sizeof(T));
      TESSERA_VECTORIZE
      for (int32_t i = 0; i < count; ++i)
        put<T>(to + int64_t{i} * static_cast<int64_t>(sizeof(T)), static_cast<T>(from + static_cast<Wide>(i)));
    }
  }
};

template <template <class> class Shape>
Loop for_size(int64_t size) {
  switch (size) {
    case 1: return &Shape<uint8_t>::loop;
    case 2: return &Shape<uint16_t>::loop;
    case 4: return &Shape<uint32_t>::loop;
    case 8: return &Shape<uint64_t>::loop;
    default: return &Shape<Pair>::loop;
  }
}

}  // namespace

Loop find_move(Opcode op, DType operand, DType result) {
  switch (op) {
    case Opcode::load:
    case Opcode::store:
    case Opcode::bitcast: return for_size<Copy>(itemsize(operand));
    case Opcode::select: return for_size<Select>(itemsize(result));
    case Opcode::make_complex: return operand == DType::float32 ? Make<float>::loop : Make<double>::loop;
    case Opcode::real: return operand == DType::complex64 ? Part<float, 0>::loop : Part<double, 0>::loop;
    case Opcode::index:
      if (result == DType::float32) return &Count<float>::loop;
      return result == DType::float64 ? &Count<double>::loop : &Count<int64_t>::loop;
    case Opcode::imag: return operand == DType::complex64 ? Part<float, 1>::loop : Part<double, 1>::loop;
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
