/// TypeObject: a type of users' functions as Python holds it; the classes of tessera.types derive from it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <vector>

#include "tessera/kernel/types/type.h"

namespace tessera::bind {

/// Functions in a type are Python's objects, which are compiled anew where a name that they read has changed: the type
/// knows which objects they are, and `resolved` has what the compiler makes of them now.
class TypeObject {
 public:
  explicit TypeObject(kernel::Type type, std::vector<nanobind::object> functions = {})
      : type_(std::move(type)), functions_(std::move(functions)) {}

  const kernel::Type& type() const { return type_; }
  /// Those in the type, in the order in which they stand there.
  const std::vector<nanobind::object>& functions() const { return functions_; }
  kernel::Type resolved() const;
  /// For Python's collector.
  int traverse(visitproc visit, void* arg) const;
  void clear() { functions_.clear(); }

 private:
  kernel::Type type_;
  std::vector<nanobind::object> functions_;
};

/// The same of a type that the compiler found; arrays are told apart by their elements and axes alone.
nanobind::object type_object(const kernel::Type& type);
/// What the compiler makes of these types.
std::vector<kernel::Type> resolved_types(nanobind::handle types);

}  // namespace tessera::bind
