/// KernelLaunch: a user's kernel with a grid and a block, called with the arguments.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "tessera/bind/kernel/calls/captured_names.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/graph/array.h"

namespace tessera::bind {

/// The arguments of a launch: tuples are flattened, None is nothing.
struct GivenArguments {
  std::vector<uint32_t> types;  // one word for each argument, tuple and element
  std::vector<Array> arrays;
  std::vector<Scalar> scalars;

  /// Whether the object is one that the engine takes as it is: its array, a number, None, a tuple of them.
  bool add(PyObject* object);
};

/// A kernel's versions by the types of the arguments.
class Specializations {
 public:
  /// `positional`: the number of parameters where all may be given by place, else -1.
  Specializations(nanobind::object names, int64_t positional)
      : owner_(std::move(names)), names_(nanobind::cast<CapturedNames*>(owner_)), positional_(positional) {}
  Specializations(const Specializations&) = delete;
  Specializations& operator=(const Specializations&) = delete;

  int64_t positional() const { return positional_; }
  /// Whether a name has another value than when the versions were compiled. Then they are to be forgotten.
  bool is_stale() { return has_compiled_ && names_->refresh() != compiled_at_; }
  /// A version has been compiled with the values that the names have now.
  void note_compiled() {
    has_compiled_ = true;
    compiled_at_ = names_->refresh();
  }
  void clear() {
    entries_.clear();
    has_compiled_ = false;
  }
  PyObject* owner() const { return owner_.ptr(); }
  const CompiledKernel* find(const std::vector<uint32_t>& types) const;
  const CompiledKernel& add(std::vector<uint32_t> types, CompiledKernel compiled);

 private:
  struct Entry {
    std::vector<uint32_t> types;
    CompiledKernel compiled;
  };
  std::deque<Entry> entries_;  // references to them stay valid
  nanobind::object owner_;     // of the names
  CapturedNames* names_;
  uint64_t compiled_at_ = 0;
  bool has_compiled_ = false;
  int64_t positional_;
};

class KernelLaunch {
 public:
  /// `kernel` is tessera.cuda's object; `configuration` is what stands in the brackets: grid, block, stream, bytes of
  /// shared memory. Throws for what is no grid or block.
  KernelLaunch(nanobind::object kernel, Specializations& known, nanobind::handle configuration);

  /// Launches the kernel. Arguments of other kinds than the engine's, such as NumPy's arrays, go through the kernel's
  /// method _launch_copies.
  void call(PyObject* arguments, PyObject* named) const;
  const LaunchShape& shape() const { return shape_; }
  /// Shows Python's collector what the launch refers to.
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(kernel_.ptr());
    Py_VISIT(stream_.ptr());
    return 0;
  }
  /// The user's stream; None for the default one, and where kernels run on the host.
  const nanobind::object& stream() const { return stream_; }

 private:
  void take_stream(nanobind::handle stream);

  nanobind::object kernel_;
  nanobind::object stream_ = nanobind::none();  // that shape_ refers to
  Specializations& known_;                      // the kernel's
  LaunchShape shape_;
};

/// Launches a compiled kernel; scalars are converted to the types of its parameters.
void launch_kernel(const CompiledKernel& compiled, LaunchShape shape, std::span<const Array> arrays,
                   std::span<Scalar> scalars);

}  // namespace tessera::bind
