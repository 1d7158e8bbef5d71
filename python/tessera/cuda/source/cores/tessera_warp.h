// Functions of warps: words are published, the threads of the warp meet, and read each other's.
#pragma once

// Values of more than eight bytes go by the word.
template <class T, class F>
TESSERA_FUNCTION T __tessera_by_words(T value, F move) {
  constexpr int n = (sizeof(T) + 7) / 8;
  unsigned long long words[n] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int k = 0; k < n; ++k) words[k] = move(words[k]);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}

// Any value of up to eight bytes as a word.
template <class T>
TESSERA_FUNCTION unsigned long long __tessera_word(T value) {
  static_assert(sizeof(T) <= 8, "shuffles take values of up to eight bytes");
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}
template <class T>
TESSERA_FUNCTION T __tessera_value(unsigned long long word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}
TESSERA_FUNCTION unsigned __tessera_lane() { return __tessera_linear_thread() & 31; }
template <class T>
TESSERA_FUNCTION void __tessera_exchange(unsigned mask, T value) {
  __tessera_publish(__tessera_word(value));
  __tessera_meet(4, mask);
}
template <class T>
TESSERA_FUNCTION T __tessera_from(int lane) {
  return __tessera_value<T>(__tessera_visible(lane));
}

template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) <= 8), T> __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  __tessera_exchange(mask, value);
  int lane = __tessera_lane();
  return __tessera_from<T>((lane & ~(width - 1)) | (from & (width - 1)));
}
template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) <= 8), T> __shfl_up_sync(unsigned mask, T value, unsigned delta,
                                                                      int width = 32) {
  __tessera_exchange(mask, value);
  int lane = __tessera_lane(), from = lane - (int)delta;
  return from < (lane & ~(width - 1)) ? value : __tessera_from<T>(from);
}
template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) <= 8), T> __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                                                        int width = 32) {
  __tessera_exchange(mask, value);
  int lane = __tessera_lane(), from = lane + (int)delta;
  return from > (lane | (width - 1)) ? value : __tessera_from<T>(from);
}
template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) <= 8), T> __shfl_xor_sync(unsigned mask, T value, int other,
                                                                       int width = 32) {
  __tessera_exchange(mask, value);
  int lane = __tessera_lane(), from = lane ^ other;
  return from > (lane | (width - 1)) ? value : __tessera_from<T>(from);
}
template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) > 8), T> __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  return __tessera_by_words(value, [=](unsigned long long word) { return __shfl_sync(mask, word, from, width); });
}
template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) > 8), T> __shfl_up_sync(unsigned mask, T value, unsigned delta,
                                                                     int width = 32) {
  return __tessera_by_words(value, [=](unsigned long long word) { return __shfl_up_sync(mask, word, delta, width); });
}
template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) > 8), T> __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                                                       int width = 32) {
  return __tessera_by_words(value, [=](unsigned long long word) { return __shfl_down_sync(mask, word, delta, width); });
}
template <class T>
TESSERA_FUNCTION std::enable_if_t<(sizeof(T) > 8), T> __shfl_xor_sync(unsigned mask, T value, int other,
                                                                      int width = 32) {
  return __tessera_by_words(value, [=](unsigned long long word) { return __shfl_xor_sync(mask, word, other, width); });
}
template <class T>
TESSERA_FUNCTION T __shfl(T value, int from, int width = 32) {
  return __shfl_sync(0xffffffffu, value, from, width);
}
template <class T>
TESSERA_FUNCTION T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(0xffffffffu, value, delta, width);
}
template <class T>
TESSERA_FUNCTION T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(0xffffffffu, value, delta, width);
}
template <class T>
TESSERA_FUNCTION T __shfl_xor(T value, int other, int width = 32) {
  return __shfl_xor_sync(0xffffffffu, value, other, width);
}

TESSERA_FUNCTION unsigned __ballot_sync(unsigned mask, int predicate) {
  __tessera_publish(predicate != 0);
  __tessera_meet(5, mask);
  return __tessera_vote() & mask;
}
TESSERA_FUNCTION unsigned __activemask() {
  __tessera_publish(1);
  __tessera_meet(5, 0);
  return __tessera_vote();
}
TESSERA_FUNCTION int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
TESSERA_FUNCTION int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
TESSERA_FUNCTION int __uni_sync(unsigned mask, int predicate) {
  unsigned yes = __ballot_sync(mask, predicate);
  return yes == 0 || yes == mask;
}
TESSERA_FUNCTION unsigned __ballot(int predicate) { return __ballot_sync(0xffffffffu, predicate); }
TESSERA_FUNCTION int __any(int predicate) { return __any_sync(0xffffffffu, predicate); }
TESSERA_FUNCTION int __all(int predicate) { return __all_sync(0xffffffffu, predicate); }

template <class T>
TESSERA_FUNCTION unsigned __match_any_sync(unsigned mask, T value) {
  __tessera_exchange(mask, value);
  unsigned long long own = __tessera_word(value);
  unsigned equal = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) && __tessera_visible(lane) == own) equal |= 1u << lane;
  return equal;
}
template <class T>
TESSERA_FUNCTION unsigned __match_all_sync(unsigned mask, T value, int* is_equal) {
  unsigned equal = __match_any_sync(mask, value);
  *is_equal = equal == mask;
  return equal == mask ? mask : 0;
}

#define TESSERA_REDUCE(name, type, start, step)                             \
  TESSERA_FUNCTION type __reduce_##name##_sync(unsigned mask, type value) { \
    __tessera_exchange(mask, value);                                        \
    type a = start;                                                         \
    for (int lane = 0; lane < 32; ++lane)                                   \
      if (mask >> lane & 1) {                                               \
        type b = __tessera_from<type>(lane);                                \
        a = step;                                                           \
      }                                                                     \
    return a;                                                               \
  }
TESSERA_REDUCE(add, int, 0, a + b)
TESSERA_REDUCE(add, unsigned, 0, a + b)
TESSERA_REDUCE(min, int, 2147483647, b < a ? b : a)
TESSERA_REDUCE(min, unsigned, 4294967295u, b < a ? b : a)
TESSERA_REDUCE(max, int, (-2147483647 - 1), b > a ? b : a)
TESSERA_REDUCE(max, unsigned, 0, b > a ? b : a)
TESSERA_REDUCE(and, unsigned, 4294967295u, a& b)
TESSERA_REDUCE(or, unsigned, 0, a | b)
TESSERA_REDUCE(xor, unsigned, 0, a ^ b)
#undef TESSERA_REDUCE
