// Arrays of a block's threads together and of each thread.
#include "tessera/kernel/builtins.h"

namespace tessera::kernel {

namespace {

/// The extents that a shape says, which must be known while compiling.
std::vector<int64_t> extents_of(Lowering& l, const Builtin& self, const Call& call) {
  const Item& shape = call.args[0];
  std::vector<Item> items{shape};
  if (shape.type.kind == TypeKind::tuple) {
    items.clear();
    for (size_t k = 0; k < shape.type.elements.size(); ++k) items.push_back(element(shape, k));
  }
  std::vector<int64_t> extents;
  for (const Item& item : items) {
    const Scalar* extent = l.constant_of(item);
    if (!extent || !is_integer(extent->dtype)) {
      l.fail(call.node, format("the shape of {} is not constant", self.name),
             "integers written out, or a global or closure variable");
    }
    if (extent->as_int() <= 0) l.fail(call.node, format("{} has an extent of {}", self.name, extent->as_int()));
    extents.push_back(extent->as_int());
  }
  constexpr size_t most_axes = 3;
  if (extents.empty() || extents.size() > most_axes)
    l.fail(call.node, format("{} has 1 to 3 axes, not {}", self.name, extents.size()));
  return extents;
}

Item make_array(Lowering& l, const Builtin& self, const Call& call, bool shared) {
  const std::vector<int64_t> extents = extents_of(l, self, call);
  const Type& dtype = call.args[1].type;
  if (dtype.kind != TypeKind::entity || dtype.entity.kind != EntityKind::dtype)
    l.fail(call.node, format("{} takes a dtype, not {}", self.name, describe(dtype)), "numpy.float32, for example");
  const DType element = dtype.entity.value.dtype;
  int64_t size = 1;
  for (int64_t extent : extents) size *= extent;
  constexpr int64_t most_bytes = 48 * 1024;
  if (shared && size * itemsize(element) > most_bytes) {
    l.fail(call.node, format("a shared array of {} bytes; a block has {}", size * itemsize(element), most_bytes));
  }
  Type type{.kind = TypeKind::array, .dtype = element, .axes = static_cast<int>(extents.size()), .extents = extents};
  type.id = l.b.add_array({.dtype = element, .size = size, .shared = shared});
  return {type, {}};
}

Item lower_shared(Lowering& l, const Builtin& self, const Call& call) { return make_array(l, self, call, true); }
Item lower_local(Lowering& l, const Builtin& self, const Call& call) { return make_array(l, self, call, false); }

}  // namespace

void add_array_builtins(std::vector<Builtin>& table) {
  table.push_back({.name = "cuda.shared.array", .parameters = "shape dtype", .lower = lower_shared});
  table.push_back({.name = "cuda.local.array", .parameters = "shape dtype", .lower = lower_local});
}

}  // namespace tessera::kernel
