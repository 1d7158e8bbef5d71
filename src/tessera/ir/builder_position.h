/// BuilderPosition: where building is, among regions, guards and functions.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/ir/builder.h"

namespace tessera::ir {

/// Of a builder that keeps no code: building may go back from inside a body that was not built to its end.
class BuilderPosition {
 public:
  explicit BuilderPosition(const Builder& b);
  void restore(Builder& b) const;

 private:
  size_t open_, guards_, functions_;
  std::vector<Value> due_;
  bool has_ended_;
};

}  // namespace tessera::ir
