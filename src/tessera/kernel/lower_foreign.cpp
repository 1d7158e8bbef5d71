// Calls of functions in other code for a device, and the addresses that they take.
#include <algorithm>

#include "tessera/kernel/builtins.h"
#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

namespace {

Item lower_from_buffer(Lowering& l, const Builtin& self, const Call& call) {
  return l.address_of(call.node, array_argument(l, self, call));
}

}  // namespace

Item Lowering::address_of(const Node& node, const Item& array) {
  if (options_.is_function) refuse(node, "the address of an array outside kernels", "a kernel with @cuda.jit");
  const ArrayView view = view_of(array);
  const auto is_one = [&](const ArrayView::Axis& axis) {
    const Scalar* step = constant_of(scalar(axis.step));
    return step && step->as_int() == 1;
  };
  bool is_dense = std::ranges::all_of(view.axes, is_one) && (!array.type.is_view || view.axes.size() <= 1);
  for (const ArrayView::Base& base : view.bases) {
    if (base.array.is_constant) fail(node, "the address of an array outside the kernel", "pass it as an argument");
    is_dense &= view.axes.empty() || base.kept.back() == base.array.axes - 1;
  }
  if (!is_dense) fail(node, "the address of a view whose elements may lie apart", "an array, or a part of one row");
  const std::vector<ir::Value> first(view.axes.size(), b.constant(DType::int64, 0));
  return {{.kind = TypeKind::pointer, .dtype = array.type.dtype},
          for_base(element_at(view, first), [&](const ArrayView::Base& base) {
            const std::vector<ir::Value> at = address(base);
            return std::vector{base.array.kind == TypeKind::array ? b.address_array(base.array.id, at[0])
                                                                  : b.address(base.array.id, at)};
          })};
}

Item Lowering::call_foreign(const Node& node, const std::shared_ptr<const ForeignDeclaration>& called) {
  const ir::ForeignFunction& function = called->function;
  if (options_.is_function || options_.is_body)
    refuse(node, format("{} is code for a GPU, which only kernels call", function.name), "a kernel with @cuda.jit");
  const auto is_other = [&](const auto& known) {
    return known->function.name == function.name && known->function != function;
  };
  if (std::ranges::any_of(foreign_, is_other))
    fail(node, format("{} is declared with two signatures in one kernel", function.name));
  std::vector<std::string> names;
  for (size_t k = 0; k < function.parameters.size(); ++k) names.push_back(format("argument {}", k));
  const Call call = arrange(node, function.name, names, names.size(), lower_positional(node));
  std::vector<ir::Value> values;
  for (size_t k = 0; k < names.size(); ++k) {
    const Item& given = call.args[k];
    if (called->takes_address[k]) {
      const bool fits = given.type.kind == TypeKind::pointer && given.type.dtype == called->pointed[k];
      if (!fits)
        fail(node,
             format("{}: argument {} is {}, not the address of {}", function.name, k, describe(given.type),
                    called->pointed[k]),
             given.type.is_array() ? "ffi.from_buffer(array)" : "");
      values.push_back(given.values[0]);
      continue;
    }
    const DType wanted = function.parameters[k];
    if (!given.type.is_scalar() || (is_complex(given.type.dtype) && !is_complex(wanted)))
      fail(node, format("{}: argument {} is {}, not {}", function.name, k, describe(given.type), wanted));
    values.push_back(cast(given, wanted));
  }
  if (std::ranges::find(foreign_, called) == foreign_.end()) foreign_.push_back(called);
  const ir::Value result = b.call_foreign(b.add_foreign(function), values);
  return function.result ? scalar(result) : Item{};
}

void add_foreign_builtins(std::vector<Builtin>& table) {
  table.push_back({.name = "cffi.from_buffer", .parameters = "array", .lower = lower_from_buffer});
}

}  // namespace tessera::kernel
