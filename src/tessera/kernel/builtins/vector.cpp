// cuda.float32x4 and its like: tuples of x, y, z and w.
#include <array>
#include <deque>
#include <string>

#include "tessera/kernel/builtins/builtins.h"

namespace tessera::kernel {

namespace {

struct VectorElement {
  std::string_view name;
  DType dtype;
};

constexpr VectorElement vector_elements[] = {
    {"int8", DType::int8},       {"int16", DType::int16},     {"int32", DType::int32},   {"int64", DType::int64},
    {"uint8", DType::uint8},     {"uint16", DType::uint16},   {"uint32", DType::uint32}, {"uint64", DType::uint64},
    {"float32", DType::float32}, {"float64", DType::float64},
};

constexpr std::array part_names{"x", "y", "z", "w"};

DType element_of(std::string_view name) {
  for (const VectorElement& element : vector_elements)
    if (element.name == name) return element.dtype;
  std::unreachable();
}

void append_parts(Lowering& l, const Builtin& self, const Call& call, const Item& item, std::vector<Item>& found) {
  if (item.type->kind == TypeKind::tuple) {
    for (size_t k = 0; k < item.type->elements.size(); ++k) append_parts(l, self, call, element(item, k), found);
    return;
  }
  if (!item.type.is_scalar() || is_complex(item.type->dtype))
    l.fail(call.node, format("{} of {}", self.name, describe(item.type)), "real numbers and other vectors");
  found.push_back(l.scalar(l.cast(item, element_of(self.op))));
}

// Of numbers and other vectors, whose parts are taken one after the other.
Item lower_vector(Lowering& l, const Builtin& self, const Call& call) {
  const size_t count = static_cast<size_t>(self.name.back() - '0');
  std::vector<Item> found;
  for (const Item& item : call.args) append_parts(l, self, call, item, found);
  if (found.size() != count) l.fail(call.node, format("{} takes {} numbers, not {}", self.name, count, found.size()));
  return tuple_of(found, {part_names.begin(), part_names.begin() + static_cast<int64_t>(count)});
}

}  // namespace

void add_vector_builtins(std::vector<Builtin>& table) {
  static std::deque<std::string> names;
  for (const VectorElement& element : vector_elements) {
    for (size_t count = 1; count <= part_names.size(); ++count) {
      names.push_back(format("cuda.vector.{}x{}", element.name, count));
      table.push_back({names.back(), "*", lower_vector, element.name});
    }
  }
}

}  // namespace tessera::kernel
