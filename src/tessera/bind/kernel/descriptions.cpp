// What tessera.cuda says about global names.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dates.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/kernel/host/host_object.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/bind/kernel/objects/type_object.h"
#include "tessera/bind/kernel/overloads.h"
#include "tessera/bind/kernel/type_words.h"
#include "tessera/kernel/values/characters/character_type.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::Entity;
using kernel::EntityKind;

namespace {

Entity to_constant(nb::handle value) {
  int64_t word = 0;
  if (const kernel::Unit unit = unit_of_number(value.ptr(), word))
    return {.kind = EntityKind::constant, .value = Scalar::of_int(DType::int64, word), .unit = unit};
  const std::optional<Scalar> scalar = python_scalar(value.ptr());
  if (scalar) return {.kind = EntityKind::constant, .value = *scalar};
  return {.kind = EntityKind::other, .name = nb::cast<std::string>(nb::repr(value))};
}

EntityKind entity_kind(const std::string& word) {
  if (word == "builtin") return EntityKind::builtin;
  if (word == "host") return EntityKind::host;
  if (word == "text") return EntityKind::text;
  if (word == "ellipsis") return EntityKind::ellipsis;
  if (word == "nothing") return EntityKind::nothing;
  if (word == "other") return EntityKind::other;
  invariant(word == "missing", "kernel: there are no names that are {}", word);
  return EntityKind::missing;
}

/// The names that stand at this place of a description, if there are any.
std::vector<std::string> names_of(nb::handle description, size_t place) {
  if (nb::len(description) <= place) return {};
  return nb::cast<std::vector<std::string>>(description[place]);
}

/// Of ("array", dtype, shape, bytes).
std::shared_ptr<const kernel::ConstantArray> to_constant_array(nb::handle description) {
  auto array = std::make_shared<kernel::ConstantArray>();
  array->unit = needed_unit(description[1]);
  array->dtype = array->unit ? DType::int64 : needed_dtype(description[1]);
  array->shape = nb::cast<std::vector<int64_t>>(description[2]);
  const nb::bytes bytes = nb::cast<nb::bytes>(description[3]);
  const auto* first = reinterpret_cast<const std::byte*>(bytes.c_str());
  array->bytes.assign(first, first + bytes.size());
  return array;
}

Entity of_function(const KernelFunction& known) { return {.kind = EntityKind::function, .function = known.function}; }

Entity of_type(const kernel::Type& type) {
  return {.kind = EntityKind::type, .value = Scalar::of_int(DType::int64, kernel::number_of_type(type))};
}

/// Of ("foreign", name, dtype of the result or None, (dtype, whether it is an address) of each parameter, where the
/// dtype at an address may be None, whether it is called by Numba's convention, whether it waits for other blocks, what
/// declares it).
std::shared_ptr<const kernel::ForeignDeclaration> to_foreign(nb::handle description) {
  auto declared = std::make_shared<kernel::ForeignDeclaration>();
  ir::ForeignFunction& function = declared->function;
  function.name = nb::cast<std::string>(description[1]);
  if (!description[2].is_none()) function.result = needed_dtype(description[2]);
  for (nb::handle parameter : description[3]) {
    const bool is_address = nb::cast<bool>(parameter[1]);
    std::optional<DType> dtype;
    if (nb::object given = parameter[0]; !given.is_none()) dtype = needed_dtype(given);
    declared->takes_address.push_back(is_address);
    declared->pointed.push_back(dtype);
    function.parameters.push_back(is_address ? DType::int64 : *dtype);
  }
  function.is_numbas = nb::cast<bool>(description[4]);
  function.meets_in_grid = nb::cast<bool>(description[5]);
  declared->declared = std::make_shared<const PythonFunction>(function.name, nb::borrow(description[6]));
  return declared;
}

/// Of ("member", value, the mark of its enumeration).
Entity to_member(nb::handle description) {
  Entity entity = to_constant(description[1]);
  entity.names = {nb::cast<std::string>(description[2])};
  return entity;
}

/// Of (kind, name, number).
Entity numbered(EntityKind kind, nb::handle description) {
  Entity entity{.kind = kind, .name = nb::cast<std::string>(description[1])};
  entity.value = Scalar::of_int(DType::int64, nb::cast<int64_t>(description[2]));
  return entity;
}

/// Of ("dtype", dtype), with a word more where it is an object and no class.
Entity of_dtype(nb::handle description) {
  Entity entity{.kind = EntityKind::dtype};
  entity.unit = needed_unit(description[1]);
  entity.value.dtype = entity.unit ? DType::int64 : needed_dtype(description[1]);
  if (nb::len(description) > 2) entity.name = "dtype";
  return entity;
}

/// Of ("bytes", bytes) or ("characters", the dtype's text).
Entity of_characters(const std::string& kind, nb::handle value) {
  if (kind == "characters")
    return kernel::characters_entity(kernel::character_type(nb::cast<std::string>(value)).value());
  const nb::bytes bytes = nb::cast<nb::bytes>(value);
  return {.kind = EntityKind::bytes, .name = {bytes.c_str(), bytes.size()}};
}

/// Of ("array", dtype, shape, bytes), with the dtype of the texts that the bytes are.
Entity of_array(nb::handle description) {
  Entity entity{.kind = EntityKind::array, .array = to_constant_array(description)};
  if (nb::len(description) > 4) entity.name = nb::cast<std::string>(description[4]);
  return entity;
}

/// Of ("address", number): an array of it, so that it is no part of the code.
Entity of_address(nb::handle value) {
  auto array = std::make_shared<kernel::ConstantArray>();
  array->dtype = DType::int64;
  array->shape = {1};
  const auto number = nb::cast<int64_t>(value);
  const auto* first = reinterpret_cast<const std::byte*>(&number);
  array->bytes.assign(first, first + sizeof(number));
  array->is_data = true;
  return {.kind = EntityKind::array, .array = std::move(array)};
}

}  // namespace

kernel::Unit needed_unit(nb::handle object) {
  return PyArray_DescrCheck(object.ptr()) ? unit_of_descriptor(object.ptr()) : kernel::Unit{0};
}

DType needed_dtype(nb::handle object) {
  const std::optional<DType> dtype = to_dtype(object.ptr());
  require<TypeError>(dtype.has_value(), "kernels do not compute with {}", nb::cast<std::string>(nb::str(object)));
  return *dtype;
}

namespace {

Entity of_stencil(nb::handle description) {
  Entity entity{.kind = EntityKind::stencil};
  entity.function = nb::cast<KernelFunction&>(description[1]).function;
  entity.names = names_of(description, 2);
  entity.shape = nb::cast<std::vector<int64_t>>(description[3]);
  if (nb::len(description) > 4) entity.elements.push_back(to_entity(description[4]));
  require<TypeError>(entity.elements.empty() || entity.elements[0].kind == EntityKind::constant ||
                         entity.elements[0].kind == EntityKind::function,
                     "a stencil's cval is a number");
  return entity;
}

}  // namespace

Entity to_entity(nb::handle description) {
  const std::string kind = nb::cast<std::string>(description[0]);
  if (kind == "constant") return to_constant(description[1]);
  if (kind == "dtype") return of_dtype(description);
  if (kind == "function") return of_function(nb::cast<KernelFunction&>(description[1]));
  if (kind == "overloaded") {
    Entity entity = to_entity(description[1]);
    entity.overloads = std::make_shared<const PythonOverloads>(nb::borrow(description[2]));
    return entity;
  }
  if (kind == "address") return of_address(description[1]);
  if (kind == "stencil") return of_stencil(description);
  if (kind == "bytes" || kind == "characters") return of_characters(kind, description[1]);
  if (kind == "tuple" || kind == "record" || kind == "named" || kind == "slice") {
    Entity entity{.kind = kind == "tuple"    ? EntityKind::tuple
                          : kind == "slice"  ? EntityKind::slice
                          : kind == "record" ? EntityKind::record
                                             : EntityKind::named,
                  .names = names_of(description, 2)};
    for (nb::handle element : description[1]) entity.elements.push_back(to_entity(element));
    if (kind == "record" && nb::len(description) > 3) entity.layout = nb::cast<uint32_t>(description[3]);
    return entity;
  }
  if (kind == "shaped") {
    Entity entity = to_entity(description[1]);
    entity.shape = nb::cast<std::vector<int64_t>>(description[2]);
    return entity;
  }
  if (kind == "typed") return of_type(nb::cast<const TypeObject&>(description[1]).type());
  if (kind == "exception") return numbered(EntityKind::exception, description);
  if (kind == "member") return to_member(description);
  if (kind == "class") return numbered(EntityKind::class_, description);
  if (kind == "records") {
    Entity entity{.kind = EntityKind::array, .names = names_of(description, 2)};
    for (nb::handle field : description[1]) entity.elements.push_back(to_entity(field));
    entity.shape = {nb::cast<int64_t>(description[3])};
    if (nb::len(description) > 4) entity.layout = nb::cast<uint32_t>(description[4]);
    return entity;
  }
  if (kind == "held") {
    const Array& held = as_ndarray(description[1].ptr())->array;
    auto array = std::make_shared<kernel::ConstantArray>();
    array->dtype = held.dtype();
    array->shape.assign(held.view.shape.begin(), held.view.shape.end());
    array->held = std::make_shared<Array>(held);
    array->identity = description[2].ptr();
    return {.kind = EntityKind::array, .array = std::move(array)};
  }
  if (kind == "foreign") return {.kind = EntityKind::foreign, .foreign = to_foreign(description)};
  if (kind == "array") return of_array(description);
  Entity entity{.kind = entity_kind(kind)};
  if (nb::len(description) > 1) entity.name = utf8_of(nb::object(description[1]).ptr());
  if (nb::len(description) > 2)
    entity.host = std::make_shared<const PythonFunction>(entity.name, nb::borrow(description[2]));
  return entity;
}

}  // namespace tessera::bind
