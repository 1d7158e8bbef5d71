#include "tessera/engine/support/common_ops.h"

#include <algorithm>
#include <cstdlib>

#include "tessera/base/error.h"

namespace tessera::engine {

const CommonOps& CommonOps::get() {
  static const CommonOps common = [] {
    CommonOps result;
    const ops::OpTable& table = ops::OpTable::standard();
    auto find = [&](std::string_view name, auto& by_dtype) {
      const ops::Op* op = table.find(name);
      invariant(op != nullptr, "no op named {}", name);
      by_dtype.fill(nullptr);
      for (const ops::Signature& signature : op->signatures)
        by_dtype[static_cast<size_t>(signature.out[0])] = &signature;
      return op;
    };
    result.copy = find("copy", result.copies);
    result.fill = find("fill", result.fills);
    result.select = find("select", result.selects);
    result.evenly_spaced = find("evenly_spaced", result.spaced);
    result.evenly_spaced_to = find("evenly_spaced_to", result.spaced_to);
    return result;
  }();
  return common;
}

}  // namespace tessera::engine
