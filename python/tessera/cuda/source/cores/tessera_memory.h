// Cache hints, fences of the language, printf, assert, memory from kernels, clocks.
#pragma once

template <class T>
TESSERA_FUNCTION T __ldg(const T* at) {
  return *at;
}
template <class T>
TESSERA_FUNCTION T __ldca(const T* at) {
  return *at;
}
template <class T>
TESSERA_FUNCTION T __ldcg(const T* at) {
  return *at;
}
template <class T>
TESSERA_FUNCTION T __ldcs(const T* at) {
  return *at;
}
template <class T>
TESSERA_FUNCTION T __ldlu(const T* at) {
  return *at;
}
template <class T>
TESSERA_FUNCTION T __ldcv(const T* at) {
  return *(const volatile T*)at;
}
template <class T>
TESSERA_FUNCTION void __stwb(T* at, T value) {
  *at = value;
}
template <class T>
TESSERA_FUNCTION void __stcg(T* at, T value) {
  *at = value;
}
template <class T>
TESSERA_FUNCTION void __stcs(T* at, T value) {
  *at = value;
}
template <class T>
TESSERA_FUNCTION void __stwt(T* at, T value) {
  *at = value;
}
TESSERA_FUNCTION void __prefetch_global_l1(const void* at) { __builtin_prefetch(at); }
TESSERA_FUNCTION bool __isShared(const void*) { return false; }
TESSERA_FUNCTION void __nanosleep(unsigned) {}

extern "C" __attribute__((device)) int printf(const char* format, ...);
extern "C" __attribute__((device)) void* malloc(size_t);
extern "C" __attribute__((device)) void free(void*);
TESSERA_FUNCTION void* memcpy(void* to, const void* from, size_t n) { return __builtin_memcpy(to, from, n); }
TESSERA_FUNCTION void* memmove(void* to, const void* from, size_t n) { return __builtin_memmove(to, from, n); }
TESSERA_FUNCTION void* memset(void* to, int value, size_t n) { return __builtin_memset(to, value, n); }
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
__attribute__((device)) inline void* operator new(size_t n) { return malloc(n); }
__attribute__((device)) inline void* operator new[](size_t n) { return malloc(n); }
__attribute__((device)) inline void* operator new(size_t, void* at) noexcept { return at; }
__attribute__((device)) inline void operator delete(void* at) noexcept { free(at); }
__attribute__((device)) inline void operator delete[](void* at) noexcept { free(at); }
__attribute__((device)) inline void operator delete(void* at, size_t) noexcept { free(at); }
__attribute__((device)) inline void operator delete[](void* at, size_t) noexcept { free(at); }
#pragma clang diagnostic pop

TESSERA_FUNCTION long long clock64() { return (long long)__builtin_readcyclecounter(); }
TESSERA_FUNCTION clock_t clock() { return (clock_t)__builtin_readcyclecounter(); }
TESSERA_FUNCTION void __trap() { __tessera_fail("__trap()", __FILE__, 0); }
TESSERA_FUNCTION void __brkpt() {}

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __tessera_fail(#condition, __FILE__, __LINE__))
#endif
