#include "tessera/bind/kernel/objects/type_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/dates.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/bind/kernel/type_words.h"
#include "tessera/kernel/types/conversion.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/object/user_class.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::Entity;
using kernel::EntityKind;
using kernel::Type;
using kernel::TypeKind;
using kernel::TypeParts;

namespace {

using Types = std::vector<const TypeObject*>;
using Names = std::vector<std::string>;

nb::object python_dtype(DType dtype) { return nb::steal(from_dtype(dtype)); }

nb::object python_dtype(const TypeParts& type) {
  return nb::steal(type.unit ? descriptor_of(type.unit) : from_dtype(type.dtype));
}

/// With a dtype of numbers or of dates.
TypeParts with_dtype(TypeParts type, nb::handle dtype) {
  type.unit = needed_unit(dtype);
  type.dtype = type.unit ? DType::int64 : needed_dtype(dtype);
  return type;
}

TypeObject made_of(TypeParts type, const Types& elements, Names names = {}) {
  std::vector<nb::object> functions;
  for (const TypeObject* element : elements) {
    type.elements.push_back(element->type());
    functions.insert(functions.end(), element->functions().begin(), element->functions().end());
  }
  type.names = std::move(names);
  return TypeObject(std::move(type), std::move(functions));
}

/// Of entries that are a hash and these.
TypeObject table_type(TypeParts table, const Types& parts) {
  std::vector<Type> entry{Type::scalar(DType::int64)};
  for (const TypeObject* part : parts) entry.push_back(part->type());
  table.elements = {Type::tuple(std::move(entry))};
  return TypeObject(std::move(table));
}

TypeObject of_entity(Entity entity) { return TypeObject(Type::of_entity(std::move(entity))); }

TypeObject pointer_type(nb::handle dtype) {
  TypeParts type{.kind = TypeKind::pointer, .dtype = DType::uint8};
  if (dtype.is_none())
    type.names = {"void"};
  else
    type.dtype = needed_dtype(dtype);
  return TypeObject(std::move(type));
}

TypeObject class_type(nb::handle dtype, bool is_object) {
  Entity entity{.kind = EntityKind::dtype};
  if (is_object) entity.name = "dtype";
  entity.unit = needed_unit(dtype);
  entity.value.dtype = entity.unit ? DType::int64 : needed_dtype(dtype);
  return of_entity(std::move(entity));
}

TypeObject literal_type(nb::handle value) {
  const bool is_truth = PyBool_Check(value.ptr());
  return of_entity({.kind = EntityKind::constant,
                    .value = is_truth ? Scalar::of_bool(value.ptr() == Py_True)
                                      : Scalar::of_int(DType::int64, nb::cast<int64_t>(value))});
}

// The object's address tells it apart as long as the type keeps it.
TypeObject function_type(nb::object object) {
  Entity entity{.kind = EntityKind::function};
  entity.value = Scalar::of_int(DType::int64, static_cast<int64_t>(reinterpret_cast<intptr_t>(object.ptr())));
  return TypeObject(Type::of_entity(std::move(entity)), {std::move(object)});
}

Type resolve(const Type& type, const std::vector<nb::object>& functions, size_t& next) {
  if (!type.is_entity(EntityKind::function))
    return with_elements(type, [&](const Type& element) { return resolve(element, functions, next); });
  const nb::object found = functions.at(next++).attr("_kernel_function")();
  return Type::of_entity({.kind = EntityKind::function, .function = nb::cast<KernelFunction&>(found).function});
}

/// The compiler's type as arguments have theirs.
Type plain(const Type& type) {
  switch (type->kind) {
    case TypeKind::buffer:
    case TypeKind::array:
    case TypeKind::choice:
    case TypeKind::computed:
      return TypeParts{
          .kind = TypeKind::buffer, .dtype = type->dtype, .unit = type->unit, .axes = type->axes, .names = type->names};
    case TypeKind::tuple:
    case TypeKind::slice:
    case TypeKind::optional:
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set:
    case TypeKind::record: {
      // A list that is written becomes one where it is passed.
      const std::vector<Type>& all = type->elements;
      if (type->is_list && !all.empty() && std::ranges::all_of(all, [&](const Type& one) { return one == all[0]; }))
        return TypeParts{.kind = TypeKind::list, .elements = {plain(all[0])}};
      TypeParts made{.kind = type->kind, .axes = type->axes};
      if (type->kind == TypeKind::record) made.id = type->id;
      for (const Type& element : type->elements) made.elements.push_back(plain(element));
      made.names = type->names;
      return made;
    }
    case TypeKind::none:
    case TypeKind::object:
    case TypeKind::string:
    case TypeKind::scalar: return type;
    case TypeKind::entity: break;
    default: return Type::of_entity({.kind = EntityKind::other, .name = kernel::describe(type)});
  }
  switch (type->entity.kind) {
    case EntityKind::text:
    case EntityKind::dtype:
    case EntityKind::constant:
    case EntityKind::other: return type;
    case EntityKind::nothing: return {};
    default: return Type::of_entity({.kind = EntityKind::other, .name = kernel::describe(type)});
  }
}

/// Of the element's part of a type, whose first function is this one of its own.
TypeObject element_of(const TypeObject& whole, const Type& element, size_t& first) {
  size_t count = 0;
  const auto count_functions = [&](const auto& self, const Type& type) -> void {
    for (const Type& one : type->elements) self(self, one);
    count += type.is_entity(EntityKind::function);
  };
  count_functions(count_functions, element);
  const auto begin = whole.functions().begin() + static_cast<int64_t>(first);
  first += count;
  return TypeObject(element, {begin, begin + static_cast<int64_t>(count)});
}

nb::object value_of(const Entity& entity) {
  if (is_boolean(entity.value.dtype)) return nb::bool_(entity.value.bytes[0] != 0);
  return nb::int_(entity.value.as_int());
}

nb::tuple parts_of_entity(const TypeObject& object) {
  const Entity& entity = object.type()->entity;
  switch (entity.kind) {
    case EntityKind::text: return nb::make_tuple("text", entity.name);
    case EntityKind::dtype:
      return nb::make_tuple(entity.name.empty() ? "class" : "dtype",
                            python_dtype({.dtype = entity.value.dtype, .unit = entity.unit}));
    case EntityKind::constant: return nb::make_tuple("literal", value_of(entity));
    case EntityKind::function: return nb::make_tuple("function", object.functions().at(0));
    case EntityKind::ellipsis: return nb::make_tuple("ellipsis");
    default: return nb::make_tuple("other", entity.name);
  }
}

/// What the type is made of, its kind first.
nb::tuple parts_of(const TypeObject& object) {
  const Type& type = object.type();
  nb::list elements;
  size_t first = 0;
  for (const Type& element : type->elements) elements.append(element_of(object, element, first));
  switch (type->kind) {
    case TypeKind::scalar:
      if (kernel::is_member(type)) return nb::make_tuple("member", type->names[0]);
      return nb::make_tuple("number", python_dtype(*type));
    case TypeKind::buffer:
      if (type.is_bytes()) return nb::make_tuple("bytes", type->names[0], type->axes);
      return nb::make_tuple("array", python_dtype(*type), type->axes);
    case TypeKind::tuple: return nb::make_tuple("tuple", nb::tuple(elements), nb::tuple(nb::cast(type->names)));
    case TypeKind::record:
      return nb::make_tuple("record", nb::tuple(elements), nb::tuple(nb::cast(type->names)), type->axes, type->id);
    case TypeKind::slice: return nb::make_tuple("slice", nb::tuple(elements));
    case TypeKind::optional: return nb::make_tuple("optional", elements[0]);
    case TypeKind::dict:
    case TypeKind::set: {
      // A hash is first.
      const auto part = [&](size_t k) { return nb::cast(TypeObject(plain(type->elements.at(0)->elements.at(k)))); };
      if (type->elements.empty()) return nb::make_tuple("other", kernel::describe(type));
      if (type->kind == TypeKind::dict) return nb::make_tuple("dict", part(1), part(2));
      return nb::make_tuple("set", part(1), !type->names.empty());
    }
    case TypeKind::string: return nb::make_tuple(kernel::is_bytes_value(type) ? "bytes_value" : "string");
    case TypeKind::list:
      return nb::make_tuple("list", type->elements.empty() ? nb::object(nb::none()) : elements[0],
                            !type->names.empty());
    case TypeKind::pointer:
      return nb::make_tuple("pointer", type->names.empty() ? python_dtype(type->dtype) : nb::object(nb::none()));
    case TypeKind::object: return nb::make_tuple("object", type->id);
    case TypeKind::entity: return parts_of_entity(object);
    default: return nb::make_tuple("none");
  }
}

int visit_type(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<TypeObject>(self)->traverse(visit, arg) : 0;
}

int clear_type(PyObject* self) {
  nb::inst_ptr<TypeObject>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_type)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear_type)},
                       {0, nullptr}};

std::vector<size_t> chosen(const Types& given, const std::vector<Types>& signatures) {
  const auto types = [](const Types& objects) {
    std::vector<Type> listed;
    for (const TypeObject* object : objects) listed.push_back(object->type());
    return listed;
  };
  std::vector<std::vector<Type>> wanted;
  for (const Types& signature : signatures) wanted.push_back(types(signature));
  return kernel::choose_signatures(types(given), wanted);
}

void bind_makers(nb::module_& types) {
  types.def("number", [](nb::handle dtype) { return TypeObject(with_dtype({.kind = TypeKind::scalar}, dtype)); });
  types.def("array", [](nb::handle dtype, int axes) {
    return TypeObject(with_dtype({.kind = TypeKind::buffer, .axes = axes}, dtype));
  });
  types.def("bytes", [](std::string dtype, int axes) {
    return TypeObject(
        TypeParts{.kind = TypeKind::buffer, .dtype = DType::uint8, .axes = axes, .names = {std::move(dtype)}});
  });
  types.def("pointer", pointer_type, nb::arg("dtype").none(), "To elements of a dtype; of None to anything.");
  types.def("tuple", [](const Types& elements, Names names) {
    return made_of({.kind = TypeKind::tuple}, elements, std::move(names));
  });
  types.def("record", [](const Types& fields, Names names, int axes, uint32_t layout) {
    return made_of({.kind = TypeKind::record, .id = layout, .axes = axes}, fields, std::move(names));
  });
  types.def("slice", [](const Types& bounds) { return made_of({.kind = TypeKind::slice}, bounds); });
  types.def("optional", [](const TypeObject& value) { return made_of({.kind = TypeKind::optional}, {&value}); });
  types.def("list", [](const TypeObject& element, bool is_typed) {
    return made_of({.kind = TypeKind::list}, {&element}, is_typed ? Names{std::string(kernel::typed_list)} : Names{});
  });
  types.def("member", [](nb::handle dtype, std::string mark) {
    return TypeObject(TypeParts{.kind = TypeKind::scalar, .dtype = needed_dtype(dtype), .names = {std::move(mark)}});
  });
  types.def("object", [](uint32_t number) { return TypeObject(kernel::type_of_objects(number)); });
  types.def("dict", [](const TypeObject& key, const TypeObject& value) {
    return table_type({.kind = TypeKind::dict}, {&key, &value});
  });
  types.def("set", [](const TypeObject& key, bool is_frozen) {
    return table_type({.kind = TypeKind::set, .names = is_frozen ? Names{"frozenset"} : Names{}}, {&key});
  });
  types.def("bytes_value", [] { return TypeObject(kernel::bytes_value_type(false)); });
  types.def("string", [] { return TypeObject(TypeParts{.kind = TypeKind::string}); });
  types.def("class_of", class_type);
  types.def("literal", literal_type, "Of an integer of 64 bits or a bool.");
  types.def("function", function_type);
  types.def("text", [](nb::object text) { return of_entity({.kind = EntityKind::text, .name = utf8_of(text.ptr())}); });
  types.def("ellipsis", [] { return of_entity({.kind = EntityKind::ellipsis}); });
  types.def("none", [] { return TypeObject(Type{}); });
  types.def("other", [](std::string name) { return of_entity({.kind = EntityKind::other, .name = std::move(name)}); });
}

}  // namespace

Type TypeObject::resolved() const {
  size_t next = 0;
  return functions_.empty() ? type_ : resolve(type_, functions_, next);
}

int TypeObject::traverse(visitproc visit, void* arg) const {
  for (const nb::object& function : functions_) Py_VISIT(function.ptr());
  return 0;
}

nb::object type_object(const Type& type) { return nb::cast(TypeObject(plain(type))); }

std::vector<Type> resolved_types(nb::handle types) {
  std::vector<Type> resolved;
  for (nb::handle type : types) resolved.push_back(nb::cast<const TypeObject&>(type).resolved());
  return resolved;
}

void bind_types(nb::module_& m) {
  nb::module_ types = m.def_submodule("types", "Types of users' functions: what tessera.types is made of.");
  nb::class_<TypeObject>(types, "Type", nb::type_slots(slots))
      .def(nb::init<const TypeObject&>())
      .def(
          "__eq__",
          [](const TypeObject& type, nb::handle other) -> nb::object {
            if (!nb::isinstance<TypeObject>(other)) return nb::borrow(Py_NotImplemented);
            return nb::bool_(type.type() == nb::cast<const TypeObject&>(other).type());
          },
          nb::arg().none())
      .def("__hash__", [](const TypeObject& type) { return static_cast<Py_hash_t>(hash_of(type.type()) >> 1); });
  bind_makers(types);
  types.def("parts", parts_of, "What a type is made of, its kind first.");
  types.def("functions", [](const TypeObject& type) { return nb::tuple(nb::cast(type.functions())); });
  types.def(
      "choose", chosen,
      "The places of the signatures that take arguments of these types with the fewest conversions, the worst kind of "
      "them first: several where these are as good.");
}

}  // namespace tessera::bind
