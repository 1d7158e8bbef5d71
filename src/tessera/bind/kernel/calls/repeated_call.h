/// RepeatedCall: the short way of a call whose arguments are of the kinds of an earlier one, from Python's objects to
/// machine code.
#pragma once

#include <Python.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/bind/kernel/calls/call_arguments.h"
#include "tessera/bind/kernel/calls/compiled_function.h"
#include "tessera/ir/arguments.h"
#include "tessera/layout/dtype.h"

namespace tessera::bind {

/// It takes floats, integers, bools, NumPy's scalars and arrays, of which none that is written shares memory with
/// another. What the code gets is kept from call to call: only addresses, extents, strides and numbers are put in. For
/// functions that ask nothing of the host, which hold Python's lock and return numbers, tuples of them or arguments.
class RepeatedCall {
 public:
  /// After a call: what serves calls like it; null where they need more.
  static std::unique_ptr<RepeatedCall> after(const std::shared_ptr<const CompiledFunction>& function,
                                             const CallArguments& given, PyObject* const* arguments);

  /// A new reference to the result; null where the call is not like the first, has another number of arguments for one.
  /// Throws what the function raises.
  PyObject* call(PyObject* const* arguments, Py_ssize_t count);

 private:
  enum class Kind : uint8_t { floating, integer, boolean, scalar, object, array };
  /// An argument; of an array where its words are.
  struct Argument {
    Kind kind;
    bool is_contiguous = false;    // along its last axis
    PyTypeObject* type = nullptr;  // of a scalar of NumPy's, or of an object of a user's class
    int axes = 0;
    int flags = 0;        // of NumPy's that it must have
    int type_number = 0;  // NumPy's
    int64_t *word = nullptr, *strides = nullptr, *extents = nullptr;
    char** memory = nullptr;
    int64_t itemsize = 0;
    bool is_written = false;
  };
  enum class Result : uint8_t { none, number, tuple, object, argument };

  RepeatedCall() = default;
  static bool may_overlap_itself(const Argument& array);
  bool add(PyObject* object, const CallArguments& given);
  bool set_result(const kernel::Type& type);
  static bool take(const Argument& argument, PyObject* object);
  bool overlap() const;
  PyObject* result(PyObject* const* arguments) const;
  [[noreturn]] void fail();

  std::shared_ptr<const CompiledFunction> function_;
  std::vector<Argument> arguments_;
  std::vector<const Argument*> arrays_;
  std::vector<char*> memory_;
  std::vector<int64_t> axes_, scalars_, words_;  // strides and extents; two words each; the report and results
  size_t scalars_taken_ = 0, arrays_taken_ = 0, axes_taken_ = 0;
  ir::KernelArguments given_{};
  const std::atomic<ir::KernelEntry>* entry_ = nullptr;
  int64_t* results_ = nullptr;
  Result result_ = Result::none;
  std::vector<DType> dtypes_;  // of the result's numbers
  size_t returned_ = 0;        // the argument that is the result
  bool reports_ = false, writes_ = false;
};

}  // namespace tessera::bind
