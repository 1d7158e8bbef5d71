/// The exceptions that tessera raises, and the checks that raise them.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "tessera/base/format.h"

namespace tessera {

/// The Python exception that an error maps to; `bind` maps each kind in one place.
enum class ErrorKind {
  value,
  type,
  ufunc_type,
  index,
  axis,
  memory,
  overflow,
  zero_division,
  floating_point,
  linalg,
  not_implemented,
  buffer,
  io,
  runtime,
  invariant,
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <ErrorKind K>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(const std::string& message) : Error(K, message) {}
};

using ValueError = ErrorOf<ErrorKind::value>;
using ShapeError = ErrorOf<ErrorKind::value>;
using TypeError = ErrorOf<ErrorKind::type>;
using UfuncTypeError = ErrorOf<ErrorKind::ufunc_type>;  // a TypeError in Python, of the class NumPy's ufuncs raise
using IndexError = ErrorOf<ErrorKind::index>;
using AxisError = ErrorOf<ErrorKind::axis>;
using OutOfMemory = ErrorOf<ErrorKind::memory>;
using OverflowError = ErrorOf<ErrorKind::overflow>;
using ZeroDivisionError = ErrorOf<ErrorKind::zero_division>;
using FloatingPointError = ErrorOf<ErrorKind::floating_point>;
using LinAlgError = ErrorOf<ErrorKind::linalg>;
using NotImplementedError = ErrorOf<ErrorKind::not_implemented>;
using BufferError = ErrorOf<ErrorKind::buffer>;
using IoError = ErrorOf<ErrorKind::io>;
using RuntimeError = ErrorOf<ErrorKind::runtime>;
using InvariantError = ErrorOf<ErrorKind::invariant>;

/// Throws E when a user's request is invalid: the message names the op, then the values.
template <class E, class... Args>
void require(bool condition, const char* pattern, const Args&... args) {
  if (!condition) [[unlikely]]
    throw E(format(pattern, args...));
}

/// Throws when tessera's own logic is wrong, so that a bug is never reported as a user's mistake.
template <class... Args>
void invariant(bool condition, const char* pattern, const Args&... args) {
  if (!condition) [[unlikely]]
    throw InvariantError("tessera internal error: " + format(pattern, args...));
}

}  // namespace tessera
