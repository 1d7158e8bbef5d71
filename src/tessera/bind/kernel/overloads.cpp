#include "tessera/bind/kernel/overloads.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/kernel/compile_error.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::EntityKind;
using kernel::Type;
using kernel::TypeKind;

namespace {

nb::object python_dtype(DType dtype) { return nb::steal(from_dtype(dtype)); }

}  // namespace

nb::object kind_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: return nb::make_tuple("scalar", python_dtype(type.dtype));
    case TypeKind::buffer:
    case TypeKind::array:
    case TypeKind::choice:
    case TypeKind::computed: return nb::make_tuple("array", python_dtype(type.dtype), type.axes);
    case TypeKind::tuple: {
      nb::list elements;
      for (const Type& element : type.elements) elements.append(kind_of(element));
      if (type.names.empty()) return nb::make_tuple("tuple", nb::tuple(elements));
      return nb::make_tuple("named", nb::tuple(elements), nb::tuple(nb::cast(type.names)));
    }
    case TypeKind::list:
      return nb::make_tuple("list", type.elements.empty() ? nb::make_tuple("none") : kind_of(type.elements[0]));
    case TypeKind::none: return nb::make_tuple("none");
    case TypeKind::optional: return nb::make_tuple("optional", kind_of(type.elements[0]));
    case TypeKind::entity: break;
    default: return nb::make_tuple("other", kernel::describe(type));
  }
  const kernel::Entity& entity = type.entity;
  if (entity.kind == EntityKind::text) return nb::make_tuple("text", entity.name);
  if (entity.kind == EntityKind::dtype) return nb::make_tuple("dtype", python_dtype(entity.value.dtype));
  if (entity.kind == EntityKind::constant) {
    const bool is_truth = is_boolean(entity.value.dtype);
    return nb::make_tuple(
        "literal", is_truth ? "bool" : "int",
        is_truth ? nb::object(nb::bool_(entity.value.bytes[0] != 0)) : nb::int_(entity.value.as_int()));
  }
  if (entity.kind == EntityKind::nothing) return nb::make_tuple("none");
  return nb::make_tuple("other", kernel::describe(type));
}

namespace {

/// What Python raises: TypingError of the compiler's as it is, all else as what is wrong with the types.
template <class Body>
auto asked(Body body) {
  try {
    return body();
  } catch (nb::python_error& error) {
    throw TypeError(nb::cast<std::string>(nb::str(error.value())));
  }
}

}  // namespace

PythonOverloads::PythonOverloads(nb::object overloads) : overloads_(std::move(overloads)) {
  asked([&] {
    const nb::object parameters = overloads_.attr("parameters");
    parameters_ = nb::cast<std::vector<std::string>>(parameters[0]);
    needed_ = nb::cast<size_t>(parameters[1]);
    takes_rest_ = nb::cast<bool>(parameters[2]);
  });
}

PythonOverloads::~PythonOverloads() {
  const WithGil gil;
  overloads_.reset();
}

std::shared_ptr<const kernel::Function> PythonOverloads::find(std::span<const Type> arguments,
                                                              const std::vector<bool>& given) const {
  return asked([&]() -> std::shared_ptr<const kernel::Function> {
    nb::list kinds;
    for (size_t k = 0; k < arguments.size(); ++k) {
      const bool is_given = k >= given.size() || given[k];
      kinds.append(is_given ? kind_of(arguments[k]) : nb::none());
    }
    const nb::object found = overloads_.attr("find")(nb::tuple(kinds));
    return found.is_none() ? nullptr : nb::cast<KernelFunction&>(found).function;
  });
}

}  // namespace tessera::bind
