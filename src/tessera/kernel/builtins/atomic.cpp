// Atomic operations on elements; each returns the element's value before it.
#include "tessera/kernel/builtins/builtins.h"

#include "tessera/kernel/values/array/index.h"

namespace tessera::kernel {

namespace {

using ir::AtomicKind;

/// An array in memory, or the parts of one of complex numbers.
struct Target {
  Item array;
  DType dtype;
  bool is_imaginary = false;
};

Target target_of(Lowering& l, const Builtin& self, const Call& call, bool bitwise) {
  const Item& given = call.args[0];
  Target target{given, given.type->dtype};
  if (given.computed && given.computed->whole)
    target = {*given.computed->whole, given.type->dtype, given.computed->is_imaginary};
  if (!target.array.type.is_array())
    l.fail(call.node, format("{} takes an array, not {}", self.name, describe(given.type)));
  const DType t = target.dtype;
  const bool real = is_floating(t) && itemsize(t) >= 4 && !bitwise;
  if (!is_integer(t) && !real)
    l.fail(call.node, format("{} on elements of {}", self.name, t), is_complex(t) ? "array.real and array.imag" : "");
  return target;
}

ir::Value operand(Lowering& l, const Call& call, DType dtype, size_t k) {
  const Item& item = call.args[k];
  if (!item.type.is_scalar()) l.fail(call.node, format("a value of {} for an element", describe(item.type)));
  if (is_complex(item.type->dtype)) l.fail(call.node, "a complex value for an element of a real array");
  return l.cast(item, dtype);
}

/// What `body` makes of the element at an index of the array, in whichever array it is.
Item update(Lowering& l, const Call& call, const Item& array, const Item& index,
            const std::function<ir::Value(const Type& array, const std::vector<ir::Value>& at)>& body) {
  const ArrayView element = sub_view(l, call.node, array, index);
  if (!element.axes.empty())
    l.fail(call.node, format("an atomic operation on {}", describe(element.type())), "the index of one element");
  return l.scalar(for_base(l, element, [&](const ArrayView::Base& base) {
    if (base.array->is_constant)
      l.fail(call.node, "an array outside the kernel is assigned; its elements are constants");
    const std::vector<ir::Value> at = address(l, base);
    const AtNode at_node(l, call.node);
    l.checks.check_access(Access::atomic, base, at);
    return std::vector{body(base.array, at)};
  })[0]);
}

template <AtomicKind kind>
Item lower_atomic(Lowering& l, const Builtin& self, const Call& call) {
  constexpr bool counts = kind == AtomicKind::increment || kind == AtomicKind::decrement;
  const Target to = target_of(l, self, call, counts || (kind >= AtomicKind::bit_and && kind <= AtomicKind::bit_xor));
  if (counts && !is_unsigned_integer(to.dtype))
    l.fail(call.node, format("{} on elements of {}", self.name, to.dtype), "an array of uint32 or uint64");
  const ir::Value value = operand(l, call, to.dtype, 2);
  return update(l, call, to.array, call.args[1], [&](const Type& array, const std::vector<ir::Value>& at) {
    const uint32_t number = l.memory.number_of(array);
    if (array->kind == TypeKind::array) return l.b.atomic_array(kind, number, value, at[0], to.is_imaginary);
    return l.b.atomic(kind, number, value, at, to.is_imaginary);
  });
}

Item compare_exchange(Lowering& l, const Builtin& self, const Call& call, const Item& index, size_t first) {
  const Target to = target_of(l, self, call, false);
  const ir::Value expected = operand(l, call, to.dtype, first), value = operand(l, call, to.dtype, first + 1);
  return update(l, call, to.array, index, [&](const Type& array, const std::vector<ir::Value>& at) {
    const uint32_t number = l.memory.number_of(array);
    if (array->kind == TypeKind::array)
      return l.b.compare_exchange_array(number, expected, value, at[0], to.is_imaginary);
    return l.b.compare_exchange(number, expected, value, at, to.is_imaginary);
  });
}

Item lower_cas(Lowering& l, const Builtin& self, const Call& call) {
  return compare_exchange(l, self, call, call.args[1], 2);
}

Item lower_compare_and_swap(Lowering& l, const Builtin& self, const Call& call) {
  return compare_exchange(l, self, call, l.constant(0), 1);
}

}  // namespace

void add_atomic_builtins(std::vector<Builtin>& table) {
  constexpr std::string_view parameters = "ary idx val";
  table.push_back({"cuda.atomic.add", parameters, lower_atomic<AtomicKind::add>});
  table.push_back({"cuda.atomic.sub", parameters, lower_atomic<AtomicKind::sub>});
  table.push_back({"cuda.atomic.min", parameters, lower_atomic<AtomicKind::min>});
  table.push_back({"cuda.atomic.max", parameters, lower_atomic<AtomicKind::max>});
  table.push_back({"cuda.atomic.nanmin", parameters, lower_atomic<AtomicKind::min_num>});
  table.push_back({"cuda.atomic.nanmax", parameters, lower_atomic<AtomicKind::max_num>});
  table.push_back({"cuda.atomic.inc", parameters, lower_atomic<AtomicKind::increment>});
  table.push_back({"cuda.atomic.dec", parameters, lower_atomic<AtomicKind::decrement>});
  table.push_back({"cuda.atomic.and_", parameters, lower_atomic<AtomicKind::bit_and>});
  table.push_back({"cuda.atomic.or_", parameters, lower_atomic<AtomicKind::bit_or>});
  table.push_back({"cuda.atomic.xor", parameters, lower_atomic<AtomicKind::bit_xor>});
  table.push_back({"cuda.atomic.exch", parameters, lower_atomic<AtomicKind::exchange>});
  table.push_back({"cuda.atomic.cas", "ary idx old val", lower_cas});
  table.push_back({"cuda.atomic.compare_and_swap", "ary old val", lower_compare_and_swap});
}

}  // namespace tessera::kernel
