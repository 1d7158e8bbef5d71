/// CompiledFunction: a user's function for one list of argument types, called by the host.
#pragma once

#include <Python.h>

#include <nanobind/nanobind.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/bind/array/object.h"
#include "tessera/bind/kernel/calls/call_arguments.h"
#include "tessera/engine/kernels/function_arguments.h"
#include "tessera/graph/array.h"
#include "tessera/kernel/compile.h"

namespace tessera::bind {

struct HostCalls;

class CompiledFunction {
 public:
  CompiledFunction(kernel::Compiled compiled, std::vector<Array> constants, bool unlocks);

  /// Makes the arrays' memory known, which waits for tessera's.
  void settle(CallArguments& given) const;
  /// Whether an array that the function writes shares memory with another, where it was compiled for arrays that do
  /// not.
  bool overlap_matters(const CallArguments& given) const;
  /// A new reference to what the function returns.
  PyObject* call(CallArguments& given, PyObject* const* objects, Py_ssize_t count, uint64_t literals) const;  // settled

  // Of a generator, which is called for each value, with the address of its frame as the last of the scalars:
  /// Adds the function's own memory, which stays; the views of all of it.
  std::span<const View> complete(CallArguments& given) const;
  /// Calls it with what is completed; throws what it raises.
  void run(CallArguments& given, std::span<const View> views, HostCalls& made, FunctionCode& code,
           bool are_alike = true) const;
  /// A new reference to the value whose words are these.
  PyObject* read_yielded(const int64_t* words, CallArguments& given, HostCalls& made) const;
  bool has_raised(const CallArguments& given) const;
  /// The word that says so.
  const int64_t* raised_word(const CallArguments& given) const;
  /// Throws what it has raised, if anything.
  void throw_raised(CallArguments& given, const HostCalls& made) const;

  const ir::Kernel& kernel() const { return *compiled_.kernel; }
  std::shared_ptr<const ir::Kernel> shared_kernel() const { return compiled_.kernel; }
  const std::vector<std::pair<std::string, std::string>>& variables() const { return compiled_.variables; }
  const std::vector<kernel::ParallelNote>& parallel_notes() const { return compiled_.loops.notes; }
  const kernel::Compiled& compiled() const { return compiled_; }
  const std::vector<Array>& constants() const { return constants_; }
  /// Of its report, its lines and its results, of heaps and of constants, as far as it has them.
  std::span<const View> own_views() const { return own_views_; }
  /// Whether it asks nothing of the host, prints nothing, reads no arrays but its arguments and holds Python's lock.
  bool is_plain() const;
  /// The same of one that may read words in memory, such as a generator's frame.
  bool asks_nothing() const;
  /// The code that ran last.
  const FunctionCode& code() const { return last_; }
  /// Whether it has objects of users' classes.
  bool has_objects() const { return has_objects_; }
  std::string result_type() const { return kernel::describe(compiled_.result); }

 private:
  kernel::Compiled compiled_;
  std::vector<Array> constants_;
  std::array<size_t, 3> own_words_;  // of its report, its lines and its results, each 0 where there is none
  std::vector<View> own_views_;      // of these, of heaps and of constants: the buffers behind the arrays
  mutable FunctionCode last_;
  bool unlocks_, has_objects_ = false;
};

/// A new reference to the value of an object's field, of a type that arguments have, from its words.
PyObject* read_field(const kernel::Type& type, const int64_t* words);
/// What holds the memory of an array of NumPy's in fields of objects.
struct KeptMemory;
KeptMemory* memory_of_array(PyObject* array);

/// The least number of iterations of prange that a thread takes at once, of functions that this thread calls; 0 where
/// none was set.
int64_t& parallel_chunk_size();

/// Adds the type of functions to the module of kernels.
void bind_function_type(nanobind::module_& kernels);

}  // namespace tessera::bind
