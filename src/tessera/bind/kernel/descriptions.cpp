// What tessera.cuda says about global names and about arguments.
#include <nanobind/stl/string.h>

#include "tessera/base/error.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/kernel/kernel_function.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::ArgumentType;
using kernel::Entity;
using kernel::EntityKind;
using kernel::TypeKind;

namespace {

DType needed_dtype(nb::handle object) {
  const std::optional<DType> dtype = to_dtype(object.ptr());
  require<TypeError>(dtype.has_value(), "kernels do not compute with {}", nb::cast<std::string>(nb::str(object)));
  return *dtype;
}

Entity to_constant(nb::handle value) {
  const std::optional<Scalar> scalar = python_scalar(value.ptr());
  if (scalar) return {.kind = EntityKind::constant, .value = *scalar};
  return {.kind = EntityKind::other, .name = nb::cast<std::string>(nb::repr(value))};
}

EntityKind kind_of(const std::string& word) {
  if (word == "builtin") return EntityKind::builtin;
  if (word == "text") return EntityKind::text;
  if (word == "nothing") return EntityKind::nothing;
  if (word == "other") return EntityKind::other;
  invariant(word == "missing", "kernel: there are no names that are {}", word);
  return EntityKind::missing;
}

ArgumentType to_argument_type(nb::handle type) {
  const std::string kind = nb::cast<std::string>(type[0]);
  if (kind == "scalar") return {.kind = TypeKind::scalar, .dtype = needed_dtype(type[1])};
  if (kind == "array")
    return {.kind = TypeKind::buffer, .dtype = needed_dtype(type[1]), .axes = nb::cast<int>(type[2])};
  if (kind == "tuple") return {.kind = TypeKind::tuple, .elements = to_argument_types(type[1])};
  invariant(kind == "none", "kernel: there are no arguments of type {}", kind);
  return {.kind = TypeKind::none};
}

}  // namespace

Entity to_entity(nb::handle description) {
  const std::string kind = nb::cast<std::string>(description[0]);
  if (kind == "constant") return to_constant(description[1]);
  if (kind == "dtype") {
    Entity entity{.kind = EntityKind::dtype};
    entity.value.dtype = needed_dtype(description[1]);
    return entity;
  }
  if (kind == "function")
    return {.kind = EntityKind::function, .function = nb::cast<KernelFunction&>(description[1]).function};
  if (kind == "tuple") {
    Entity entity{.kind = EntityKind::tuple};
    for (nb::handle element : description[1]) entity.elements.push_back(to_entity(element));
    return entity;
  }
  Entity entity{.kind = kind_of(kind)};
  if (nb::len(description) > 1) entity.name = nb::cast<std::string>(description[1]);
  return entity;
}

std::vector<ArgumentType> to_argument_types(nb::handle types) {
  std::vector<ArgumentType> converted;
  for (nb::handle type : types) converted.push_back(to_argument_type(type));
  return converted;
}

}  // namespace tessera::bind
