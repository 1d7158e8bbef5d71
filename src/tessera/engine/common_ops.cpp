#include "tessera/engine/common_ops.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

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

View layout_like(const Dims& shape, DType dtype, const View& like) {
  View view = View::contiguous(shape, dtype);
  if (like.ndim() != view.ndim() || has_falling_strides(like)) return view;
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  // Axes with stride 0 keep their position, as in NumPy.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const int64_t sa = std::abs(like.strides[a]);
    const int64_t sb = std::abs(like.strides[b]);
    return sa != 0 && sb != 0 && sa > sb;
  });
  int64_t stride = view.itemsize();
  for (size_t k = order.size(); k-- > 0;) {
    view.strides[order[k]] = stride;
    stride *= std::max<int64_t>(1, shape[order[k]]);
  }
  return view;
}

}  // namespace tessera::engine
