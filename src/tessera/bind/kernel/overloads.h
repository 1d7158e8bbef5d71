/// PythonOverloads: functions of the user's that are chosen by the types of arguments, as the compiler asks for them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "tessera/kernel/overloads.h"

namespace tessera::bind {

/// Of an object of tessera.functions.extending.Overloads.
class PythonOverloads : public kernel::Overloads {
 public:
  explicit PythonOverloads(nanobind::object overloads);
  ~PythonOverloads() override;

  const std::vector<std::string>& parameters() const override { return parameters_; }
  size_t needed() const override { return needed_; }
  bool takes_rest() const override { return takes_rest_; }
  std::shared_ptr<const kernel::Function> find(std::span<const kernel::Type> types,
                                               std::span<const kernel::Type> values,
                                               const std::vector<bool>& given) const override;

 private:
  nanobind::object overloads_;
  std::vector<std::string> parameters_;
  size_t needed_ = 0;
  bool takes_rest_ = false;
};

}  // namespace tessera::bind
