#include "tessera/bind/kernel/environment.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/host/host_object.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/bind/kernel/objects/type_object.h"
#include "tessera/bind/kernel/overloads.h"

namespace tessera::bind {

namespace nb = nanobind;

std::shared_ptr<const kernel::Function> PythonEnvironment::library_function(const std::string& name) const {
  static constinit Imported of_lists("tessera.functions.list_methods", "find");
  static constinit Imported of_numpy("tessera.functions.numpy_library", "find");
  static constinit Imported of_classes("tessera.functions.jitclass", "find");
  static constinit Imported of_iterators("tessera.functions.iterator_methods", "find");
  static constinit Imported of_texts("tessera.functions.text_methods", "find");
  static constinit Imported of_tables("tessera.functions.table_methods", "find");
  const bool is_table = name.starts_with("table.") || name.starts_with("dict.") || name.starts_with("set.");
  const nb::handle find(name.starts_with("list.")       ? of_lists
                        : name.starts_with("iterator.") ? of_iterators
                        : name.starts_with("class.")    ? of_classes
                        : name.starts_with("text.")     ? of_texts
                        : is_table                      ? of_tables
                                                        : of_numpy);
  const nb::object function = find(name);
  return function.is_none() ? nullptr : nb::cast<KernelFunction&>(function).function;
}

bool PythonEnvironment::computes_alike(const std::string& name, std::span<const kernel::Type> arguments,
                                       std::span<const std::string> names) const {
  static constinit Imported computes("tessera.functions.numpy_library", "computes_alike");
  nb::list types, named;
  for (const kernel::Type& argument : arguments) types.append(described_for_host(argument));
  for (const std::string& one : names) named.append(nb::cast(one));
  return nb::cast<bool>(nb::handle(computes)(name, types, named));
}

std::shared_ptr<const kernel::HostObject> PythonEnvironment::host_method(const std::string& name) const {
  static constinit Imported find("tessera.functions.sampled", "method");
  const nb::object method = nb::handle(find)(name);
  return method.is_none() ? nullptr
                          : std::make_shared<const PythonFunction>(name.contains('.') ? name : "array." + name, method);
}

std::shared_ptr<const kernel::Overloads> PythonEnvironment::member(const kernel::Type& type, const std::string& name,
                                                                   bool is_attribute) const {
  static constinit Imported find("tessera.functions.names", "overloads_of_member");
  const nb::object found = nb::handle(find)(type_object(type), name, is_attribute);
  return found.is_none() ? nullptr : std::make_shared<const PythonOverloads>(found);
}

bool PythonEnvironment::has_member(const kernel::Type& type, const std::string& name) const {
  static constinit Imported has("tessera.functions.names", "has_member");
  const kernel::Type text = kernel::Type::of_entity({.kind = kernel::EntityKind::text});
  return nb::cast<bool>(nb::handle(has)(type_object(kernel::is_text(type) ? text : type), name));
}

bool PythonEnvironment::is_subclass(int64_t raised, int64_t caught) const {
  static constinit Imported ask("tessera.functions.exceptions", "is_subclass");
  return nb::cast<bool>(nb::handle(ask)(raised, caught));
}

}  // namespace tessera::bind
