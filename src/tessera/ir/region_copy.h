/// RegionCopy: copies instructions of one kernel into another that is being built.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tessera/ir/builder.h"

namespace tessera::ir {

/// Values, arrays of a lane or a block, and functions in other code have other numbers in the copy. Buffers, scalars
/// and functions keep theirs; arrays do, too, where there are functions, which refer to them.
class RegionCopy {
 public:
  RegionCopy(Builder& to, const Kernel& from);

  /// What `value` is in the copy; no_value where it has not been copied.
  Value operator[](Value value) const { return values_[value]; }
  void set(Value value, Value copy) { values_[value] = copy; }

  /// Copies the region's instructions into the open one. `handle` sees each first: where it returns true it has dealt
  /// with it.
  using Handler = std::function<bool(Value)>;
  void copy(const Region& region, const Handler& handle);
  /// Copies one instruction.
  void copy(Value v, const Handler& handle);

 private:
  RegionId copy_regions(const Instruction& i, const Handler& handle);

  Builder& to_;
  const Kernel& from_;
  std::vector<Value> values_;
  std::vector<uint32_t> arrays_;
};

}  // namespace tessera::ir
