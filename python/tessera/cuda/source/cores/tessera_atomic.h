// Atomic functions; those of _block and _system are the same here.
#pragma once

#define TESSERA_ATOMIC(name, type, parameters, ...)                                                 \
  TESSERA_FUNCTION type name parameters{__VA_ARGS__} TESSERA_FUNCTION type name##_block parameters{ \
      __VA_ARGS__} TESSERA_FUNCTION type name##_system parameters {                                 \
    __VA_ARGS__                                                                                     \
  }
#define TESSERA_FETCH(name, function, type) \
  TESSERA_ATOMIC(name, type, (type * at, type value), return function(at, value, __ATOMIC_RELAXED);)
#define TESSERA_OF_INTEGERS(name, function)         \
  TESSERA_FETCH(name, function, int)                \
  TESSERA_FETCH(name, function, unsigned)           \
  TESSERA_FETCH(name, function, long long)          \
  TESSERA_FETCH(name, function, unsigned long long) \
  TESSERA_FETCH(name, function, long)               \
  TESSERA_FETCH(name, function, unsigned long)
TESSERA_OF_INTEGERS(atomicAdd, __atomic_fetch_add)
TESSERA_OF_INTEGERS(atomicSub, __atomic_fetch_sub)
TESSERA_OF_INTEGERS(atomicMin, __atomic_fetch_min)
TESSERA_OF_INTEGERS(atomicMax, __atomic_fetch_max)
TESSERA_OF_INTEGERS(atomicAnd, __atomic_fetch_and)
TESSERA_OF_INTEGERS(atomicOr, __atomic_fetch_or)
TESSERA_OF_INTEGERS(atomicXor, __atomic_fetch_xor)

// Changes what is there by way of an integer of the same size.
template <class T, class I, class F>
TESSERA_FUNCTION T __tessera_update(T* at, F change) {
  static_assert(sizeof(T) == sizeof(I), "");
  I seen = __atomic_load_n((I*)at, __ATOMIC_RELAXED), wanted;
  T before;
  do {
    __builtin_memcpy(&before, &seen, sizeof(T));
    T after = change(before);
    __builtin_memcpy(&wanted, &after, sizeof(T));
  } while (!__atomic_compare_exchange_n((I*)at, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return before;
}
TESSERA_ATOMIC(atomicAdd, float, (float* at, float value),
               return __tessera_update<float, unsigned>(at, [value](float x) { return x + value; });)
TESSERA_ATOMIC(atomicAdd, double, (double* at, double value),
               return __tessera_update<double, unsigned long long>(at, [value](double x) { return x + value; });)
TESSERA_ATOMIC(atomicSub, float, (float* at, float value),
               return __tessera_update<float, unsigned>(at, [value](float x) { return x - value; });)
TESSERA_ATOMIC(atomicSub, double, (double* at, double value),
               return __tessera_update<double, unsigned long long>(at, [value](double x) { return x - value; });)
TESSERA_ATOMIC(atomicInc, unsigned, (unsigned* at, unsigned most),
               return __tessera_update<unsigned, unsigned>(at, [most](unsigned x) { return x >= most ? 0 : x + 1; });)
TESSERA_ATOMIC(atomicDec, unsigned, (unsigned* at, unsigned most),
               return __tessera_update<unsigned, unsigned>(at, [most](unsigned x) {
                 return x == 0 || x > most ? most : x - 1;
               });)

#define TESSERA_EXCHANGE(type, word)                                                                \
  TESSERA_ATOMIC(atomicExch, type, (type * at, type value), word wanted;                            \
                 __builtin_memcpy(&wanted, &value, sizeof(value));                                  \
                 word seen = __atomic_exchange_n((word*)at, wanted, __ATOMIC_SEQ_CST); type before; \
                 __builtin_memcpy(&before, &seen, sizeof(before)); return before;)
TESSERA_EXCHANGE(int, int)
TESSERA_EXCHANGE(unsigned, unsigned)
TESSERA_EXCHANGE(long long, long long)
TESSERA_EXCHANGE(unsigned long long, unsigned long long)
TESSERA_EXCHANGE(unsigned long, unsigned long)
TESSERA_EXCHANGE(float, unsigned)
TESSERA_EXCHANGE(double, unsigned long long)

#define TESSERA_COMPARE(type)                                                                                   \
  TESSERA_ATOMIC(atomicCAS, type, (type * at, type expected, type wanted),                                      \
                 __atomic_compare_exchange_n(at, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
                 return expected;)
TESSERA_COMPARE(int)
TESSERA_COMPARE(unsigned)
TESSERA_COMPARE(long long)
TESSERA_COMPARE(unsigned long long)
TESSERA_COMPARE(unsigned long)
TESSERA_COMPARE(unsigned short)
#undef TESSERA_COMPARE
#undef TESSERA_EXCHANGE
#undef TESSERA_OF_INTEGERS
#undef TESSERA_FETCH
#undef TESSERA_ATOMIC
