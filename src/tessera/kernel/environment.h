/// Environment: what compiling asks of the language that functions are written in.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tessera::kernel {

class HostObject;
class Overloads;
struct Function;
class Type;

/// This one knows nothing: it serves functions that need nothing from outside.
class Environment {
 public:
  virtual ~Environment() = default;
  /// A function of the library that is written in the language; null if there is none of this name.
  virtual std::shared_ptr<const Function> library_function(const std::string&) const { return nullptr; }
  /// Whether it computes what NumPy's function of that name does for arguments of these types (as HostObject has them),
  /// of which the last ones are given by these names.
  virtual bool computes_alike(const std::string&, std::span<const Type>, std::span<const std::string>) const {
    return false;
  }
  /// What a method of arrays is on the host; null if there is no such method.
  virtual std::shared_ptr<const HostObject> host_method(const std::string&) const { return nullptr; }
  /// What serves a method, or an attribute where `is_attribute`, of objects of a type; null if nothing does.
  virtual std::shared_ptr<const Overloads> member(const Type&, const std::string&, bool /*is_attribute*/) const {
    return nullptr;
  }
  /// Whether objects of a type have a member of this name in the language.
  virtual bool has_member(const Type&, const std::string&) const { return false; }
  /// Whether the exception of the first number is of the second's class.
  virtual bool is_subclass(int64_t raised, int64_t caught) const { return raised == caught; }
};

}  // namespace tessera::kernel
