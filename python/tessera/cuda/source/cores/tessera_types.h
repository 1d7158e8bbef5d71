// Type traits that the other headers need, and std's names of them.
#pragma once

namespace std {
template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  __attribute__((host, device)) constexpr operator T() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool b>
using bool_constant = integral_constant<bool, b>;
template <bool b, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  typedef T type;
};
template <bool b, class T = void>
using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F>
struct conditional {
  typedef T type;
};
template <class T, class F>
struct conditional<false, T, F> {
  typedef F type;
};
template <bool b, class T, class F>
using conditional_t = typename conditional<b, T, F>::type;
template <class T, class U>
struct is_same : false_type {};
template <class T>
struct is_same<T, T> : true_type {};
template <class T>
struct remove_const {
  typedef T type;
};
template <class T>
struct remove_const<const T> {
  typedef T type;
};
template <class T>
struct remove_volatile {
  typedef T type;
};
template <class T>
struct remove_volatile<volatile T> {
  typedef T type;
};
template <class T>
struct remove_cv {
  typedef typename remove_const<typename remove_volatile<T>::type>::type type;
};
template <class T>
struct remove_reference {
  typedef T type;
};
template <class T>
struct remove_reference<T&> {
  typedef T type;
};
template <class T>
struct remove_reference<T&&> {
  typedef T type;
};
template <class T>
struct remove_pointer {
  typedef T type;
};
template <class T>
struct remove_pointer<T*> {
  typedef T type;
};
template <class T>
struct add_pointer {
  typedef typename remove_reference<T>::type* type;
};
template <class T>
struct decay {
  typedef typename remove_cv<typename remove_reference<T>::type>::type type;
};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <class T>
using decay_t = typename decay<T>::type;
template <class T>
struct is_integral : bool_constant<__is_integral(T)> {};
template <class T>
struct is_floating_point : bool_constant<__is_floating_point(T)> {};
template <class T>
struct is_arithmetic : bool_constant<__is_arithmetic(T)> {};
template <class T>
struct is_signed : bool_constant<__is_signed(T)> {};
template <class T>
struct is_unsigned : bool_constant<__is_unsigned(T)> {};
template <class T>
struct is_pointer : bool_constant<__is_pointer(T)> {};
template <class T>
struct is_void : bool_constant<__is_void(T)> {};
template <class T>
struct is_const : bool_constant<__is_const(T)> {};
template <class T>
struct is_class : bool_constant<__is_class(T)> {};
template <class T>
struct is_enum : bool_constant<__is_enum(T)> {};
template <class T>
struct is_empty : bool_constant<__is_empty(T)> {};
template <class T>
struct is_reference : bool_constant<__is_reference(T)> {};
template <class T>
struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class B, class D>
struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class F, class T>
struct is_convertible : bool_constant<__is_convertible_to(F, T)> {};
template <class T>
struct make_unsigned {
  typedef __make_unsigned(T) type;
};
template <class T>
struct make_signed {
  typedef __make_signed(T) type;
};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <class T>
using make_signed_t = typename make_signed<T>::type;
template <class...>
using void_t = void;
#if __cplusplus >= 201402L
template <class T, class U>
constexpr bool is_same_v = is_same<T, U>::value;
template <class T>
constexpr bool is_integral_v = is_integral<T>::value;
template <class T>
constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T>
constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T>
constexpr bool is_signed_v = is_signed<T>::value;
template <class T>
constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T>
constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T>
constexpr bool is_class_v = is_class<T>::value;
template <class B, class D>
constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <class F, class T>
constexpr bool is_convertible_v = is_convertible<F, T>::value;
#endif
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
template <class T>
__attribute__((host, device)) T&& declval() noexcept;
template <class T>
__attribute__((host, device)) constexpr T&& forward(typename remove_reference<T>::type& x) noexcept {
  return static_cast<T&&>(x);
}
template <class T>
__attribute__((host, device)) constexpr T&& forward(typename remove_reference<T>::type&& x) noexcept {
  return static_cast<T&&>(x);
}
template <class T>
__attribute__((host, device)) constexpr typename remove_reference<T>::type&& move(T&& x) noexcept {
  return static_cast<typename remove_reference<T>::type&&>(x);
}
template <class T>
__attribute__((host, device)) constexpr void swap(T& a, T& b) {
  T c = move(a);
  a = move(b);
  b = move(c);
}
template <class T>
__attribute__((host, device)) constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
__attribute__((host, device)) constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T, int n>
struct __tessera_array_base {};
template <class A, class B>
struct pair {
  A first;
  B second;
};
template <class A, class B>
__attribute__((host, device)) constexpr pair<A, B> make_pair(A a, B b) {
  return {a, b};
}
template <class T, size_t n>
struct array {
  T elements[n ? n : 1];
  __attribute__((host, device)) constexpr T& operator[](size_t i) { return elements[i]; }
  __attribute__((host, device)) constexpr const T& operator[](size_t i) const { return elements[i]; }
  __attribute__((host, device)) constexpr size_t size() const { return n; }
  __attribute__((host, device)) constexpr T* begin() { return elements; }
  __attribute__((host, device)) constexpr T* end() { return elements + n; }
  __attribute__((host, device)) constexpr const T* begin() const { return elements; }
  __attribute__((host, device)) constexpr const T* end() const { return elements + n; }
  __attribute__((host, device)) constexpr T* data() { return elements; }
};
}  // namespace std
