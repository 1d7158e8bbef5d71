// Arrays of a block's threads together and of each thread.
#include <algorithm>
#include <iterator>
#include <utility>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"

namespace tessera::kernel {

namespace {

/// The extents that a shape says, which must be known while compiling.
std::vector<int64_t> extents_of(Lowering& l, const Builtin& self, const Call& call, bool shared) {
  const Item& shape = call.args[0];
  std::vector<Item> items{shape};
  if (shape.type->kind == TypeKind::tuple) {
    items.clear();
    for (size_t k = 0; k < shape.type->elements.size(); ++k) items.push_back(element(shape, k));
  }
  std::vector<int64_t> extents;
  for (const Item& item : items) {
    const Scalar* extent = l.constant_of(item);
    if (!extent || !is_integer(extent->dtype)) {
      l.fail(call.node, format("the shape of {} is not constant", self.name),
             "integers written out, or a global or closure variable");
    }
    const bool is_dynamic = shared && extent->as_int() == 0 && items.size() == 1;
    if (extent->as_int() <= 0 && !is_dynamic)
      l.fail(call.node, format("{} has an extent of {}", self.name, extent->as_int()));
    extents.push_back(extent->as_int());
  }
  constexpr size_t most_axes = 3;
  if (extents.empty() || extents.size() > most_axes)
    l.fail(call.node, format("{} has 1 to 3 axes, not {}", self.name, extents.size()));
  return extents;
}

Item make_plain_array(Lowering& l, const Call& call, const std::vector<int64_t>& extents, DType element, bool shared) {
  int64_t size = 1;
  for (int64_t extent : extents) size *= extent;
  constexpr int64_t most_bytes = 48 * 1024;
  if (shared && size * itemsize(element) > most_bytes) {
    l.fail(call.node, format("a shared array of {} bytes; a block has {}", size * itemsize(element), most_bytes));
  }
  TypeParts type{
      .kind = TypeKind::array, .dtype = element, .axes = static_cast<int>(extents.size()), .extents = extents};
  type.base_axes = type.axes;
  type.id = l.memory.add_array(call.node, {.dtype = element, .size = size, .shared = shared});
  return {type, {}};
}

Item make_array_of(Lowering& l, const Call& call, std::vector<int64_t> extents, const Entity& element, bool shared) {
  const auto axes = static_cast<int>(extents.size());
  extents.insert(extents.end(), element.shape.begin(), element.shape.end());
  if (element.kind == EntityKind::dtype) return make_plain_array(l, call, extents, element.value.dtype, shared);
  std::vector<Item> fields;
  for (const Entity& field : element.elements) fields.push_back(make_array_of(l, call, extents, field, shared));
  return joined_of({.kind = TypeKind::record, .id = element.layout, .axes = axes, .names = element.names}, fields);
}

/// Arrays begin at multiples of 64 bytes at least; greater alignments have no meaning that a kernel could see.
void check_alignment(Lowering& l, const Builtin& self, const Call& call) {
  if (call.args[2].type->kind == TypeKind::none) return;
  const Scalar* alignment = l.constant_of(call.args[2]);
  if (!alignment || !is_integer(alignment->dtype))
    l.fail(call.node, format("RequireLiteralValue: {}: alignment must be a constant integer", self.name),
           "16, for example");
  const int64_t bytes = alignment->as_int();
  constexpr int64_t least = 8;
  if (bytes <= 0 || (bytes & (bytes - 1)) != 0 || bytes % least != 0)
    throw ValueError(l.text_of(
        call.node, format("Alignment must be a positive power of two and a multiple of {}, not {}", least, bytes)));
}

/// The type of the second argument, that of the dtype itself where it is a dtype's name.
Type dtype_of_text(Lowering& l, const Call& call) {
  const Type& type = call.args[1].type;
  if (type->kind != TypeKind::entity || type->entity.kind != EntityKind::text) return type;
  const std::optional<DType> named = dtype_named(type->entity.name);
  if (!named)
    l.fail(call.node, format("Invalid NumPy dtype specified: '{}'", type->entity.name), "'float32', for example");
  Entity dtype{.kind = EntityKind::dtype};
  dtype.value.dtype = *named;
  return Type::of_entity(std::move(dtype));
}

Item make_array(Lowering& l, const Builtin& self, const Call& call, bool shared) {
  const std::vector<int64_t> extents = extents_of(l, self, call, shared);
  const Type dtype = dtype_of_text(l, call);
  const bool known = dtype->entity.kind == EntityKind::dtype || dtype->entity.kind == EntityKind::record;
  if (dtype->kind != TypeKind::entity || !known)
    l.fail(call.node, format("{} takes a dtype, not {}", self.name, describe(dtype)), "numpy.float32, for example");
  if (extents[0] == 0 && (dtype->entity.kind == EntityKind::record || !dtype->entity.shape.empty()))
    l.refuse(call.node, "dynamic shared memory has numbers as elements", "an array for each field, one slice each");
  check_alignment(l, self, call);
  return make_array_of(l, call, extents, dtype->entity, shared);
}

Item lower_array_like(Lowering& l, const Builtin& self, const Call& call) {
  const Type& type = call.args[0].type;
  const auto is_constant = [](const Type& field) { return field->is_constant || field->kind == TypeKind::record; };
  if (type->kind == TypeKind::record && std::ranges::all_of(type->elements, is_constant)) return call.args[0];
  if (!type->is_constant)
    l.fail(call.node, format("{} takes an array outside the kernel, not {}", self.name, describe(call.args[0].type)),
           "a NumPy array that is a global or closure variable");
  return call.args[0];
}

Item lower_shared(Lowering& l, const Builtin& self, const Call& call) { return make_array(l, self, call, true); }

Item lower_local(Lowering& l, const Builtin& self, const Call& call) { return make_array(l, self, call, false); }

// Numba's words, which programs match.
void check_index(Lowering& l, const Call& call) {
  const Type& index = call.args[1].type;
  if (index.is_scalar() && !is_integer(index->dtype))
    l.fail(call.node, format("{} is not a valid index", index->dtype), "an integer, such as int(x)");
}

template <ir::CacheHint hint>
Item lower_load(Lowering& l, const Builtin& self, const Call& call) {
  check_index(l, call);
  const Item element = l.with_hint(hint, [&] { return subscript(l, call.node, call.args[0], call.args[1]); });
  if (!call.args[0].type.is_array() || !element.type.is_scalar())
    l.fail(call.node, format("{} takes an array and the index of one element", self.name));
  return element;
}

template <ir::CacheHint hint>
Item lower_store(Lowering& l, const Builtin& self, const Call& call) {
  check_index(l, call);
  if (!call.args[2].type.is_scalar()) l.fail(call.node, format("{} stores a number", self.name));
  l.with_hint(hint, [&] { store(l, call.node, call.args[0], call.args[1], call.args[2]); });
  return {};
}

}  // namespace

void add_array_builtins(std::vector<Builtin>& table) {
  table.push_back({.name = "cuda.shared.array", .parameters = "shape dtype alignment=", .lower = lower_shared});
  table.push_back({.name = "cuda.local.array", .parameters = "shape dtype alignment=", .lower = lower_local});
  using enum ir::CacheHint;
  table.push_back({"cuda.ldca", "array i", lower_load<ir::CacheHint::all>});
  table.push_back({"cuda.ldcg", "array i", lower_load<second_level>});
  table.push_back({"cuda.ldcs", "array i", lower_load<streaming>});
  table.push_back({"cuda.ldlu", "array i", lower_load<last_use>});
  table.push_back({"cuda.ldcv", "array i", lower_load<reread>});
  table.push_back({"cuda.stcg", "array i value", lower_store<second_level>});
  table.push_back({"cuda.stcs", "array i value", lower_store<streaming>});
  table.push_back({"cuda.stwb", "array i value", lower_store<write_back>});
  table.push_back({"cuda.stwt", "array i value", lower_store<write_through>});
  table.push_back({.name = "cuda.const.array_like", .parameters = "ndarray", .lower = lower_array_like});
}

}  // namespace tessera::kernel
