// Calls of functions in other code for a device, and the addresses that they take.
#include "tessera/kernel/lower/calls/host.h"

#include <algorithm>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"

namespace tessera::kernel {

namespace {

/// Why the elements of a view of this array may not follow one another; null if they do.
const char* why_apart(Lowering& l, const ArrayView& view, const ArrayView::Base& base) {
  const auto is = [&](ir::Value value, int64_t number) {
    const Scalar* known = l.constant_of(l.scalar(value));
    return known && known->as_int() == number;
  };
  const std::vector<ir::Value> extents = shape_of(l, {base.array, {}}).values;
  if (!std::ranges::is_sorted(base.kept)) return "it is transposed";
  int expected = base.array->axes - 1, last = -1;
  bool is_part = false;
  for (size_t axis = view.axes.size(); axis-- > 0;) {
    const auto [step, extent] = view.axes[axis];
    const int along = base.kept[axis];
    if (is(extent, 1)) continue;
    if (along < 0) return "it repeats elements";
    if (along == last) {  // of a reshaped array
      const ArrayView::Axis& inner = view.axes[axis + 1];
      if (step != l.b.mul(inner.step, inner.extent)) return "it has a step";
      continue;
    }
    if (!is(step, 1)) return "it has a step";
    if (along != expected) return "it is indexed along an axis behind one that is left";
    if (is_part) return "it has a part of each row";
    last = along;
    expected = along - 1;
    const auto at = static_cast<size_t>(along);
    is_part = !is(base.begins[at], 0) || extent != extents[at];
  }
  return nullptr;
}

Item address_of(Lowering& l, const Node& node, const Item& array) {
  ir::Builder& b = l.b;
  if (l.options.is_function) l.refuse(node, "the address of an array outside kernels", "a kernel with @cuda.jit");
  const ArrayView view = view_of(l, array);
  for (const ArrayView::Base& base : view.bases) {
    if (base.array->is_constant) l.fail(node, "the address of an array outside the kernel", "pass it as an argument");
    if (const char* why = why_apart(l, view, base))
      l.fail(node, format("the address of a view whose elements may lie apart: {}", why),
             "an array, whole rows that follow one another, a part of one row, or a copy of them");
  }
  const std::vector<ir::Value> first(view.axes.size(), b.constant(DType::int64, 0));
  return {TypeParts{.kind = TypeKind::pointer, .dtype = array.type->dtype},
          for_base(l, element_at(l, view, first), [&](const ArrayView::Base& base) {
            const std::vector<ir::Value> at = address(l, base);
            const bool is_array = base.array->kind == TypeKind::array;
            return std::vector{b.address(is_array ? ir::Opcode::address_array : ir::Opcode::address,
                                         l.memory.number_of(base.array), at)};
          })};
}

Item lower_from_buffer(Lowering& l, const Builtin& self, const Call& call) {
  return address_of(l, call.node, array_argument(l, self, call));
}

}  // namespace

Item HostCalls::call_foreign(const Node& node, const std::shared_ptr<const ForeignDeclaration>& called) {
  const ir::ForeignFunction& function = called->function;
  if (l_.options.is_function || l_.options.is_body)
    l_.refuse(node, format("{} is code for a GPU, which only kernels call", function.name), "a kernel with @cuda.jit");
  const auto is_other = [&](const auto& known) {
    return known->function.name == function.name && known->function != function;
  };
  if (std::ranges::any_of(foreign_, is_other))
    l_.fail(node, format("{} is declared with two signatures in one kernel", function.name));
  std::vector<std::string> names;
  for (size_t k = 0; k < function.parameters.size(); ++k) names.push_back(format("argument {}", k));
  const Call call = arrange(l_, node, function.name, names, names.size(), lower_positional(l_, node));
  std::vector<ir::Value> values;
  for (size_t k = 0; k < names.size(); ++k) {
    const Item& given = call.args[k];
    if (called->takes_address[k]) {
      const bool fits =
          given.type->kind == TypeKind::pointer && (!called->pointed[k] || given.type->dtype == *called->pointed[k]);
      if (!fits)
        l_.fail(node,
                format("{}: argument {} is {}, not the address of {}", function.name, k, describe(given.type),
                       called->pointed[k] ? name(*called->pointed[k]) : "an array"),
                given.type.is_array() ? "ffi.from_buffer(array)" : "");
      values.push_back(given.values[0]);
      continue;
    }
    const DType wanted = function.parameters[k];
    if (!given.type.is_scalar() || (is_complex(given.type->dtype) && !is_complex(wanted)))
      l_.fail(node, format("{}: argument {} is {}, not {}", function.name, k, describe(given.type), wanted));
    values.push_back(l_.cast(given, wanted));
  }
  if (std::ranges::find(foreign_, called) == foreign_.end()) foreign_.push_back(called);
  const ir::Value result = b.call_foreign(b.add_foreign(function), values);
  return function.result ? l_.scalar(result) : Item{};
}

void add_foreign_builtins(std::vector<Builtin>& table) {
  table.push_back({.name = "cffi.from_buffer", .parameters = "array", .lower = lower_from_buffer});
}

}  // namespace tessera::kernel
