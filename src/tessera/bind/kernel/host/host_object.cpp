#include "tessera/bind/kernel/host/host_object.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dates.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/bind/scalar/elements.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::EntityKind;
using kernel::Type;
using kernel::TypeKind;
using kernel::TypeParts;

namespace {

nb::object dtype_object(DType dtype, kernel::Unit unit) {
  return nb::steal(unit ? descriptor_of(unit) : from_dtype(dtype));
}

Type to_type(nb::handle described) {
  const kernel::Unit unit = needed_unit(described[0]);
  return TypeParts{.kind = TypeKind::buffer,
                   .dtype = unit ? DType::int64 : needed_dtype(described[0]),
                   .unit = unit,
                   .axes = nb::cast<int>(described[1])};
}

}  // namespace

nb::object described_for_host(const Type& type) {
  switch (type->kind) {
    case TypeKind::scalar: return nb::make_tuple("scalar", dtype_object(type->dtype, type->unit));
    case TypeKind::buffer: return nb::make_tuple("array", dtype_object(type->dtype, type->unit), type->axes);
    case TypeKind::tuple: {
      nb::list elements;
      for (const Type& element : type->elements) elements.append(described_for_host(element));
      return nb::make_tuple(type->is_list ? "list" : "tuple", elements);
    }
    case TypeKind::slice:
      return nb::make_tuple("slice", described_for_host(type->elements[0]), described_for_host(type->elements[1]),
                            described_for_host(type->elements[2]));
    case TypeKind::entity: break;
    default: return nb::make_tuple("none");
  }
  const kernel::Entity& entity = type->entity;
  if (entity.kind == EntityKind::ellipsis) return nb::make_tuple("constant", nb::ellipsis());
  if (entity.kind == EntityKind::text) return nb::make_tuple("constant", entity.name);
  if (entity.kind == EntityKind::dtype)
    return nb::make_tuple("constant", dtype_object(entity.value.dtype, entity.unit));
  return nb::make_tuple("constant", nb::steal(make_host_number(entity.value)));
}

PyObject* make_host_number(const Scalar& value) {
  const DType dtype = value.dtype;
  const bool is_pythons =
      is_boolean(dtype) || dtype == DType::int64 || dtype == DType::float64 || dtype == DType::complex128;
  return checked(is_pythons ? make_python_scalar(dtype, value.bytes) : make_numpy_scalar(dtype, value.bytes));
}

PythonFunction::~PythonFunction() {
  const WithGil gil;
  function_.reset();
}

kernel::HostResults PythonFunction::results(std::span<const Type> arguments, std::span<const std::string> names) const {
  static constinit Imported find("tessera.functions.sampled", "results");
  try {
    nb::list types, named;
    for (const Type& argument : arguments) types.append(described_for_host(argument));
    for (const std::string& name : names) named.append(nb::cast(name));
    const nb::object found = nb::handle(find)(function_, types, named);
    kernel::HostResults results{.is_tuple = nb::cast<bool>(found[1]),
                                .names = nb::cast<std::vector<std::string>>(found[2]),
                                .written = nb::cast<std::vector<size_t>>(found[3])};
    for (nb::handle one : found[0]) {
      results.types.push_back(to_type(one));
      results.layouts.push_back({.is_free = nb::cast<bool>(one[2]), .shares = nb::cast<int>(one[3])});
    }
    if (nb::len(found) > 4) results.known = nb::cast<int64_t>(found[4]);
    return results;
  } catch (const ErrorAlreadySet&) {
    throw nb::python_error();
  } catch (nb::python_error& error) {
    throw TypeError(nb::cast<std::string>(nb::str(error.value())));
  }
}

std::string PythonFunction::library_name() const {
  static constinit Imported find("tessera.functions.numpy_library", "name_of");
  return name_.starts_with("array.") ? name_ : nb::cast<std::string>(nb::handle(find)(function_));
}

}  // namespace tessera::bind
