/// TypeRecord: the types of a function's expressions, as a run of lowering found them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// An expression in an unrolled loop may have several types.
class TypeRecord {
 public:
  void note(const Node& expression, const Type& type);
  /// "int64", "int64 or float64"; empty where the expression was not reached.
  std::string describe(const Node& expression) const;
  void clear() { types_.clear(); }

 private:
  std::map<const Node*, std::vector<Type>> types_;
};

}  // namespace tessera::kernel
