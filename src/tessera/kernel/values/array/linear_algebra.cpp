#include "tessera/kernel/values/array/linear_algebra.h"

#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"

namespace tessera::kernel {

ir::Value call_linear_algebra(Lowering& l, const Node& node, LinearAlgebra routine, const std::vector<Item>& arrays) {
  std::vector<ir::Value> words{l.number(static_cast<int64_t>(routine)), l.number(static_cast<int64_t>(arrays.size()))};
  for (const Item& array : arrays) {
    const Item held = l.in_memory(node, array);
    const ArrayView view = view_of(l, held);
    words.push_back(l.number(static_cast<int64_t>(held.type->dtype)));
    words.push_back(l.number(static_cast<int64_t>(view.axes.size())));
    words.push_back(first_address(l, node, held));
    for (const ArrayView::Axis& axis : view.axes) words.push_back(axis.extent);
    for (const ir::Value stride : strides_of(l, view)) words.push_back(stride);
  }
  return call_host(l, HostFunction::linear_algebra, words);
}

bool takes_blas(const Lowering& l, const Item& left, const Item& right) {
  const auto is_plain = [](const Item& factor) {
    return factor.type.is_array() && factor.type->kind != TypeKind::choice && !factor.type->is_constant;
  };
  const DType dtype = left.type->dtype;
  const bool has_routines = dtype == DType::float32 || dtype == DType::float64 || is_complex(dtype);
  return l.options.is_function && has_routines && right.type->dtype == dtype && is_plain(left) && is_plain(right);
}

}  // namespace tessera::kernel
