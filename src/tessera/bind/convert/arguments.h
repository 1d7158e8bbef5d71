/// Arguments: reads a method's positional and keyword arguments one at a time, without building tuples or dicts.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// References are borrowed throughout; an absent argument is null. Throws TypeError as Python's own functions do.
class Arguments {
 public:
  Arguments(const char* function, PyObject* const* args, Py_ssize_t nargs, PyObject* names)
      : function_(function), args_(args), nargs_(nargs), names_(names) {}

  int positional() const { return static_cast<int>(nargs_); }
  PyObject* operator[](int i) const { return args_[i]; }
  /// The keyword argument `name`.
  PyObject* take(const char* name);
  /// Positional argument i, or the keyword argument `name`.
  PyObject* at(int i, const char* name);
  /// The same for a required argument.
  PyObject* needed(int i, const char* name);
  /// Throws TypeError for keywords that were not taken, and for more than `most` positional arguments (any number when
  /// negative).
  void finish(int most = -1) const;

 private:
  const char* function_;
  PyObject* const* args_;
  Py_ssize_t nargs_;
  PyObject* names_;
  Py_ssize_t taken_ = 0;
};

/// NumPy's copy= argument.
enum class CopyChoice { never, if_needed, always };
/// Converts copy=; None and absent mean if_needed.
CopyChoice to_copy_choice(PyObject* copy);

}  // namespace tessera::bind
