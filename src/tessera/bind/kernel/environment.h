/// PythonEnvironment: what compiling asks of Python.
#pragma once

#include "tessera/kernel/environment.h"

namespace tessera::bind {

/// Called with the GIL held.
class PythonEnvironment final : public kernel::Environment {
 public:
  std::shared_ptr<const kernel::Function> library_function(const std::string& name) const override;
  bool computes_alike(const std::string& name, std::span<const kernel::Type> arguments,
                      std::span<const std::string> names) const override;
  std::shared_ptr<const kernel::HostObject> host_method(const std::string& name) const override;
  std::shared_ptr<const kernel::Overloads> member(const kernel::Type& type, const std::string& name,
                                                  bool is_attribute) const override;
  bool has_member(const kernel::Type& type, const std::string& name) const override;
  bool is_subclass(int64_t raised, int64_t caught) const override;
};

}  // namespace tessera::bind
