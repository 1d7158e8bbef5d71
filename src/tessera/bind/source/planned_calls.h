/// PlannedCalls: calls of a kernel that is generated for its arguments' dtypes and layouts, ready to be launched.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tessera/bind/source/source_kernel.h"
#include "tessera/layout/view.h"

namespace tessera::bind {

class PlannedCalls {
 public:
  /// `given_outputs`: arguments from this one on are returned.
  PlannedCalls(int64_t given_outputs, bool returns_nothing, bool returns_tuple)
      : given_outputs_(given_outputs), returns_nothing_(returns_nothing), returns_tuple_(returns_tuple) {}

  /// Launches the kernel planned for such arguments and returns its outputs; NotImplemented where none is.
  nanobind::object call(nanobind::tuple arguments, nanobind::handle variant, int64_t block, nanobind::handle stream);
  /// `outputs`: shapes and dtypes of the arrays that a call makes. `in_memory`: which of the arguments and outputs are
  /// passed whatever their layout. `behind`: the kernel's further arguments. Without blocks nothing is launched.
  void add(nanobind::tuple arguments, nanobind::handle variant, int64_t block, nanobind::object kernel, int64_t blocks,
           nanobind::list outputs, std::vector<bool> in_memory, nanobind::tuple behind);
  size_t size() const { return plans_.size(); }

 private:
  using Key = std::vector<uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Output {
    Dims shape;
    DType dtype;
  };
  struct Plan {
    nanobind::object kernel;
    const SourceKernel* launched = nullptr;  // the same
    int64_t blocks = 0;
    std::vector<Output> outputs;
    std::vector<bool> in_memory;
    nanobind::tuple behind;
  };
  /// False for arguments that need preparation; else `key_` is theirs.
  bool find_key(nanobind::handle arguments, nanobind::handle variant, int64_t block);
  nanobind::object results(nanobind::handle arguments, const std::vector<nanobind::object>& made) const;

  int64_t given_outputs_;
  bool returns_nothing_, returns_tuple_;
  Key key_;
  std::unordered_map<Key, std::shared_ptr<const Plan>, KeyHash> plans_;
};

/// Base of kernels in Python that are called as `kernel(*arguments)`: such a call is looked up among its plans at once.
/// All others, and those that no plan is for, go to the method `_call`.
class PlannedKernel {
 public:
  static constexpr int64_t block = 256;

  /// The plans for calls without keywords; null for none.
  void set_plans(nanobind::object plans);
  /// From now on calls have to ask which stream is in use.
  static void note_streams_in_use() { are_streams_in_use_ = true; }
  static PyObject* call(PyObject* self, PyObject* arguments, PyObject* names);
  static int traverse(PyObject* self, visitproc visit, void* arg);

 private:
  nanobind::object plans_;
  PlannedCalls* calls_ = nullptr;  // the same
  static inline bool are_streams_in_use_ = false;
};

}  // namespace tessera::bind
